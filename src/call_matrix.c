/* Entry points of passes over a data matrix. */

#include "matrix.h"

#include <float.h>
#include <math.h>

#include "entry.h"

SEXP repalign_all_finite(SEXP x)
{
    begin_entry(__func__);
    if (!Rf_isReal(x)) argument_error("x", "hold doubles");
    return Rf_ScalarLogical(all_finite(REAL(x), (size_t) XLENGTH(x)));
}

/* list(means, largest, size, finite): see column_extent. */
SEXP repalign_column_stats(SEXP x)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(x));
    const char *names[] = {"means", "largest", "size", "finite", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *means = put_doubles(result, 0, matrix_columns(x));
    const column_extent extent = column_means(values, matrix_rows(x), matrix_columns(x), means);
    *put_doubles(result, 1, 1) = extent.largest;
    *put_doubles(result, 2, 1) = extent.size;
    SET_VECTOR_ELT(result, 3, Rf_ScalarLogical(extent.finite));
    UNPROTECT(1);
    return result;
}

/* May nothing be asked of x but its values: a matrix of doubles without names, and not square, as
   matrices of distances are? */
static int is_bare(SEXP x)
{
    if (TYPEOF(x) != REALSXP || OBJECT(x) || !Rf_isMatrix(x)) return 0;
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    return n > 1 && d > 0 && n != d && Rf_isNull(Rf_getAttrib(x, R_DimNamesSymbol));
}

/* list(x, y) of column statistics, if there is nothing to ask about two matrices of as many rows:
   all entries are finite, and so are their differences, which are not all 0. NULL otherwise. */
SEXP repalign_bare_pair(SEXP x, SEXP y)
{
    begin_entry(__func__);
    if (!is_bare(x) || !is_bare(y) || matrix_rows(x) != matrix_rows(y)) return R_NilValue;
    const char *names[] = {"x", "y", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names)), sides[] = {x, y};
    int usual = 1;
    for (int k = 0; k < 2 && usual; k++) {
        SEXP stats = repalign_column_stats(sides[k]);
        SET_VECTOR_ELT(result, k, stats);
        const double largest = *REAL(VECTOR_ELT(stats, 1));
        usual = *LOGICAL(VECTOR_ELT(stats, 3)) && largest > 0.0 && largest <= DBL_MAX;
    }
    UNPROTECT(1);
    return usual ? result : R_NilValue;
}

/* The smallest of some values, how often it stands there, and the next one. */
typedef struct {
    double value, next, count;
} least_value;

static inline void meet(least_value *least, double value)
{
    if (value < least->value) {
        least->next = least->value;
        least->value = value;
        least->count = 1.0;
    } else if (value == least->value) {
        least->count++;
    } else if (value < least->next) {
        least->next = value;
    }
}

/* What shows columns that are no neurons, and codes of missing values: list(squares, ends), the sum
   of squares of each centred column of n rows, and of all columns that vary the smallest value, the
   next one, and how often the smallest stands there, and the same of the values times -1. NaN are
   left out. */
SEXP repalign_odd_columns(SEXP x, SEXP rows)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(x));
    const size_t n = read_count(ARG(rows), 1, length), d = length / n;
    const double *column = REAL(x);
    const char *names[] = {"squares", "ends", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *squares = put_doubles(result, 0, d), *end = put_doubles(result, 1, 6);
    least_value ends[2] = {{INFINITY, INFINITY, 0.0}, {INFINITY, INFINITY, 0.0}};
    for (size_t j = 0; j < d; j++, column += n) {
        double sum = 0.0, sum_squares = 0.0, count = 0.0;
        for (size_t i = 0; i < n; i++) {
            if (isnan(column[i])) continue;
            sum += column[i];
            count++;
        }
        const double mean = sum / count;
        int varies = 0;
        for (size_t i = 0; i < n; i++) {
            const double left = column[i] - mean;
            if (!isnan(left)) sum_squares += left * left;
            varies |= column[i] < column[0] || column[i] > column[0];
        }
        squares[j] = sum_squares;
        for (size_t i = 0; varies && i < n; i++) {
            meet(&ends[0], column[i]);
            meet(&ends[1], -column[i]);
        }
    }
    for (int k = 0; k < 2; k++, end += 3) {
        end[0] = ends[k].value;
        end[1] = ends[k].next;
        end[2] = ends[k].count;
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_center(SEXP x, SEXP means, SEXP scale)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    SEXP result = PROTECT(new_matrix(v.n, v.d));
    load_rows(&v, 0, v.n, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Sum of all squares of the centred x. */
SEXP repalign_centered_squares(SEXP x, SEXP means, SEXP scale)
{
    begin_entry(__func__);
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    return Rf_ScalarReal(view_squares(&v, check_interrupt));
}

SEXP repalign_dot(SEXP a, SEXP b)
{
    begin_entry(__func__);
    if (!Rf_isReal(a)) argument_error("a", "hold doubles");
    const size_t length = (size_t) XLENGTH(a);
    return Rf_ScalarReal(dot_blocked(REAL(a), read_doubles(ARG(b), length), length));
}
