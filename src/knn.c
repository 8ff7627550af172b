/* Exact nearest neighbours by blocked matrix products: see knn.h. */

#include "knn.h"

#include <float.h>
#include <math.h>

#include "blas.h"
#include "wide.h"

/* Rows of a block that are compared together, and columns of a block that are. */
#define TILE 8
#define COLUMN_GROUP 64

/* Sorted values nearer than this share of the row's largest value are tied. */
#define TIE_SHARE 1e-12

/* Squared distances below this share of the squared norms lose digits by centring. */
#define NEAR_DUPLICATE 1e-8

/* So many are kept in order by going through all of them. */
#define FEW_WANTED 32

/* Terms of direct values between two pauses. */
#define PAUSE_TERMS 2e8

/* Packed distances between two pauses. */
#define PAUSE_DISTANCES 4e6

/* Rounding units by which a row of d numbers may be off after scaling to unit length: its
   norm is a sum of d terms, whose roundings add up like a random walk. */
#define UNIT_ROUNDING(d) ((8.0 + sqrt((double) (d))) * DBL_EPSILON)

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t knn_capacity(size_t n, size_t k) { return least(n - 1, k + 1 + 16); }

static size_t wanted_of(size_t others, size_t k) { return least(others, k + 1); }

static size_t others_of(knn_clusters c, size_t n, size_t i)
{
    return c.others ? (size_t) c.others[i] : n - 1;
}

/* ---- values and their bounds */

INLINE_BODY double difference_body(const double *a, const double *b, size_t d)
{
    const size_t half = d / 2;
    double s0 = 0.0, s1 = 0.0;
    SUM_AT_ONCE(s0, s1)
    for (size_t i = 0; i < half; i++) {
        const double first = a[i] - b[i], second = a[i + half] - b[i + half];
        s0 += first * first;
        s1 += second * second;
    }
    const double last = d % 2 ? a[d - 1] - b[d - 1] : 0.0;
    return s0 + s1 + last * last;
}

static double plain_difference(const double *a, const double *b, size_t d)
{
    return difference_body(a, b, d);
}

static WIDE double wide_difference(const double *a, const double *b, size_t d)
{
    return difference_body(a, b, d);
}

static double squared_difference(const double *a, const double *b, size_t d)
{
    return (wide_vectors() ? wide_difference : plain_difference)(a, b, d);
}

static double value_of_key(const knn_space *s, double key)
{
    if (s->value == KNN_DOT) return key;
    if (key < 0.0) key = 0.0;
    return s->value == KNN_UNIT ? 0.5 * key : sqrt(key);
}

static double key_of_value(const knn_space *s, double value)
{
    if (s->value == KNN_DOT) return value;
    return s->value == KNN_UNIT ? 2.0 * value : value * value;
}

static double raw_squared_difference(const knn_space *s, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t a = 0; a < s->d; a++) {
        const double *column = s->raw + a * s->n;
        const double difference = (column[i] - column[j]) * s->raw_scale;
        sum += difference * difference;
    }
    return sum;
}

static double direct_value(const knn_space *s, size_t i, size_t j)
{
    const double *a = s->rows + i * s->d, *b = s->rows + j * s->d;
    if (s->value == KNN_DOT) return -dot_blocked(a, b, s->d);
    return value_of_key(s, squared_difference(a, b, s->d));
}

/* The value that is handed out. Centring moves distances by less than the tolerance of ties,
   so the order needs no such care (and could not pay for it: columns are read across). */
static double final_value(const knn_space *s, size_t i, candidate c)
{
    if (!s || !s->raw) return c.value;
    const size_t j = (size_t) c.id;
    if (c.value * c.value > NEAR_DUPLICATE * (s->norms[i] + s->norms[j])) return c.value;
    return sqrt(raw_squared_difference(s, i, j));
}

/* The upper bound lies this much above the lower one. */
static double bound_width(const knn_space *s, size_t i, size_t j)
{
    const double size = s->value == KNN_DOT ? s->factor[i] * s->factor[j]
                                            : s->norms[i] + s->norms[j];
    return 2.0 * s->margin * size;
}

/* What the product is multiplied with, so that adding the biases gives the key. */
static double product_factor(const knn_space *s) { return s->value == KNN_DOT ? -1.0 : -2.0; }

/* s: NULL for distances that are given. largest: of the row. */
static tie_rule tie_rule_of(const knn_space *s, double largest)
{
    tie_rule rule = {TIE_SHARE * largest, 0.0, 0.0};
    if (s && s->value == KNN_UNIT) {
        const double rounding = UNIT_ROUNDING(s->d);
        rule.root = sqrt(2.0) * rounding;
        rule.floor = 0.5 * rounding * rounding;
    }
    return rule;
}

/* An inner product of d terms is exact to d rounding units of the product of the norms,
   whatever the order of its sums; the rest is for norms, sums and the direct value. */
void describe_space(knn_space *s)
{
    s->margin = (2.0 * (double) s->d + 8.0) * DBL_EPSILON;
    for (size_t i = 0; i < s->n; i++) {
        const double *row = s->rows + i * s->d;
        const double square = dot_blocked(row, row, s->d);
        s->norms[i] = square;
        if (s->value == KNN_DOT) {
            s->bias[i] = -s->margin * sqrt(square);
            s->factor[i] = sqrt(square);
            s->offset[i] = 0.0;
        } else {
            s->bias[i] = s->offset[i] = (1.0 - s->margin) * square;
            s->factor[i] = 1.0;
        }
    }
}

/* ---- the search: every pair once */

typedef struct {
    const knn_space *s;
    candidate *heaps;
    size_t capacity;
    double *top; /* largest key per row */
} search_state;

static void offer(search_state q, size_t i, size_t j, double key)
{
    candidate *heap = q.heaps + i * q.capacity;
    const candidate c = {key, (int) j, (int) j};
    if (key < heap->value) heap_replace_top(heap, q.capacity, c);
}

/* What is no candidate becomes NaN, with which every comparison is false: the diagonal where
   there are no clusters. Entry (t, j) of the product is at [t + j m]. */
static void leave_out_pairs(const int *cluster, size_t i0, size_t m, size_t j0, size_t count,
                            double *product, int threads)
{
    if (!cluster) {
        for (size_t t = 0; j0 == i0 && t < m; t++) product[t + t * m] = NAN;
        return;
    }
    PARALLEL_FOR(threads)
    for (size_t j = 0; j < count; j++)
        for (size_t t = 0; t < m; t++)
            if (cluster[i0 + t] == cluster[j0 + j]) product[t + j * m] = NAN;
}

/* `width` rows from i on against `count` rows from j0 on. */
static inline void offer_tile(search_state q, size_t i, size_t width, size_t j0, size_t count,
                              const double *product, size_t m)
{
    double limit[TILE], high[TILE], factor[TILE], key[TILE];
    for (size_t t = 0; t < width; t++) {
        limit[t] = q.heaps[(i + t) * q.capacity].value;
        high[t] = q.top[i + t];
        factor[t] = q.s->factor[i + t];
    }
    for (size_t j = 0; j < count; j++) {
        const double bias = q.s->bias[j0 + j];
        int near = 0;
        for (size_t t = 0; t < width; t++) {
            key[t] = product[t + j * m] + factor[t] * bias;
            high[t] = key[t] > high[t] ? key[t] : high[t];
            near |= key[t] < limit[t];
        }
        if (!near) continue;
        for (size_t t = 0; t < width; t++) {
            offer(q, i + t, j0 + j, key[t]);
            limit[t] = q.heaps[(i + t) * q.capacity].value;
        }
    }
    for (size_t t = 0; t < width; t++) q.top[i + t] = high[t];
}

/* One row j against the rows of a block, whose products lie one after the other. */
static void offer_column(search_state q, size_t j, size_t i0, size_t m, const double *product)
{
    const double *bias = q.s->bias + i0, factor = q.s->factor[j];
    double limit = q.heaps[j * q.capacity].value, h0 = q.top[j], h1 = h0;
    for (size_t t = 0; t < m; t++) {
        const double key = product[t] + factor * bias[t];
        if (t % 2) h1 = key > h1 ? key : h1;
        else h0 = key > h0 ? key : h0;
        if (key < limit) {
            offer(q, j, i0 + t, key);
            limit = q.heaps[j * q.capacity].value;
        }
    }
    q.top[j] = h0 > h1 ? h0 : h1;
}

/* The block's rows get all columns, the columns beyond the block get the block's rows: tiles of
   rows first, then groups of columns, as items of one loop. */
static void offer_block(search_state q, size_t i0, size_t m, size_t j0, size_t count,
                        const double *product, int threads)
{
    const size_t beyond = j0 > i0 ? 0 : m, tiles = (m + TILE - 1) / TILE;
    const size_t groups = (count - beyond + COLUMN_GROUP - 1) / COLUMN_GROUP;
    PARALLEL_PIECES(threads, 1)
    for (size_t item = 0; item < tiles + groups; item++) {
        if (item < tiles) {
            const size_t t = item * TILE;
            if (m - t >= TILE) offer_tile(q, i0 + t, TILE, j0, count, product + t, m);
            else offer_tile(q, i0 + t, m - t, j0, count, product + t, m);
        } else {
            const size_t from = beyond + (item - tiles) * COLUMN_GROUP;
            const size_t to = group_end(from, COLUMN_GROUP, count);
            for (size_t j = from; j < to; j++) offer_column(q, j0 + j, i0, m, product + j * m);
        }
    }
}

/* The products of a block of rows with `count` rows from j0 on, times product_factor(). Those
   within the block are computed once for both rows of a pair; the factor, a power of two, rounds
   nothing. */
static void block_products(const knn_space *s, size_t i0, size_t m, size_t j0, size_t count,
                           double *product)
{
    const size_t d = s->d, own = j0 > i0 ? 0 : m;
    const double *block = s->rows + i0 * d, factor = product_factor(s);
    if (own > 0) {
        blas_syrk_upper('T', own, d, block, d, 0.0, product, m);
        mirror_upper(product, own);
        for (size_t e = 0; e < own * own; e++) product[e] *= factor;
    }
    if (count > own)
        blas_gemm('T', 'N', m, count - own, d, factor, block, d, s->rows + (j0 + own) * d, d, 0.0,
                  product + own * m, m);
}

static void search_pairs(search_state q, const knn_search_scratch *w, worker by)
{
    const size_t n = q.s->n;
    for (size_t i0 = 0; i0 < n; i0 += w->block) {
        const size_t m = least(w->block, n - i0);
        for (size_t j0 = i0; j0 < n; j0 += w->chunk) {
            const size_t count = least(w->chunk, n - j0);
            block_products(q.s, i0, m, j0, count, w->product);
            leave_out_pairs(q.s->clusters.of, i0, m, j0, count, w->product, by.threads);
            by.pause();
            offer_block(q, i0, m, j0, count, w->product, by.threads);
        }
    }
}

/* The `wanted`-th smallest of `held` candidates' values, in any order; the first `wanted` places
   may change. Few are kept in order, one after the other; many are sorted. */
static double ranked_value(candidate *c, size_t held, size_t wanted)
{
    if (wanted > FEW_WANTED) {
        sort_candidates(c, held);
        return c[wanted - 1].value;
    }
    sort_candidates(c, wanted);
    for (size_t r = wanted; r < held; r++) {
        const candidate moved = c[r];
        size_t at = wanted;
        for (; at > 0 && c[at - 1].value > moved.value; at--)
            if (at < wanted) c[at] = c[at - 1];
        if (at < wanted) c[at] = moved;
    }
    return c[wanted - 1].value;
}

/* Direct values of all that can be among the first `wanted`; 0 when some of these may
   have been dropped from the heap. A heap that is not full holds all of a row's candidates. */
static size_t direct_candidates(const knn_space *s, size_t i, const candidate *heap,
                                size_t capacity, size_t wanted, candidate *work)
{
    size_t held = 0;
    for (size_t r = 0; r < capacity; r++) {
        if (heap[r].id < 0) continue;
        work[held] = heap[r];
        work[held++].value += bound_width(s, i, (size_t) heap[r].id);
    }
    const double limit = ranked_value(work, held, wanted);
    if (held < others_of(s->clusters, s->n, i) && heap->value <= limit) return 0;
    size_t count = 0;
    for (size_t r = 0; r < capacity; r++) {
        if (heap[r].id < 0 || heap[r].value > limit) continue;
        work[count] = heap[r];
        work[count++].value = direct_value(s, i, (size_t) heap[r].id);
    }
    sort_candidates(work, count);
    return count;
}

/* s: NULL for distances that are final. */
static void write_row(const knn_space *s, size_t i, knn_lists out, size_t row, const candidate *c,
                      const int *joined)
{
    for (size_t r = 0; r < out.k; r++) {
        out.idx[row + r * out.stride] = c[r].id + 1;
        out.dist[row + r * out.stride] = final_value(s, i, c[r]);
        if (out.joined) out.joined[row + r * out.stride] = joined[r];
    }
}

static double largest_value(const knn_space *s, size_t i, double top, const candidate *heap,
                            size_t capacity)
{
    /* a bound in the middle of the two, for rows of equal length */
    if (s->value != KNN_DOT)
        return value_of_key(s, top + s->offset[i] + 2.0 * s->margin * s->norms[i]);
    double low = heap[0].value;
    for (size_t r = 1; r < capacity; r++)
        if (heap[r].value < low) low = heap[r].value;
    return fabs(top) > fabs(low) ? fabs(top) : fabs(low);
}

static void settle_row(search_state q, const knn_search_scratch *w, knn_lists out, size_t i)
{
    const size_t wanted = wanted_of(others_of(q.s->clusters, q.s->n, i), out.k);
    const candidate *heap = q.heaps + i * q.capacity;
    candidate *work = w->work + thread_number() * q.capacity;
    int *joined = w->marks + thread_number() * (out.k + 1);
    w->largest[i] = largest_value(q.s, i, q.top[i], heap, q.capacity);
    const size_t count = direct_candidates(q.s, i, heap, q.capacity, wanted, work);
    w->state[i] = ROW_UNSURE;
    if (count == 0) return;
    order_ties(work, count, out.k, tie_rule_of(q.s, w->largest[i]), NULL, joined);
    w->state[i] = ROW_SETTLED;
    for (size_t r = 0; r < out.k; r++)
        if (joined[r]) w->state[i] = ROW_TIED;
    write_row(q.s, i, out, i, work, joined);
}

void knn_search(const knn_space *s, knn_search_scratch w, knn_lists out, worker by)
{
    search_state q = {s, w.heaps, knn_capacity(s->n, out.k), w.largest};
    heap_clear(q.heaps, s->n * q.capacity);
    for (size_t i = 0; i < s->n; i++) q.top[i] = -INFINITY;
    search_pairs(q, &w, by);
    const double terms = (double) q.capacity * (double) s->d;
    const size_t at_once = items_at_once(PAUSE_TERMS, terms, by.threads);
    for (size_t first = 0; first < s->n; first += at_once) {
        const size_t last = group_end(first, at_once, s->n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++) settle_row(q, &w, out, i);
        by.pause();
    }
}

/* ---- whole rows */

/* Where the values of a whole row come from: bounds from a product, or distances. */
typedef struct {
    const knn_space *s; /* or NULL */
    size_t i, n, others;
    const double *bounds; /* products, or the row's distances; NaN: no candidate */
} row_source;

static void leave_out_row(knn_clusters c, size_t i, size_t n, double *bounds)
{
    bounds[i] = NAN;
    for (size_t j = 0; c.of && j < n; j++)
        if (c.of[j] == c.of[i]) bounds[j] = NAN;
}

static double lower_bound(const row_source *from, size_t j)
{
    if (!from->s) return from->bounds[j];
    const knn_space *s = from->s;
    return from->bounds[j] + s->factor[from->i] * s->bias[j] + s->offset[from->i];
}

/* An upper bound of the value of rank `wanted`. */
static double rank_bound(const row_source *from, candidate *heap, size_t wanted)
{
    heap_clear(heap, wanted);
    for (size_t j = 0; j < from->n; j++) {
        candidate c = {lower_bound(from, j), (int) j, (int) j};
        if (from->s) c.value += bound_width(from->s, from->i, j);
        if (c.value < heap->value) heap_replace_top(heap, wanted, c);
    }
    return from->s ? value_of_key(from->s, heap->value) : heap->value;
}

/* Everything whose value can be at most `cut`. */
static size_t collect(const row_source *from, double cut, candidate *all)
{
    const double key = from->s ? key_of_value(from->s, cut) : cut;
    size_t count = 0;
    for (size_t j = 0; j < from->n; j++) {
        if (!(lower_bound(from, j) <= key)) continue;
        const candidate c = {from->s ? direct_value(from->s, from->i, j) : from->bounds[j],
                             (int) j, (int) j};
        all[count++] = c;
    }
    sort_candidates(all, count);
    return count;
}

/* What a row with fewer candidates than the lists are long has in the places that are left. */
static void write_rest(size_t written, knn_lists out, size_t row)
{
    for (size_t r = written; r < out.k; r++) {
        out.idx[row + r * out.stride] = 0;
        out.dist[row + r * out.stride] = NAN;
        if (out.joined) out.joined[row + r * out.stride] = 0;
    }
}

/* A class of ties may reach beyond what was collected: then take the whole row. */
static void whole_row(const row_source *from, double largest, const int *priority,
                      candidate *heap, candidate *all, int *joined, knn_lists out, size_t row)
{
    const tie_rule rule = tie_rule_of(from->s, largest);
    const size_t written = least(out.k, from->others);
    write_rest(written, out, row);
    out.k = written;
    const double bound = rank_bound(from, heap, wanted_of(from->others, out.k));
    const double cut = bound + 4.0 * tie_gap(rule, bound);
    size_t count = collect(from, cut, all);
    const size_t end = class_end(all, count, out.k, rule);
    if (count < from->others && all[end - 1].value + tie_gap(rule, cut) > cut)
        count = collect(from, INFINITY, all);
    order_ties(all, count, out.k, rule, priority, joined);
    write_row(from->s, from->i, out, row, all, joined);
}

static void whole_block(const knn_space *s, const int *which, size_t start, size_t m,
                        const double *largest, const int *priority, const knn_rows_scratch *w,
                        knn_lists out, int threads)
{
    PARALLEL_PIECES(threads, 1)
    for (size_t t = 0; t < m; t++) {
        const size_t self = thread_number(), i = (size_t) which[start + t];
        double *bounds = w->product + t * s->n;
        leave_out_row(s->clusters, i, s->n, bounds);
        const row_source from = {s, i, s->n, others_of(s->clusters, s->n, i), bounds};
        whole_row(&from, largest[i], priority, w->heaps + self * (out.k + 1),
                  w->all + self * s->n, w->marks + self * (out.k + 1), out, start + t);
    }
}

void knn_whole_rows(const knn_space *s, const int *which, size_t count, const double *largest,
                    const int *priority, knn_rows_scratch w, knn_lists out, worker by)
{
    const size_t n = s->n, d = s->d;
    for (size_t start = 0; start < count; start += w.block) {
        const size_t m = least(w.block, count - start);
        for (size_t t = 0; t < m; t++) {
            const double *row = s->rows + (size_t) which[start + t] * d;
            for (size_t a = 0; a < d; a++) w.gathered[a + t * d] = row[a];
        }
        blas_gemm('T', 'N', n, m, d, product_factor(s), s->rows, d, w.gathered, d, 0.0, w.product,
                  n);
        by.pause();
        whole_block(s, which, start, m, largest, priority, &w, out, by.threads);
        by.pause();
    }
}

/* Row i of packed distances, NaN where there is no candidate; returns the largest of others. */
static double unpack_row(const double *d, size_t n, size_t i, knn_clusters clusters, double *row)
{
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        const size_t low = i < j ? i : j, high = i < j ? j : i;
        row[j] = i == j ? 0.0 : d[low * n - low * (low + 1) / 2 + high - low - 1];
    }
    leave_out_row(clusters, i, n, row);
    for (size_t j = 0; j < n; j++)
        if (row[j] > largest) largest = row[j];
    return largest;
}

void knn_packed_rows(const double *d, size_t n, knn_clusters clusters, const int *priority,
                     knn_rows_scratch w, knn_lists out, worker by)
{
    const size_t at_once = items_at_once(PAUSE_DISTANCES, (double) n, by.threads);
    for (size_t first = 0; first < n; first += at_once) {
        const size_t last = group_end(first, at_once, n);
        PARALLEL_FOR(by.threads)
        for (size_t i = first; i < last; i++) {
            const size_t self = thread_number();
            double *row = w.product + self * n;
            const double largest = unpack_row(d, n, i, clusters, row);
            const row_source from = {NULL, i, n, others_of(clusters, n, i), row};
            whole_row(&from, largest, priority, w.heaps + self * (out.k + 1), w.all + self * n,
                      w.marks + self * (out.k + 1), out, i);
        }
        by.pause();
    }
}
