/* Products of RDMs with weights of stimuli: see draw_grams.h.

   Whitened: a draw has w_i copies of stimulus i, each with the precision l_i of its own noise. Let
   A' be the dissimilarities among all copies, with 0 between copies of one stimulus, o_i = w_i l_i,
   s = sum o, p_i(a) = sum_j o_j a_ij and t(a) = sum_i o_i p_i(a). With M as in R/rdm-compare.R

       tr(M A' M B') = sum_ij o_i o_j a_ij b_ij - (2/s) sum_i o_i p_i(a) p_i(b) + t(a) t(b)/s^2.

   Pairs of copies lack: the inverse covariance of the others is had by subtracting v(a)' S^-1 v(b),
   with an unknown for each stimulus that has copies. There v_i = f_i c_i, with f_i =
   l_i^2 w_i (w_i - 1) and c_i(a) = t(a)/s^2 - 2 p_i(a)/s, and S = diag(f_i d_i) + f f'/s^2, where
   d_i = 1 - 2 l_i (w_i - 1)/s. At most one d_i is not positive: that of the largest l_i (w_i - 1).
   This stimulus, r, is taken apart, so that nothing is divided by d_r. With e_i = f_i/d_i of the
   others, B = sum e_i c_i, h = s^2 + sum e_i and g = d_r/f_r,

       v(a)' S^-1 v(b) = sum e_i c_i(a) c_i(b)
                         + [h c_r(a) c_r(b) - B(a) c_r(b) - c_r(a) B(b) - g B(a) B(b)]/(1 + h g). */

#include "draw_grams.h"

#include <math.h>
#include <string.h>

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

/* Takes what pairs of copies would add out of sums. p holds p_i on entry and c_i on return. */
static void without_copies(rdm_rows r, const double *w, const double *precision, double s,
                           const double *total, double *p, double *other, double *sums)
{
    size_t apart = r.n;
    double largest = 0.0;
    for (size_t i = 0; i < r.n; i++)
        if (w[i] > 1.0 && precision[i] * (w[i] - 1.0) > largest) {
            largest = precision[i] * (w[i] - 1.0);
            apart = i;
        }
    if (apart == r.n) return;
    double h = s * s, g = 0.0;
    pair_batch batch = {.used = 0};
    memset(other, 0, r.count * sizeof(double));
    for (size_t i = 0; i < r.n; i++) {
        if (w[i] < 2.0) continue;
        const double d = 1.0 - 2.0 * precision[i] * (w[i] - 1.0) / s;
        const double f = precision[i] * precision[i] * w[i] * (w[i] - 1.0);
        double *c = p + i * r.count;
        for (size_t k = 0; k < r.count; k++) c[k] = total[k] / (s * s) - 2.0 * c[k] / s;
        if (i == apart) {
            g = d / f;
            continue;
        }
        h += f / d;
        add_row(&batch, c, -f / d, r.count, sums);
        add_scaled(other, c, f / d, r.count);
    }
    add_batch(&batch, r.count, sums);
    const double *c = p + apart * r.count, share = 1.0 / (1.0 + h * g);
    add_outer(sums, c, c, -h * share, r.count);
    add_outer(sums, c, other, 2.0 * share, r.count);
    add_outer(sums, other, other, g * share, r.count);
}

static void whitened_gram(rdm_rows r, const double *w, const double *precision, double *scratch,
                          double *sums)
{
    double *o = scratch, *p = o + r.n, *total = p + r.n * r.count, *other = total + r.count;
    double s = 0.0;
    for (size_t i = 0; i < r.n; i++) s += o[i] = w[i] * precision[i];
    pair_products(r, o, p, sums);
    for (size_t k = 0; k < r.count * r.count; k++) sums[k] *= 2.0;
    pair_batch batch = {.used = 0};
    memset(total, 0, r.count * sizeof(double));
    for (size_t i = 0; i < r.n; i++) {
        if (o[i] == 0.0) continue;
        add_row(&batch, p + i * r.count, -2.0 * o[i] / s, r.count, sums);
        add_scaled(total, p + i * r.count, o[i], r.count);
    }
    add_batch(&batch, r.count, sums);
    add_outer(sums, total, total, 1.0 / (s * s), r.count);
    without_copies(r, w, precision, s, total, p, other, sums);
    for (size_t k = 0; k < r.count * r.count; k++) sums[k] *= 0.25;
}

static void mirror(double *sums, size_t count)
{
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < c; i++) sums[i * count + c] = sums[c * count + i];
}

size_t draw_gram_scratch(rdm_rows rdms)
{
    return rdms.n + rdms.count * (rdms.n + 2);
}

void draw_grams(rdm_rows rdms, const double *w, size_t draws, const double *precision,
                double *scratch, double *result, worker by)
{
    const size_t each = rdms.count * rdms.count;
    const size_t at_once = items_at_once(
        PAUSE_PRODUCTS, (double) rdms.length * (double) each / 2.0, by.threads);
    for (size_t first = 0; first < draws; first += at_once) {
        const size_t last = group_end(first, at_once, draws);
        PARALLEL_FOR(by.threads)
        for (size_t t = first; t < last; t++) {
            double *own = scratch + thread_number() * draw_gram_scratch(rdms);
            double *sums = result + t * each;
            if (precision) whitened_gram(rdms, w + t * rdms.n, precision, own, sums);
            else pair_products(rdms, w + t * rdms.n, NULL, sums);
            mirror(sums, rdms.count);
        }
        by.pause();
    }
}
