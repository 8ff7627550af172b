/* Entry points of passes over packed matrices and vectors of their entries. */

#include "packed.h"

#include <math.h>

#include "entry.h"

/* Sums of the rows of a packed matrix of n rows (its diagonal is zero). */
SEXP repalign_packed_row_sums(SEXP a, SEXP n, SEXP threads)
{
    begin_entry(__func__);
    const size_t size = read_count(ARG(n), 2, INT_MAX);
    const double *values = read_doubles(ARG(a), packed_length(size));
    double *ones = scratch(size), *partial = scratch(CHUNK_GROUP * size);
    for (size_t i = 0; i < size; i++) ones[i] = 1.0;
    SEXP result = PROTECT(new_doubles(size));
    packed_times(values, ones, new_row_chunks(size), read_worker(ARG(threads)), partial,
                 REAL(result));
    UNPROTECT(1);
    return result;
}

/* Sum of the products of centred entries: see packed_centered_dot(). */
SEXP repalign_packed_centered_dot(SEXP a, SEXP a_means, SEXP a_grand, SEXP b, SEXP b_means,
                                  SEXP b_grand, SEXP threads)
{
    begin_entry(__func__);
    const size_t n = count_doubles(ARG(a_means)), length = packed_length(n);
    const packed_centered left = {read_doubles(ARG(a), length), REAL(a_means),
                                  read_number(ARG(a_grand))};
    const packed_centered right = {read_doubles(ARG(b), length), read_doubles(ARG(b_means), n),
                                   read_number(ARG(b_grand))};
    const row_chunks rows = new_row_chunks(n);
    return Rf_ScalarReal(packed_centered_dot(left, right, rows, read_worker(ARG(threads)),
                                             scratch(rows.count)));
}

/* Sum of the products of two vectors, each squared if asked for and then less a centre. */
SEXP repalign_packed_product(SEXP a, SEXP a_square, SEXP a_center, SEXP b, SEXP b_square,
                             SEXP b_center, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(a));
    const packed_values left = {REAL(a), read_flag(ARG(a_square)), read_number(ARG(a_center))};
    const packed_values right = {read_doubles(ARG(b), length), read_flag(ARG(b_square)),
                                 read_number(ARG(b_center))};
    return Rf_ScalarReal(packed_product(left, right, length, read_worker(ARG(threads)),
                                        scratch(chunk_count(length))));
}

static void write_extent(const double *values, size_t length, double *out)
{
    const value_extent extent = find_extent(values, length);
    out[0] = extent.low;
    out[1] = extent.high;
    out[2] = extent.lacking;
    out[3] = extent.sum;
}

/* The smallest and the largest value, how many lack, and the sum: see value_extent. Of the columns
   of a matrix, a column each. */
SEXP repalign_value_extent(SEXP values)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(values));
    const size_t count = Rf_isMatrix(values) ? matrix_columns(values) : 1;
    SEXP result = PROTECT(Rf_isMatrix(values) ? new_matrix(4, count) : new_doubles(4));
    for (size_t k = 0; k < count; k++)
        write_extent(REAL(values) + k * (length / count), length / count, REAL(result) + 4 * k);
    UNPROTECT(1);
    return result;
}

/* The number of stimuli of a "dist" object of doubles that has as many values and labels as it
   should, and no other class; 0 of all else. */
static double plain_rdm_size(SEXP rdm, int *named)
{
    SEXP class = Rf_getAttrib(rdm, R_ClassSymbol), size = Rf_getAttrib(rdm, Rf_install("Size"));
    if (TYPEOF(rdm) != REALSXP || Rf_length(class) != 1 || !Rf_inherits(rdm, "dist")) return 0.0;
    if (!Rf_isNumeric(size) || XLENGTH(size) != 1) return 0.0;
    const double n = Rf_asReal(size);
    const double labels = Rf_length(Rf_getAttrib(rdm, Rf_install("Labels")));
    *named = labels > 0.0;
    const int fits = n > 1.0 && (double) XLENGTH(rdm) == n * (n - 1.0) / 2.0;
    return fits && (labels == 0.0 || labels == n) ? n : 0.0;
}

/* list(extent, n) of a list: the extents of plain "dist" objects without infinite values, a column
   each, which are NA for all other elements; and how many stimuli all of them have, or 0 where they
   differ, some lack pairs or are named, or there are others. */
SEXP repalign_plain_rdms(SEXP list)
{
    begin_entry(__func__);
    const size_t count = count_elements(ARG(list));
    const char *names[] = {"extent", "n", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *out = put_matrix(result, 0, 4, count), *common = put_doubles(result, 1, 1);
    for (size_t k = 0; k < count; k++, out += 4) {
        SEXP one = VECTOR_ELT(list, (R_xlen_t) k);
        int named = 0;
        double n = plain_rdm_size(one, &named);
        if (n > 0.0) write_extent(REAL(one), (size_t) XLENGTH(one), out);
        if (n == 0.0 || !isfinite(out[0]) || !isfinite(out[1]))
            for (size_t i = 0; i < 4; i++) out[i] = NA_REAL;
        if (named || out[2] != 0.0) n = 0.0;
        *common = k == 0 || n == *common ? n : 0.0;
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_packed_sum(SEXP a, SEXP square, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(a));
    const packed_values values = {REAL(a), read_flag(ARG(square)), 0.0};
    return Rf_ScalarReal(packed_sum(values, length, read_worker(ARG(threads)),
                                    scratch(chunk_count(length))));
}

/* Sum of squares of a fa - b fb. */
SEXP repalign_packed_difference_squares(SEXP a, SEXP fa, SEXP b, SEXP fb, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(a));
    const double *right = read_doubles(ARG(b), length);
    return Rf_ScalarReal(packed_difference_squares(REAL(a), read_number(ARG(fa)), right,
                                                   read_number(ARG(fb)), length,
                                                   read_worker(ARG(threads)),
                                                   scratch(chunk_count(length))));
}

/* Sum of exp(-(v factor)^2) or exp(-v factor): see packed_decay(). */
SEXP repalign_packed_decay(SEXP v, SEXP factor, SEXP squared, SEXP shifted, SEXP threads)
{
    begin_entry(__func__);
    const size_t length = count_doubles(ARG(v));
    const decay how = {read_number(ARG(factor)), read_flag(ARG(squared)), read_flag(ARG(shifted))};
    return Rf_ScalarReal(packed_decay(REAL(v), how, length, read_worker(ARG(threads)),
                                      scratch(chunk_count(length))));
}
