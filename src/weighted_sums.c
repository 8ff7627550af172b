/* Sums over stimuli that Song's estimator with weights is made of. */

#include "entry.h"

/* The sums of one vector of weights: see u_sums() in R/compare-pair-weights.R for what they are. */
#define WEIGHTED_SUMS 10

/* Matrices with n rows and a column for each vector of weights: the weights, the products of the
   kernels k and l and of m (k times l, entry by entry) with the weights and with their squares. */
typedef struct {
    const double *w, *k1, *k2, *l1, *l2, *m1, *m2;
} weight_products;

/* Entries between two pauses. */
#define PAUSE_ENTRIES 67108864.0

static void column_sums(weight_products p, size_t start, size_t n, double *sum)
{
    for (size_t s = 0; s < WEIGHTED_SUMS; s++) sum[s] = 0.0;
    for (size_t i = start; i < start + n; i++) {
        const double w = p.w[i], w2 = w * w, w3 = w2 * w, both = w * p.k1[i] * p.l1[i];
        sum[0] += w * p.m1[i];
        sum[1] += w2 * p.m1[i];
        sum[2] += w3 * p.m1[i];
        sum[3] += w2 * p.m2[i];
        sum[4] += both;
        sum[5] += w * both;
        sum[6] += w * p.k2[i] * p.l1[i];
        sum[7] += w * p.k1[i] * p.l2[i];
        sum[8] += w * p.k1[i];
        sum[9] += w * p.l1[i];
    }
}

/* All matrices have the size of w, a vector of weights a column. The sums of a vector are a column
   of the result. */
SEXP repalign_weighted_sums(SEXP w, SEXP k1, SEXP k2, SEXP l1, SEXP l2, SEXP m1, SEXP m2,
                            SEXP threads)
{
    read_matrix(ARG(w));
    const size_t n = matrix_rows(w), columns = matrix_columns(w);
    const weight_products p = {REAL(w), read_matrix_size(ARG(k1), n, columns),
                               read_matrix_size(ARG(k2), n, columns),
                               read_matrix_size(ARG(l1), n, columns),
                               read_matrix_size(ARG(l2), n, columns),
                               read_matrix_size(ARG(m1), n, columns),
                               read_matrix_size(ARG(m2), n, columns)};
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(WEIGHTED_SUMS, columns));
    double *out = REAL(result);
    const size_t at_once = items_at_once(PAUSE_ENTRIES, (double) n, by.threads);
    for (size_t first = 0; first < columns; first += at_once) {
        const size_t last = group_end(first, at_once, columns);
        PARALLEL_FOR(by.threads)
        for (size_t b = first; b < last; b++) column_sums(p, b * n, n, out + b * WEIGHTED_SUMS);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
