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

/* A column of five or more with a larger share of the variance of all than this decides the scores
   alone. Of lognormal gains (standard deviation 0.5 of the logarithm) it is a neuron in 0.1% of sets
   of 5, and in none of 10 or more; with 1 in 11%, 4% of 10, and 0.1% of 100 (bench/input.R). */
#define DOMINANT_SHARE 0.9
#define LEAST_COLUMNS 5

/* A whole number in so many cells is no response if it is farther from all other values than this
   many times their range, and than this distance. 0 (silent units) and the largest numbers of so many
   bits (saturated values) are responses. */
#define LEAST_CODED 3.0
#define CODED_RANGES 2.0
#define CODED_DISTANCE 8.0
#define MOST_BITS 16

/* Is the value at this end of all values a code? sign: -1 if the end is that of the values times -1. */
static int is_code(const least_value *end, const least_value *other, double sign)
{
    const double range = -other->value - end->next, value = sign * end->value;
    if (end->count < LEAST_CODED || end->value != floor(end->value) || !(range > 0.0)) return 0;
    for (int bits = 0; bits <= MOST_BITS; bits++) {
        if (value == ldexp(1.0, bits) - 1.0) return 0;
    }
    return end->next - end->value > fmax(CODED_RANGES * range, CODED_DISTANCE);
}

/* What shows columns that are no neurons, and codes of missing values, of d columns of n rows; NaN
   are left out. The ends are of all columns that vary. */
typedef struct {
    least_value ends[2];
    double code;            /* 1 or -1: at the low or at the high end is a code; 0: at none */
    double dominant, share; /* the column with most of the variance, and its share of it */
} odd_columns;

static odd_columns find_odd(const double *column, size_t n, size_t d)
{
    odd_columns odd = {{{INFINITY, INFINITY, 0.0}, {INFINITY, INFINITY, 0.0}}, 0.0, 0.0, 0.0};
    double total = 0.0, largest = -1.0;
    for (size_t j = 0; j < d; j++, column += n) {
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (size_t i = 0; i < n; i++) {
            if (isnan(column[i])) continue;
            sum += column[i];
            count++;
        }
        const double mean = sum / count;
        int varies = 0;
        for (size_t i = 0; i < n; i++) {
            const double left = column[i] - mean;
            if (!isnan(left)) squares += left * left;
            varies |= column[i] < column[0] || column[i] > column[0];
        }
        total += squares;
        if (squares > largest) {
            largest = squares;
            odd.dominant = (double) (j + 1);
        }
        for (size_t i = 0; varies && i < n; i++) {
            meet(&odd.ends[0], column[i]);
            meet(&odd.ends[1], -column[i]);
        }
    }
    odd.share = largest / total;
    if (is_code(&odd.ends[0], &odd.ends[1], 1.0)) odd.code = 1.0;
    else if (is_code(&odd.ends[1], &odd.ends[0], -1.0)) odd.code = -1.0;
    return odd;
}

static int has_dominant(const odd_columns *odd, size_t d)
{
    return d >= LEAST_COLUMNS && odd->share > DOMINANT_SHARE;
}

/* May nothing be asked of x but its values: a matrix of doubles without names, and not square, as
   matrices of distances are? */
static int is_bare(SEXP x)
{
    if (TYPEOF(x) != REALSXP || OBJECT(x) || !Rf_isMatrix(x)) return 0;
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    return n > 1 && d > 0 && n != d && Rf_isNull(Rf_getAttrib(x, R_DimNamesSymbol));
}

/* list(x, y, odd) of column statistics, if there is nothing to ask about two matrices of as many
   rows: all entries are finite, and so are their differences, which are not all 0. NULL otherwise.
   odd: is anything odd in their columns? */
SEXP repalign_bare_pair(SEXP x, SEXP y)
{
    begin_entry(__func__);
    if (!is_bare(x) || !is_bare(y) || matrix_rows(x) != matrix_rows(y)) return R_NilValue;
    const char *names[] = {"x", "y", "odd", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names)), sides[] = {x, y};
    int usual = 1, is_odd = 0;
    for (int k = 0; k < 2 && usual; k++) {
        SEXP stats = repalign_column_stats(sides[k]);
        SET_VECTOR_ELT(result, k, stats);
        const double largest = *REAL(VECTOR_ELT(stats, 1));
        usual = *LOGICAL(VECTOR_ELT(stats, 3)) && largest > 0.0 && largest <= DBL_MAX;
        const size_t d = matrix_columns(sides[k]);
        const odd_columns odd = find_odd(REAL(sides[k]), matrix_rows(sides[k]), d);
        is_odd |= odd.code != 0.0 || has_dominant(&odd, d);
    }
    SET_VECTOR_ELT(result, 2, Rf_ScalarLogical(is_odd));
    UNPROTECT(1);
    return usual ? result : R_NilValue;
}

/* What is odd in columns of n rows of x: c(code, its cells, the lowest and the highest of all other
   values), then c(dominant column, its share), each NULL where there is none. */
SEXP repalign_odd_columns(SEXP x, SEXP rows)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(x)), n = read_count(ARG(rows), 1, length);
    const odd_columns odd = find_odd(REAL(x), n, length / n);
    const char *names[] = {"code", "dominant", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    if (odd.code != 0.0) {
        const least_value *end = &odd.ends[odd.code < 0.0], *other = &odd.ends[odd.code > 0.0];
        double *code = put_doubles(result, 0, 4);
        code[0] = odd.code * end->value;
        code[1] = end->count;
        code[2] = odd.code > 0.0 ? end->next : other->value;
        code[3] = odd.code > 0.0 ? -other->value : -end->next;
    }
    if (has_dominant(&odd, length / n)) {
        double *dominant = put_doubles(result, 1, 2);
        dominant[0] = odd.dominant;
        dominant[1] = odd.share;
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
