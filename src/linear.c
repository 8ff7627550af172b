/* Sums over all neuron pairs for linear kernels: see linear.h. */

#include "linear.h"

#include <string.h>

#include "blas.h"
#include "loops.h"

/* A buffer is about 256 KB, or 256 rows: those of both sides stay in cache while BLAS reads
   them. */
#define CHUNK_ENTRIES 32768

/* Adds a centred block (rows x columns) to the sums. */
static inline void add_sums(const double *block, size_t rows, size_t columns, linear_sums sums)
{
    double *k = sums.k;
    for (size_t j = 0; j < columns; j++) {
        const double *phi = block + j * rows;
        double s = 0.0, f = 0.0;
        SUM_AT_ONCE(s, f)
        for (size_t i = 0; i < rows; i++) {
            const double square = phi[i] * phi[i];
            s += square;
            f += square * square;
            k[i] += square;
        }
        sums.s[j] += s;
        sums.f[j] += f;
    }
}

size_t chunk_rows(size_t n, size_t d)
{
    size_t rows = CHUNK_ENTRIES / (d > 0 ? d : 1);
    if (rows < 256) rows = 256;
    return rows < n ? rows : n;
}

static size_t at_most(size_t rest, size_t chunk) { return rest < chunk ? rest : chunk; }

static void clear(double *a, size_t length) { memset(a, 0, length * sizeof(double)); }

static void clear_sums(linear_sums sums, size_t n, size_t d)
{
    clear(sums.s, d);
    clear(sums.f, d);
    clear(sums.k, n);
}

void linear_cross(const centered_view *x, const centered_view *y, size_t rows, double *x_rows,
                  double *y_rows, pause_function pause, double *c)
{
    clear(c, x->d * y->d);
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = at_most(x->n - i, rows);
        load_rows(x, i, now, x_rows);
        load_rows(y, i, now, y_rows);
        blas_gemm('T', 'N', x->d, y->d, now, 1.0, x_rows, now, y_rows, now, 1.0, c, x->d);
        pause();
    }
}

void linear_self(const centered_view *x, size_t rows, double *x_rows, pause_function pause,
                 double *c, linear_sums sums)
{
    clear(c, x->d * x->d);
    clear_sums(sums, x->n, x->d);
    for (size_t i = 0; i < x->n; i += rows) {
        const size_t now = at_most(x->n - i, rows);
        load_rows(x, i, now, x_rows);
        add_sums(x_rows, now, x->d, (linear_sums) {sums.s, sums.f, sums.k + i});
        blas_syrk_upper('T', x->d, now, x_rows, now, 1.0, c, x->d);
        pause();
    }
}

void linear_gram(const centered_view *x, size_t columns, double *x_columns, pause_function pause,
                 double *gram, linear_sums sums)
{
    if (gram) clear(gram, x->n * x->n);
    clear_sums(sums, x->n, x->d);
    for (size_t j = 0; j < x->d; j += columns) {
        const size_t now = at_most(x->d - j, columns);
        load_columns(x, j, now, x_columns);
        add_sums(x_columns, x->n, now, (linear_sums) {sums.s + j, sums.f + j, sums.k});
        if (gram) blas_syrk_upper('N', x->n, now, x_columns, x->n, 1.0, gram, x->n);
        pause();
    }
}

double gram_form(const double *gram, const centered_view *y, size_t columns, double *y_columns,
                 double *product, pause_function pause)
{
    double total = 0.0;
    for (size_t j = 0; j < y->d; j += columns) {
        const size_t now = at_most(y->d - j, columns);
        load_columns(y, j, now, y_columns);
        blas_symm_left(y->n, now, gram, y->n, y_columns, y->n, product, y->n);
        total += dot_blocked(y_columns, product, y->n * now);
        pause();
    }
    return total;
}

void paired_moments(const centered_view *x, const centered_view *y, const int *ix, const int *iy,
                    size_t pairs, double *c, double *dd)
{
    for (size_t p = 0; p < pairs; p++) {
        const size_t a = (size_t) ix[p] - 1, b = (size_t) iy[p] - 1;
        const double *xa = x->x + a * x->n, *yb = y->x + b * y->n;
        double first = 0.0, second = 0.0;
        for (size_t i = 0; i < x->n; i++) {
            double product = (xa[i] - x->mean[a]) * x->inverse_scale *
                             ((yb[i] - y->mean[b]) * y->inverse_scale);
            first += product;
            second += product * product;
        }
        c[p] = first;
        dd[p] = second;
    }
}
