/* Entry point of the streamed CKA. */

#include "stack.h"

#include <string.h>

#include "entry.h"

/* Rows that are centred and multiplied at a time: as many as there are columns, so that reading and
   writing the sums takes little time beside the products. */
static size_t piece_rows(size_t n, size_t d)
{
    const size_t rows = d < 256 ? 256 : d > 1024 ? 1024 : d;
    return rows < n ? rows : n;
}

/* The upper triangle with the diagonal, column after column. */
static void pack_upper(const double *a, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(out, a + j * n, (j + 1) * sizeof(double));
        out += j + 1;
    }
}

static double *put_zeros(SEXP list, int at, size_t rows, size_t columns)
{
    double *values = put_matrix(list, at, rows, columns);
    memset(values, 0, rows * columns * sizeof(double));
    return values;
}

/* Sums over the rows of x and y side by side, see stacked_sums; `cross` is a vector with the upper
   triangle. ia, ib: numbers of columns, those of y after those of x. */
SEXP repalign_stack_sums(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale,
                         SEXP ia, SEXP ib)
{
    begin_entry(__func__);
    const centered_view vx = read_view(ARG(x), ARG(x_means), ARG(x_scale));
    const centered_view vy = read_view(ARG(y), ARG(y_means), ARG(y_scale));
    if (vx.n != vy.n) argument_error("y", "have as many rows as x");
    const size_t d = vx.d + vy.d, count = (size_t) Rf_xlength(ia);
    const column_pairs pairs = {read_indices(ARG(ia), count, d), read_indices(ARG(ib), count, d),
                                count};
    const char *names[] = {"cross", "by_weight", "weights", "powers", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    const stacked_sums sums = {zeroed_bytes(d * d * sizeof(double)), put_zeros(result, 1, d, 3),
                               put_zeros(result, 2, 3, 3), put_zeros(result, 3, 3, count)};
    const size_t rows = piece_rows(vx.n, d);
    stack_sums(&vx, &vy, pairs, rows, scratch(rows * d), scratch(rows * 3), check_interrupt, sums);
    pack_upper(sums.cross, d, put_doubles(result, 0, d * (d + 1) / 2));
    UNPROTECT(1);
    return result;
}

/* A matrix (2 x 3): squares and inner products of sum_packed(), for xx, xy and yy. cross: a vector
   with the upper triangle; x_columns: how many of the columns are those of x. */
SEXP repalign_sum_packed(SEXP cross, SEXP x_columns, SEXP n, SEXP means)
{
    begin_entry(__func__);
    const size_t columns = count_doubles(ARG(means));
    const double *entries = read_doubles(ARG(cross), columns * (columns + 1) / 2);
    const packed_totals totals = sum_packed(entries, read_count(ARG(x_columns), 1, columns),
                                            columns, read_number(ARG(n)), read_doubles(ARG(means),
                                                                                       columns));
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, 2, 3));
    for (int part = 0; part < 3; part++) {
        REAL(result)[2 * part] = totals.squares[part];
        REAL(result)[2 * part + 1] = totals.inner[part];
    }
    UNPROTECT(1);
    return result;
}
