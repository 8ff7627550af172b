/* Products of RDMs with weights of stimuli. */

#include <math.h>
#include <string.h>

#include "entry.h"

/* RDMs as rows, pairs of stimuli as columns: values is count x length, the k-th pair has the
   zero-based stimuli first[k] and second[k] of n. cluster: of each stimulus, zero-based. */
typedef struct {
    const double *values;
    size_t count, length, n, clusters;
    const int *first, *second, *cluster;
} rdm_rows;

/* Sums of products between two pauses. */
#define PAUSE_PRODUCTS 67108864.0

/* Pairs that are added at a time, so that sums are read and written less often. */
#define PAIRS_AT_ONCE 8

typedef struct {
    const double *row[PAIRS_AT_ONCE];
    double weight[PAIRS_AT_ONCE];
    size_t used;
} pair_batch;

/* sums (upper triangle, count x count) += weight * row row' for all rows of the batch. */
static void add_batch(pair_batch *b, size_t count, double *sums)
{
    if (!b->used) return;
    for (size_t k = b->used; k < PAIRS_AT_ONCE; k++) {
        b->row[k] = b->row[0];
        b->weight[k] = 0.0;
    }
    const double *const *z = b->row;
    for (size_t c = 0; c < count; c++) {
        double u[PAIRS_AT_ONCE];
        for (size_t k = 0; k < PAIRS_AT_ONCE; k++) u[k] = b->weight[k] * z[k][c];
        double *column = sums + c * count;
        OPENMP(simd)
        for (size_t i = 0; i <= c; i++)
            column[i] += ((u[0] * z[0][i] + u[1] * z[1][i]) + (u[2] * z[2][i] + u[3] * z[3][i])) +
                         ((u[4] * z[4][i] + u[5] * z[5][i]) + (u[6] * z[6][i] + u[7] * z[7][i]));
    }
    b->used = 0;
}

static void add_row(pair_batch *b, const double *row, double weight, size_t count, double *sums)
{
    b->row[b->used] = row;
    b->weight[b->used] = weight;
    if (++b->used == PAIRS_AT_ONCE) add_batch(b, count, sums);
}

static void add_scaled(double *to, const double *from, double weight, size_t count)
{
    OPENMP(simd)
    for (size_t i = 0; i < count; i++) to[i] += weight * from[i];
}

/* sums = sum of weights o_i o_j times products; row_sums (count x n), if not NULL: p_i. */
static void pair_products(rdm_rows r, const double *o, double *row_sums, double *sums)
{
    pair_batch batch = {.used = 0};
    memset(sums, 0, r.count * r.count * sizeof(double));
    if (row_sums) memset(row_sums, 0, r.count * r.n * sizeof(double));
    for (size_t k = 0; k < r.length; k++) {
        const size_t i = (size_t) r.first[k], j = (size_t) r.second[k];
        if (o[i] == 0.0 || o[j] == 0.0) continue;
        const double *row = r.values + k * r.count;
        add_row(&batch, row, o[i] * o[j], r.count, sums);
        if (!row_sums) continue;
        add_scaled(row_sums + i * r.count, row, o[j], r.count);
        add_scaled(row_sums + j * r.count, row, o[i], r.count);
    }
    add_batch(&batch, r.count, sums);
}

/* sums += weight * (a b' + b a')/2, upper triangle. */
static void add_outer(double *sums, const double *a, const double *b, double weight, size_t count)
{
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i <= c; i++)
            sums[c * count + i] += weight * 0.5 * (a[i] * b[c] + b[i] * a[c]);
}

/* P_c and E_c of all clusters: sums (count x clusters) and shares. rows: p_i. */
static void cluster_sums(rdm_rows r, const double *o, const double *precision, const double *rows,
                         double *scratch, double *sums, double *shares)
{
    double s = 0.0, *within = scratch;
    memset(within, 0, r.clusters * sizeof(double));
    memset(shares, 0, r.clusters * sizeof(double));
    memset(sums, 0, r.count * r.clusters * sizeof(double));
    for (size_t i = 0; i < r.n; i++) {
        s += o[i];
        within[r.cluster[i]] += o[i];
    }
    for (size_t i = 0; i < r.n; i++) {
        if (o[i] == 0.0) continue;
        const size_t c = (size_t) r.cluster[i];
        const double share = o[i] / (s - within[c] + 2.0 * precision[i]);
        shares[c] += share;
        add_scaled(sums + c * r.count, rows + i * r.count, share, r.count);
    }
}

static void whitened_gram(rdm_rows r, const double *w, const double *precision, double *scratch,
                          double *sums)
{
    double *o = scratch, *p = o + r.n, *clusters = p + r.n * r.count;
    double *shares = clusters + r.clusters * r.count, *within = shares + r.clusters;
    double *others = within + r.clusters;
    for (size_t i = 0; i < r.n; i++) o[i] = w[i] * precision[i];
    pair_products(r, o, p, sums);
    cluster_sums(r, o, precision, p, within, clusters, shares);
    double s = 0.0;
    for (size_t c = 0; c < r.clusters; c++) s += within[c];
    pair_batch batch = {.used = 0};
    for (size_t i = 0; i < r.n; i++) {
        const double d = s - within[r.cluster[i]] + 2.0 * precision[i];
        if (o[i] != 0.0) add_row(&batch, p + i * r.count, -o[i] / d, r.count, sums);
    }
    size_t apart = 0;
    for (size_t c = 1; c < r.clusters; c++)
        if (shares[c] > shares[apart]) apart = c;
    double x = 0.0;
    memset(others, 0, r.count * sizeof(double));
    for (size_t c = 0; c < r.clusters; c++) {
        if (c == apart || shares[c] == 0.0) continue;
        const double *of_cluster = clusters + c * r.count;
        x += shares[c] / (1.0 - shares[c]);
        add_row(&batch, of_cluster, -1.0 / (1.0 - shares[c]), r.count, sums);
        add_scaled(others, of_cluster, 1.0 / (1.0 - shares[c]), r.count);
    }
    add_batch(&batch, r.count, sums);
    const double g = 1.0 - shares[apart], share = 1.0 / (1.0 + g * x);
    const double *last = clusters + apart * r.count;
    add_outer(sums, last, others, 2.0 * share, r.count);
    add_outer(sums, last, last, -x * share, r.count);
    add_outer(sums, others, others, g * share, r.count);
    for (size_t k = 0; k < r.count * r.count; k++) sums[k] *= 0.5;
}

/* values: an RDM a row, a pair a column; first, second: one-based stimuli of the pairs; w: a weight
   vector a column; clusters: one-based. A matrix of the products of all RDMs, in which a pair
   counts as the product of its weights, as a vector, for each column of w. precision: NULL, or the
   inverse noise variances of the stimuli, for products in the whitened metric. Then all pairs of
   stimuli of different clusters must be there, and weights are whole numbers, the same for the
   stimuli of a cluster: copies of it, which are no pairs with each other. */
SEXP repalign_draw_grams(SEXP values, SEXP first, SEXP second, SEXP clusters, SEXP w,
                         SEXP precision, SEXP threads)
{
    const double *rows = read_matrix(ARG(values));
    const double *weights = read_matrix(ARG(w));
    const size_t n = matrix_rows(w), draws = matrix_columns(w), count = matrix_rows(values);
    const size_t length = matrix_columns(values), each = count * count;
    const rdm_rows rdms = {rows, count, length, n, n, read_from_zero(ARG(first), length, n),
                           read_from_zero(ARG(second), length, n),
                           read_from_zero(ARG(clusters), n, n)};
    const double *inverse = Rf_isNull(precision) ? NULL : read_doubles(ARG(precision), n);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(each, draws));
    const size_t room = n + count * (n + rdms.clusters + 1) + 2 * rdms.clusters;
    double *out = REAL(result), *own = scratch((size_t) by.threads * room);
    const size_t at_once =
        items_at_once(PAUSE_PRODUCTS, (double) length * (double) each / 2.0, by.threads);
    for (size_t start = 0; start < draws; start += at_once) {
        const size_t end = group_end(start, at_once, draws);
        PARALLEL_FOR(by.threads)
        for (size_t t = start; t < end; t++) {
            double *mine = own + thread_number() * room, *sums = out + t * each;
            if (inverse) whitened_gram(rdms, weights + t * n, inverse, mine, sums);
            else pair_products(rdms, weights + t * n, NULL, sums);
            mirror_upper(sums, count);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
