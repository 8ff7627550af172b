/* Sums over the edges that two graphs have in common: see edge_null.h. */

#include "edge_null.h"

#include <string.h>

#include "tied_overlap.h"

size_t common_columns(common_mode mode) { return mode == COMMON_PRODUCTS ? 4 : 1; }

/* Edges, or pairs of them, between two pauses: 0.02 s, or 0.2 s where nothing is in cache. */
#define PAUSE_WORK ((size_t) 1 << 23)

static void add_work(work_counter *counter, size_t work)
{
    counter->work += work;
    if (counter->work < PAUSE_WORK) return;
    counter->work = 0;
    counter->pause();
}

static size_t difference(int from, int to, size_t n)
{
    return (size_t) (to >= from ? to - from : to - from + (int) n);
}

/* How many edges of a vertex are not sure. */
static int tied_edges(const edge_list *g, size_t u)
{
    return g->sure ? g->start[u + 1] - g->start[u] - g->sure[u] : 0;
}

void bucket_edges(const edge_list *y, const int *label, bucketed_edges *out)
{
    const size_t n = y->n;
    memset(out->bucket, 0, (n + 1) * sizeof(int));
    for (size_t p = 0; p < n; p++) {
        out->degree[label[p]] = y->start[p + 1] - y->start[p];
        out->tied[label[p]] = tied_edges(y, p);
        for (int e = y->start[p]; e < y->start[p + 1]; e++)
            out->bucket[difference(label[p], label[y->target[e]], n) + 1]++;
    }
    for (size_t d = 0; d < n; d++) out->bucket[d + 1] += out->bucket[d];
    for (size_t p = 0; p < n; p++)
        for (int e = y->start[p]; e < y->start[p + 1]; e++) {
            const int at = out->bucket[difference(label[p], label[y->target[e]], n)]++;
            out->label[at] = label[p];
            out->rank[at] = y->rank[e];
            out->weight[at] = y->weight[e];
        }
    /* every bucket now starts where the next one should */
    memmove(out->bucket + 1, out->bucket, n * sizeof(int));
    out->bucket[0] = 0;
}

/* What the common edges of one anchor amount to. tied_x, tied_y: of its edges, not only the common
   ones. */
typedef struct {
    double first, second, third;
    int count, degree_x, degree_y, tied_x, tied_y, k;
} anchor_sums;

static open_places places_of(int k, int degree, int tied)
{
    return (open_places){(size_t) tied, (size_t) (k - (degree - tied))};
}

static double mean_jaccard_of(const anchor_sums *a, double *odds)
{
    const size_t in_y = (size_t) a->first, in_x = (size_t) a->second, both = (size_t) a->third;
    const common_kinds common = {(size_t) a->count - in_y - in_x - both, in_y, in_x, both};
    return mean_jaccard((size_t) a->k, common, places_of(a->k, a->degree_x, a->tied_x),
                        places_of(a->k, a->degree_y, a->tied_y), odds);
}

static double rank_term(int r, int s)
{
    const int gap = r > s ? r - s : s - r;
    return 2.0 / ((1.0 + (double) gap) * (double) (r + s));
}

static double harmonic(int count)
{
    double total = 0.0;
    for (int q = count; q >= 1; q--) total += 1.0 / (double) q;
    return total;
}

static void add_anchor(common_mode mode, const anchor_sums *a, double *odds, double *out,
                       size_t stride)
{
    switch (mode) {
    case COMMON_WEIGHTS: *out += a->first; break;
    case COMMON_MEAN_JACCARD: *out += mean_jaccard_of(a, odds); break;
    case COMMON_COUNT: *out += (double) a->count; break;
    case COMMON_JACCARD:
        *out += (double) a->count / (double) (a->degree_x + a->degree_y - a->count);
        break;
    case COMMON_RANKS: *out += a->first / harmonic(a->count); break;
    case COMMON_ANY: *out += 1.0; break;
    case COMMON_PRODUCTS:
        out[0] += a->first;
        out[stride] += a->second * a->third;
        out[2 * stride] += a->second;
        out[3 * stride] += a->third;
        break;
    case COMMON_MODES: break; /* the number of modes is none; so the compiler can name what lacks */
    }
}

/* Which of the sums of an anchor counts a common edge, by its ranks: none (3) if it is sure. */
static size_t tie_kind(int rank_x, int rank_y)
{
    return rank_x == 1 ? (rank_y == 1 ? 3 : 0) : (rank_y == 1 ? 1 : 2);
}

/* Adds the pairs of the edge e of x with each edge of y in a bucket, by shift: those with which it
   falls together once y is relabelled. */
static size_t add_matches(const edge_list *x, int e, int label, const bucketed_edges *y,
                          size_t bucket, common_mode mode, double *value, int *count,
                          int *touched, size_t n_touched)
{
    const size_t n = x->n;
    for (int f = y->bucket[bucket]; f < y->bucket[bucket + 1]; f++) {
        const size_t t = difference(label, y->label[f], n);
        if (count[t]++ == 0) touched[n_touched++] = (int) t;
        if (mode == COMMON_RANKS) {
            value[t] += rank_term(x->rank[e], y->rank[f]);
        } else if (mode == COMMON_PRODUCTS) {
            value[t] += x->weight[e] * y->weight[f];
            value[n + t] += x->weight[e];
            value[2 * n + t] += y->weight[f];
        } else if (mode == COMMON_MEAN_JACCARD) {
            const size_t kind = tie_kind(x->rank[e], y->rank[f]);
            if (kind < 3) value[kind * n + t] += 1.0;
        }
    }
    return n_touched;
}

/* How many edges are common needs no anchors: every pair of edges counts for its shift. count: by
   shifts from -n to n - 1; t and t - n are the same shift. */
static void count_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y,
                         int *count, work_counter *counter, double *out)
{
    const size_t n = x->n;
    memset(count, 0, 2 * n * sizeof(int));
    for (size_t u = 0; u < n; u++) {
        const int label = label_x[u];
        int *from_label = count + (n - (size_t) label);
        size_t work = 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const size_t bucket = difference(label, label_x[x->target[e]], n);
            const int first = y->bucket[bucket], last = y->bucket[bucket + 1];
            for (int f = first; f < last; f++) from_label[y->label[f]]++;
            work += 1 + (size_t) (last - first);
        }
        add_work(counter, work);
    }
    for (size_t t = 0; t < n; t++) out[t] = (double) count[t] + (double) count[n + t];
}

/* The same for products of weights. sum: by shifts, as `count` above. */
static void weigh_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y,
                         double *sum, work_counter *counter, double *out)
{
    const size_t n = x->n;
    memset(sum, 0, 2 * n * sizeof(double));
    for (size_t u = 0; u < n; u++) {
        const int label = label_x[u];
        double *from_label = sum + (n - (size_t) label);
        size_t work = 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const size_t bucket = difference(label, label_x[x->target[e]], n);
            const int first = y->bucket[bucket], last = y->bucket[bucket + 1];
            for (int f = first; f < last; f++)
                from_label[y->label[f]] += x->weight[e] * y->weight[f];
            work += 1 + (size_t) (last - first);
        }
        add_work(counter, work);
    }
    for (size_t t = 0; t < n; t++) out[t] = sum[t] + sum[n + t];
}

void graph_shifts(const edge_list *x, const int *label_x, const bucketed_edges *y,
                  common_mode mode, double *value, int *count, int *touched, double *odds,
                  work_counter *counter, double *out)
{
    const size_t n = x->n;
    if (mode == COMMON_COUNT) {
        count_shifts(x, label_x, y, count, counter, out);
        return;
    }
    if (mode == COMMON_WEIGHTS) {
        weigh_shifts(x, label_x, y, value, counter, out);
        return;
    }
    memset(out, 0, n * common_columns(mode) * sizeof(double));
    memset(value, 0, 3 * n * sizeof(double));
    memset(count, 0, n * sizeof(int));
    for (size_t u = 0; u < n; u++) {
        const int label = label_x[u];
        size_t n_touched = 0, work = 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const size_t bucket = difference(label, label_x[x->target[e]], n);
            work += 1 + (size_t) (y->bucket[bucket + 1] - y->bucket[bucket]);
            n_touched = add_matches(x, e, label, y, bucket, mode, value, count, touched,
                                    n_touched);
        }
        for (size_t i = 0; i < n_touched; i++) {
            const size_t t = (size_t) touched[i], image = ((size_t) label + t) % n;
            const anchor_sums a = {value[t], value[n + t], value[2 * n + t], count[t],
                                   x->start[u + 1] - x->start[u], y->degree[image],
                                   tied_edges(x, u), y->tied[image], x->k};
            add_anchor(mode, &a, odds, out + t, n);
            value[t] = value[n + t] = value[2 * n + t] = 0.0;
            count[t] = 0;
        }
        add_work(counter, work);
    }
}

/* Adds one common edge, e of x and f of y. */
static void add_common(const edge_list *x, int e, const edge_list *y, int f, common_mode mode,
                       anchor_sums *a)
{
    double *sums[] = {&a->first, &a->second, &a->third};
    a->count++;
    if (mode == COMMON_RANKS) {
        a->first += rank_term(x->rank[e], y->rank[f]);
    } else if (mode == COMMON_PRODUCTS || mode == COMMON_WEIGHTS) {
        a->first += x->weight[e] * y->weight[f];
        a->second += x->weight[e];
        a->third += y->weight[f];
    } else if (mode == COMMON_MEAN_JACCARD) {
        const size_t kind = tie_kind(x->rank[e], y->rank[f]);
        if (kind < 3) *sums[kind] += 1.0;
    }
}

void graph_permuted(const edge_list *x, const edge_list *y, const int *permutation,
                    common_mode mode, int *mark, double *odds, work_counter *counter, double *out,
                    size_t stride)
{
    for (size_t c = 0; c < common_columns(mode); c++) out[c * stride] = 0.0;
    for (size_t u = 0; u < x->n; u++) {
        const size_t image = (size_t) permutation[u];
        anchor_sums a = {0.0, 0.0, 0.0, 0, x->start[u + 1] - x->start[u],
                         y->start[image + 1] - y->start[image], tied_edges(x, u),
                         tied_edges(y, image), x->k};
        for (int f = y->start[image]; f < y->start[image + 1]; f++) mark[y->target[f]] = f + 1;
        for (int e = x->start[u]; e < x->start[u + 1]; e++) {
            const int f = mark[permutation[x->target[e]]] - 1;
            if (f >= 0) add_common(x, e, y, f, mode, &a);
        }
        for (int f = y->start[image]; f < y->start[image + 1]; f++) mark[y->target[f]] = 0;
        if (a.count > 0) add_anchor(mode, &a, odds, out, stride);
        add_work(counter, (size_t) a.degree_x + 2 * (size_t) a.degree_y + 1);
    }
}
