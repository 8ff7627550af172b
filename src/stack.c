/* Sums over the rows of two representations, side by side: see stack.h. */

#include "stack.h"

#include <string.h>

#include "wide.h"

INLINE_BODY void add_squares_body(const double *column, size_t n, double *squares)
{
    AT_ONCE
    for (size_t i = 0; i < n; i++) squares[i] += column[i] * column[i];
}

static void plain_add_squares(const double *column, size_t n, double *squares)
{
    add_squares_body(column, n, squares);
}

static WIDE void wide_add_squares(const double *column, size_t n, double *squares)
{
    add_squares_body(column, n, squares);
}

void stack_rows(const centered_view *v, double *out, double *squares)
{
    const int wide = wide_vectors();
    memset(squares, 0, v->n * sizeof(double));
    for (size_t j = 0; j < v->d; j++) {
        double *column = out + j * v->n;
        load_columns(v, j, 1, column);
        (wide ? wide_add_squares : plain_add_squares)(column, v->n, squares);
    }
}

INLINE_BODY void powers_body(const double *a, const double *b, size_t n, double *sums)
{
    double both = 0.0, first = 0.0, second = 0.0;
    SUM_AT_ONCE(both, first, second)
    for (size_t i = 0; i < n; i++) {
        const double product = a[i] * b[i];
        both += product * product;
        first += product * a[i];
        second += product * b[i];
    }
    sums[0] = both;
    sums[1] = first;
    sums[2] = second;
}

static void plain_powers(const double *a, const double *b, size_t n, double *sums)
{
    powers_body(a, b, n, sums);
}

static WIDE void wide_powers(const double *a, const double *b, size_t n, double *sums)
{
    powers_body(a, b, n, sums);
}

void column_powers(const double *z, size_t n, const int *ia, const int *ib, size_t pairs,
                   double *sums)
{
    const int wide = wide_vectors();
    for (size_t p = 0; p < pairs; p++) {
        const double *a = z + ((size_t) ia[p] - 1) * n, *b = z + ((size_t) ib[p] - 1) * n;
        (wide ? wide_powers : plain_powers)(a, b, n, sums + 3 * p);
    }
}
