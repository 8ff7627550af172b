/* Exact nearest neighbours by blocked matrix products: see knn_search.h. */

#include "knn_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "loops.h"

/* Rows of a block that are copied together, so that each lies in one piece. */
#define STRIP 8

/* Beside the k + 1 candidates that are wanted, so many at least are kept for near ties, and so many
   at most. */
#define SPARE_LEAST 4
#define SPARE_MOST 16

/* Squared distances below this share of the squared norms are computed from the rows: three digits
   of the product have cancelled. */
#define CANCELLATION 1e-3

/* Keys that are compared with the limit together, and that are made at once. */
#define KEY_GROUP 32
#define KEY_LANES 8

/* Terms of direct values between two pauses. */
#define PAUSE_TERMS 2e8

/* Columns that are loaded at a time: as many as a product needs to be fast, and more if they stay
   in cache. */
#define COLUMNS_LEAST 256
#define CACHED_DOUBLES 65536

size_t knn_capacity(size_t n, size_t k) { return least(n - 1, k + 1 + SPARE_MOST); }

size_t knn_columns(size_t n, size_t d)
{
    return least(d, most(COLUMNS_LEAST, CACHED_DOUBLES / n));
}

/* Keys, values to select from, and a strip of rows. */
size_t knn_thread_numbers(size_t chunk, size_t capacity)
{
    return (2 + STRIP) * chunk + capacity;
}

size_t knn_thread_candidates(size_t chunk, size_t capacity) { return chunk + capacity + 1; }

/* ---- the candidates of all rows */

typedef struct {
    const knn_space *s;
    const knn_search_scratch *w;
    const double *scale; /* what products of a row are multiplied with */
    size_t kept;         /* candidates that a row keeps at least */
} search_state;

/* What makes keys of the products of a row with rows that have these scales and biases. */
typedef struct {
    double scale, factor;
    const double *scales, *bias;
} key_rule;

ALWAYS_INLINE double key_of(const double *product, key_rule rule, size_t j)
{
    return product[j] * (rule.scale * rule.scales[j]) + rule.factor * rule.bias[j];
}

/* NaN stays NaN, with which every comparison is false. Returns the largest key. Several are
   compared at once, which need not wait for those before. */
static double make_keys(const double *restrict product, key_rule rule, size_t count,
                        double *restrict keys)
{
    double high[KEY_LANES];
    size_t j = 0;
    for (size_t l = 0; l < KEY_LANES; l++) high[l] = -INFINITY;
    for (; j + KEY_LANES <= count; j += KEY_LANES) {
        AT_ONCE
        for (size_t l = 0; l < KEY_LANES; l++) {
            const double key = key_of(product, rule, j + l);
            keys[j + l] = key;
            high[l] = key > high[l] ? key : high[l];
        }
    }
    for (; j < count; j++) {
        keys[j] = key_of(product, rule, j);
        high[0] = keys[j] > high[0] ? keys[j] : high[0];
    }
    for (size_t l = 1; l < KEY_LANES; l++) high[0] = high[l] > high[0] ? high[l] : high[0];
    return high[0];
}

/* The smallest of KEY_GROUP keys, in quarters. */
ALWAYS_INLINE double lowest_key(const double *keys)
{
    const size_t quarter = KEY_GROUP / 4;
    double l0 = INFINITY, l1 = l0, l2 = l0, l3 = l0;
    OPENMP(simd reduction(min : l0, l1, l2, l3))
    for (size_t j = 0; j < quarter; j++) {
        const double a = keys[j], b = keys[j + quarter];
        const double c = keys[j + 2 * quarter], d = keys[j + 3 * quarter];
        l0 = a < l0 ? a : l0;
        l1 = b < l1 ? b : l1;
        l2 = c < l2 ? c : l2;
        l3 = d < l3 ? d : l3;
    }
    l0 = l1 < l0 ? l1 : l0;
    l2 = l3 < l2 ? l3 : l2;
    return l2 < l0 ? l2 : l0;
}

/* Keys of at most `limit`, as candidates; room for one more than there are keys. No branch for each
   key: which ones are near cannot be foreseen. */
static size_t pick_near(const double *keys, size_t count, double limit, size_t j0,
                        candidate *found)
{
    size_t taken = 0;
    for (size_t start = 0; start < count; start += KEY_GROUP) {
        const size_t end = group_end(start, KEY_GROUP, count);
        if (end - start == KEY_GROUP && !(lowest_key(keys + start) <= limit)) continue;
        for (size_t j = start; j < end; j++) {
            const candidate c = {keys[j], (int) (j0 + j), (int) (j0 + j)};
            found[taken] = c;
            taken += keys[j] <= limit;
        }
    }
    return taken;
}

/* Row i is offered `count` rows from j0 on; product: with these. numbers: scratch. */
static void offer_row(search_state q, size_t i, size_t j0, size_t count,
                      const double *product, double *numbers, candidate *found)
{
    const knn_search_scratch *w = q.w;
    double *keys = numbers, *values = numbers + w->chunk, limit = w->limit[i];
    const key_rule rule = {knn_product_factor(q.s) * q.scale[i], q.s->factor[i], q.scale + j0,
                           q.s->bias + j0};
    const double high = make_keys(product, rule, count, keys);
    if (high > w->largest[i]) w->largest[i] = high;
    if (limit == INFINITY) limit = limit_of_nearest(keys, count, q.kept, values);
    size_t taken = pick_near(keys, count, limit, j0, found);
    candidate *list = w->lists + i * w->capacity;
    const size_t held = w->held[i];
    if (held + taken > w->capacity) {
        memcpy(found + taken, list, held * sizeof(candidate));
        taken = keep_nearest(found, taken + held, q.kept, w->capacity, values, &limit);
        memcpy(list, found, taken * sizeof(candidate));
        w->held[i] = taken;
    } else {
        memcpy(list + held, found, taken * sizeof(candidate));
        w->held[i] = held + taken;
    }
    w->limit[i] = limit;
}

/* Adds the inner products of m rows from i0 on with `count` rows from j0 on, of which the first
   `own` are the same rows: of these, only the upper triangle. from: columns of all rows. */
static void add_products(const double *from, size_t n, size_t columns, size_t i0, size_t m,
                         size_t j0, size_t count, size_t own, double beta, double *product)
{
    if (own > 0) blas_syrk_upper('N', own, columns, from + i0, n, beta, product, m);
    if (count > own)
        blas_gemm('N', 'T', m, count - own, columns, 1.0, from + i0, n, from + j0 + own, n, beta,
                  product + own * m, m);
}

/* The rows of a block are offered all columns, in strips: first the block, where the product
   begins with it, then the columns beyond. Then the columns beyond the block are offered its rows.
   Both are items of one loop. */
static void offer_block(search_state q, size_t i0, size_t m, size_t j0, size_t count, size_t own,
                        const double *product, int threads)
{
    const knn_search_scratch *w = q.w;
    const size_t strips = (m + STRIP - 1) / STRIP, beyond = count - own;
    PARALLEL_PIECES(threads, 4)
    for (size_t item = 0; item < strips + beyond; item++) {
        const size_t self = thread_number();
        double *numbers = w->numbers + self * knn_thread_numbers(w->chunk, w->capacity);
        candidate *found = w->found + self * knn_thread_candidates(w->chunk, w->capacity);
        if (item >= strips) {
            const size_t j = own + item - strips;
            offer_row(q, j0 + j, i0, m, product + j * m, numbers, found);
            continue;
        }
        const size_t t0 = item * STRIP, rows = least(STRIP, m - t0);
        double *strip = numbers + 2 * w->chunk + w->capacity;
        for (size_t j = 0; j < beyond; j++)
            for (size_t t = 0; t < rows; t++)
                strip[j + t * beyond] = product[t0 + t + (own + j) * m];
        for (size_t t = 0; t < rows; t++) {
            const size_t i = i0 + t0 + t;
            if (own > 0) offer_row(q, i, i0, m, product + (t0 + t) * m, numbers, found);
            if (beyond > 0) offer_row(q, i, j0 + own, beyond, strip + t * beyond, numbers, found);
        }
    }
}

/* Blocks of rows, the last one first: the columns of a block are its own rows and those after it,
   which are described by then, by the diagonal of their products. */
static void search_pairs(const distance_rows *rows, knn_space *s, search_state q, worker by)
{
    const size_t n = s->n, d = s->d, block = q.w->block, chunk = q.w->chunk;
    const int whole = rows->columns >= d, unit = s->value == KNN_UNIT, *cluster = s->clusters.of;
    double *product = rows->panel;
    if (whole) load_block(rows, 0, 0, d, rows->block);
    by.pause();
    for (size_t b = (n + block - 1) / block; b-- > 0;) {
        const size_t i0 = b * block, m = least(block, n - i0);
        for (size_t j0 = i0; j0 < n; j0 += chunk) {
            const size_t count = least(chunk, n - j0), own = j0 == i0 ? m : 0;
            for (size_t a = 0; a < d; a += rows->columns) {
                const size_t now = least(d - a, rows->columns);
                if (!whole) load_block(rows, 0, a, now, rows->block);
                add_products(rows->block, n, now, i0, m, j0, count, own, a > 0 ? 1.0 : 0.0,
                             product);
                by.pause();
            }
            if (own > 0) mirror_upper(product, m);
            for (size_t t = 0; t < own; t++) {
                /* one over their lengths where the space has rows of unit length */
                const double square = product[t + t * m];
                rows->sizes[i0 + t] = unit ? 1.0 / sqrt(square) : 1.0;
                knn_describe_row(s, i0 + t, unit ? 1.0 : square);
            }
            /* what is no candidate becomes NaN: the diagonal where there are no clusters */
            for (size_t t = 0; !cluster && t < own; t++) product[t + t * m] = NAN;
            if (cluster) {
                PARALLEL_FOR(by.threads)
                for (size_t j = 0; j < count; j++)
                    for (size_t t = 0; t < m; t++)
                        if (cluster[i0 + t] == cluster[j0 + j]) product[t + j * m] = NAN;
            }
            offer_block(q, i0, m, j0, count, own, product, by.threads);
            by.pause();
        }
    }
}

/* ---- settled rows */

/* The largest absolute value of a row, or a bound of it. list: its candidates, which for inner
   products hold the smallest key. */
static double largest_value(const knn_space *s, size_t i, double top, const candidate *list,
                            size_t held)
{
    /* a bound in the middle of the two, for rows of equal length */
    if (s->value != KNN_DOT)
        return knn_value_of_key(s, top + s->offset[i] + 2.0 * s->margin * s->norms[i]);
    double low = list[0].value;
    for (size_t r = 1; r < held; r++)
        if (list[r].value < low) low = list[r].value;
    return fabs(top) > fabs(low) ? fabs(top) : fabs(low);
}

/* Writes row i from its candidates, which are sorted by the bounds of their keys, if neither their
   order nor their values can be hurt by the rounding of the product; returns whether that is so.
   wanted: k + 1, or all there are. */
static int write_certain(const knn_space *s, size_t i, const candidate *list, size_t wanted,
                         double largest, knn_lists out)
{
    /* keys that are further apart than this belong to values that are not tied */
    const double apart = 2.0 * tie_gap(knn_tie_rule(s, largest), largest);
    const double gap = s->value == KNN_EUCLIDEAN ? 2.0 * largest * apart : 2.0 * apart;
    for (size_t r = 0; r + 1 < wanted; r++)
        if (!(list[r + 1].value - list[r].value >
              knn_bound_width(s, i, (size_t) list[r].id) + gap))
            return 0;
    for (size_t r = 0; r < out.k; r++) {
        const size_t j = (size_t) list[r].id;
        const double half = 0.5 * knn_bound_width(s, i, j) - s->slack;
        const double key = list[r].value + s->offset[i] + half;
        if (s->value != KNN_DOT && key <= CANCELLATION * (s->norms[i] + s->norms[j])) return 0;
        out.idx[i + r * out.stride] = list[r].id + 1;
        out.dist[i + r * out.stride] = knn_value_of_key(s, key);
    }
    return 1;
}

static size_t wanted_candidates(const knn_space *s, size_t i, size_t k)
{
    return least(knn_others(s->clusters, s->n, i), k + 1);
}

size_t knn_search(const distance_rows *rows, knn_space *s, knn_search_scratch w, knn_lists out,
                  worker by)
{
    const search_state q = {s, &w, rows->sizes, least(w.capacity, out.k + 1 + SPARE_LEAST)};
    size_t open = 0;
    /* beside what describes rows that are there: their scaling, which others round differently */
    s->margin = (4.0 * (double) s->d + 32.0) * DBL_EPSILON;
    for (size_t i = 0; i < s->n; i++) {
        w.held[i] = 0;
        w.limit[i] = INFINITY;
        w.largest[i] = -INFINITY;
    }
    search_pairs(rows, s, q, by);
    /* A row of which the mean was taken is off by the rounding of that mean, a share of its length;
       by the square of that share, keys are off in whatever way the rows were prepared. */
    double share = 0.0;
    for (size_t i = 0; rows->scale && i < s->n; i++)
        share = fmax(share, fabs(rows->mean[i]) * rows->sizes[i]);
    share *= 2.0 * DBL_EPSILON * sqrt((double) s->d);
    s->slack = 8.0 * share * share;
    for (size_t i = 0; i < s->n; i++) {
        candidate *list = w.lists + i * w.capacity;
        const size_t wanted = wanted_candidates(s, i, out.k);
        w.largest[i] = largest_value(s, i, w.largest[i], list, w.held[i]);
        sort_candidates(list, w.held[i]);
        const int certain = write_certain(s, i, list, wanted, w.largest[i], out);
        w.state[i] = certain ? ROW_SETTLED : ROW_OPEN;
        open += !certain;
    }
    return open;
}

/* ---- open rows */

/* Direct values of all that can be among the first; unsure where some of these may not have been
   kept. */
static void settle_row(const knn_space *s, const knn_search_scratch *w, knn_lists out, size_t i)
{
    const size_t self = thread_number(), wanted = wanted_candidates(s, i, out.k);
    candidate *work = w->found + self * knn_thread_candidates(w->chunk, w->capacity);
    double *uppers = w->numbers + self * knn_thread_numbers(w->chunk, w->capacity);
    int *joined = w->marks + self * (out.k + 1);
    const candidate *list = w->lists + i * w->capacity;
    const size_t held = w->held[i];
    for (size_t r = 0; r < held; r++)
        uppers[r] = list[r].value + knn_bound_width(s, i, (size_t) list[r].id);
    const double cut = nth_smallest(uppers, held, wanted - 1, NULL);
    w->state[i] = ROW_UNSURE;
    if (held < knn_others(s->clusters, s->n, i) && w->limit[i] <= cut) return;
    size_t count = 0;
    for (size_t r = 0; r < held; r++) {
        if (list[r].value > cut) continue;
        work[count] = list[r];
        work[count++].value = knn_direct_value(s, i, (size_t) list[r].id);
    }
    if (count == 0) return;
    sort_candidates(work, count);
    order_ties(work, count, out.k, knn_tie_rule(s, w->largest[i]), NULL, joined);
    w->state[i] = ROW_SETTLED;
    for (size_t r = 0; r < out.k; r++)
        if (joined[r]) w->state[i] = ROW_TIED;
    knn_write_row(s, i, out, i, work, joined);
}

void knn_settle_open(const knn_space *s, knn_search_scratch w, knn_lists out, worker by)
{
    const double terms = (double) w.capacity * (double) s->d;
    const size_t at_once = items_at_once(PAUSE_TERMS, terms, by.threads);
    for (size_t first = 0; first < s->n; first += at_once) {
        const size_t last = group_end(first, at_once, s->n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++)
            if (w.state[i] == ROW_OPEN) settle_row(s, &w, out, i);
        by.pause();
    }
}
