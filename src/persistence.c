#include "persistence.h"

#include <math.h>

#define PARTNER_APEX (-1)
#define PARTNER_NONE (-2)

/* Rows of edges between two pauses. */
#define PAUSE_ROWS 16

static size_t edge_number(size_t j, size_t k)
{
    return j > k ? j * (j - 1) / 2 + k : k * (k - 1) / 2 + j;
}

/* j > k of an edge's number. */
static void edge_ends(size_t edge, size_t *j, size_t *k)
{
    size_t row = (size_t) ((1.0 + sqrt(1.0 + 8.0 * (double) edge)) / 2.0);
    while (row * (row - 1) / 2 > edge) row--;
    while ((row + 1) * row / 2 <= edge) row++;
    *j = row;
    *k = edge - row * (row - 1) / 2;
}

static size_t packed_place(size_t n, size_t i, size_t j)
{
    return j * n - j * (j + 1) / 2 + i - j - 1;
}

void fill_square(const double *packed, size_t n, double *square)
{
    fill_smaller(packed, packed, n, square);
}

void fill_smaller(const double *left, const double *right, size_t n, double *square)
{
    for (size_t j = 0; j < n; j++) {
        square[j + j * n] = 0.0;
        for (size_t i = j + 1; i < n; i++) {
            const size_t p = packed_place(n, i, j);
            square[i + j * n] = square[j + i * n] = left[p] < right[p] ? left[p] : right[p];
        }
    }
}

/* ---- apparent pairs ---- */

/* First place from `from` on where neither a nor b is above the limit, or n. */
static size_t first_within(const double *a, const double *b, size_t from, size_t n, double limit)
{
    size_t i = from;
    for (; i + 8 <= n; i += 8) {
        int any = 0;
        for (size_t l = i; l < i + 8; l++) any |= (a[l] <= limit) & (b[l] <= limit);
        if (any) break;
    }
    while (i < n && !(a[i] <= limit && b[i] <= limit)) i++;
    return i;
}

/* c_jk */
static double apex_value(const cone_complex *c, size_t j, size_t k)
{
    const double *a = c->first + j * c->n, *b = c->first + k * c->n;
    double least = a[k];
    for (size_t i = 0; i < c->n; i++) {
        const double larger = a[i] > b[i] ? a[i] : b[i];
        least = larger < least ? larger : least;
    }
    const double value = c->both[j + k * c->n];
    return least > value ? least : value;
}

/* An edge's earliest triangle, when the edge is the latest one of it: w-j-k if born with
   j-k, else the first l with j-l and k-l before j-k. */
static int apparent_partner(const cone_complex *c, size_t j, size_t k, double radius)
{
    const size_t n = c->n;
    const double value = c->both[j + k * n];
    const double *a = c->first + j * n, *b = c->first + k * n;
    if (value >= radius || a[k] <= value) return PARTNER_APEX;
    if (first_within(a, b, 0, n, value) < n) return PARTNER_APEX;
    const size_t edge = edge_number(j, k);
    a = c->both + j * n;
    b = c->both + k * n;
    for (size_t l = first_within(a, b, 0, n, value); l < n;
         l = first_within(a, b, l + 1, n, value)) {
        if (l == j || l == k) continue;
        if (a[l] == value && edge_number(j, l) > edge) continue;
        if (b[l] == value && edge_number(k, l) > edge) continue;
        return (int) l;
    }
    return PARTNER_NONE;
}

/* From this time on some upper point is next to all, and everything is contractible. */
static double enclosing_radius(const double *a, size_t n)
{
    double radius = HUGE_VAL;
    for (size_t j = 0; j < n; j++) {
        double largest = 0.0;
        for (size_t i = 0; i < n; i++) largest = a[i + j * n] > largest ? a[i + j * n] : largest;
        radius = largest < radius ? largest : radius;
    }
    return radius;
}

size_t find_apparent_pairs(const cone_complex *c, int threads, pause_function pause)
{
    const double radius = enclosing_radius(c->first, c->n);
    (void) threads; /* unused without OpenMP */
    for (size_t j0 = 1; j0 < c->n; j0 += PAUSE_ROWS) {
        const size_t j1 = j0 + PAUSE_ROWS < c->n ? j0 + PAUSE_ROWS : c->n;
        pause();
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(threads)
#endif
        for (size_t j = j0; j < j1; j++)
            for (size_t k = 0; k < j; k++)
                c->partner[edge_number(j, k)] = apparent_partner(c, j, k, radius);
    }
    size_t bars = 0;
    const size_t edges = c->n * (c->n - 1) / 2;
    for (size_t e = 0; e < edges; e++) bars += c->partner[e] == PARTNER_NONE;
    return bars;
}

/* ---- a heap of faces, earliest on top ---- */

static int before(face a, face b)
{
    return a.value < b.value || (a.value == b.value && a.key < b.key);
}

static void sift_up(face *heap, size_t at)
{
    const face moved = heap[at];
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (!before(moved, heap[parent])) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = moved;
}

static void sift_down(face *heap, size_t size)
{
    if (size == 0) return;
    const face moved = heap[0];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= size) break;
        if (child + 1 < size && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], moved)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* ---- reduction of coboundaries, latest edge first ---- */

typedef struct {
    const cone_complex *c;
    bar_scratch s;
    size_t slots;
    face *heap;   /* triangles of the coboundary at hand; pairs cancel */
    size_t size, room;
    size_t *chain; /* edges of the reduced cochains, one after the other, the one at hand last */
    size_t length, chain_room;
    face pivot;   /* the earliest triangle of the coboundary at hand */
    double limit; /* no pivot can come later */
} reduction;

static void push(reduction *r, face f)
{
    if (r->size == r->room) {
        const size_t room = 2 * r->room + 1024;
        r->heap = r->s.resize(r->heap, r->room * sizeof(face), room * sizeof(face));
        r->room = room;
    }
    r->heap[r->size] = f;
    sift_up(r->heap, r->size++);
}

static face pop(reduction *r)
{
    const face top = r->heap[0];
    r->heap[0] = r->heap[--r->size];
    sift_down(r->heap, r->size);
    return top;
}

static void extend_chain(reduction *r, size_t edge)
{
    if (r->length == r->chain_room) {
        const size_t room = 2 * r->chain_room + 1024;
        r->chain = r->s.resize(r->chain, r->chain_room * sizeof(size_t), room * sizeof(size_t));
        r->chain_room = room;
    }
    r->chain[r->length++] = edge;
}

/* Triangles before the pivot are known to cancel, and those after the limit never count. */
static void push_triangle(reduction *r, double value, size_t edge, size_t vertex)
{
    const face f = {value, (uint64_t) edge * (r->c->n + 1) + vertex};
    if (!before(f, r->pivot)) push(r, f);
}

static int later_edge(double value, size_t edge, double than_value, size_t than_edge)
{
    return value > than_value || (value == than_value && edge > than_edge);
}

/* Adds an edge to the cochain and its coboundary to the heap. */
static void add_edge(reduction *r, size_t edge)
{
    const cone_complex *c = r->c;
    size_t j, k;
    edge_ends(edge, &j, &k);
    const double value = c->both[j + k * c->n], apex = apex_value(c, j, k);
    const double *a = c->both + j * c->n, *b = c->both + k * c->n;
    extend_chain(r, edge);
    if (apex <= r->limit) push_triangle(r, apex, edge, 0);
    for (size_t l = 0; l < c->n; l++) {
        if (a[l] > r->limit || b[l] > r->limit || l == j || l == k) continue;
        double latest = value;
        size_t latest_edge = edge, opposite = l;
        if (later_edge(a[l], edge_number(j, l), latest, latest_edge)) {
            latest = a[l];
            latest_edge = edge_number(j, l);
            opposite = k;
        }
        if (later_edge(b[l], edge_number(k, l), latest, latest_edge)) {
            latest = b[l];
            latest_edge = edge_number(k, l);
            opposite = j;
        }
        push_triangle(r, latest, latest_edge, opposite + 1);
    }
}

/* The earliest triangle that is there an odd number of times; it stays on the heap. */
static face find_pivot(reduction *r)
{
    for (;;) {
        const face top = pop(r);
        int odd = 1;
        while (r->size > 0 && r->heap[0].key == top.key) {
            pop(r);
            odd = !odd;
        }
        if (!odd) continue;
        push(r, top);
        return top;
    }
}

/* The edge whose coboundary starts with this triangle, if they are an apparent pair. */
static int apparent_edge(const cone_complex *c, face f, size_t *edge)
{
    const size_t vertex = (size_t) (f.key % (c->n + 1));
    *edge = (size_t) (f.key / (c->n + 1));
    const int partner = c->partner[*edge];
    if (vertex == 0) return partner == PARTNER_APEX;
    return partner >= 0 && (size_t) partner + 1 == vertex;
}

size_t owner_slots(size_t bars)
{
    size_t slots = 16;
    while (slots < 2 * bars + 2) slots *= 2;
    return slots;
}

/* Where the column with this pivot is kept, or the empty slot for it; 0 marks empty ones. */
static size_t owner_slot(const reduction *r, uint64_t key)
{
    size_t slot = (size_t) ((key + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (r->slots - 1);
    while (r->s.owner_key[slot] != 0 && r->s.owner_key[slot] != key + 1)
        slot = (slot + 1) & (r->slots - 1);
    return slot;
}

/* Edges that were added twice leave the cochain from `first` on. */
static void tidy_chain(reduction *r, size_t first)
{
    r->size = 0;
    for (size_t i = first; i < r->length; i++) {
        const face f = {0.0, r->chain[i]};
        push(r, f);
    }
    r->length = first;
    while (r->size > 0) {
        const face top = pop(r);
        if (r->size > 0 && r->heap[0].key == top.key) pop(r);
        else r->chain[r->length++] = (size_t) top.key;
    }
}

/* Reduces the coboundary of the edge; its pivot is the triangle that ends the class. The
   edge itself is not added again, so its apex triangle stays: no pivot is later. */
static void reduce_column(reduction *r, size_t column, size_t edge, pause_function pause)
{
    size_t j, k, added;
    edge_ends(edge, &j, &k);
    r->s.start[column] = r->length;
    r->limit = apex_value(r->c, j, k);
    r->size = 0;
    r->pivot = (face) {-1.0, 0};
    add_edge(r, edge);
    for (;;) {
        pause();
        r->pivot = find_pivot(r);
        if (apparent_edge(r->c, r->pivot, &added)) {
            add_edge(r, added);
            continue;
        }
        const size_t slot = owner_slot(r, r->pivot.key);
        if (r->s.owner_key[slot] == 0) {
            r->s.owner_key[slot] = r->pivot.key + 1;
            r->s.owner[slot] = column;
            break;
        }
        const size_t other = r->s.owner[slot];
        for (size_t i = r->s.start[other]; i < r->s.start[other + 1]; i++)
            add_edge(r, r->chain[i]);
    }
    tidy_chain(r, r->s.start[column]);
    r->s.start[column + 1] = r->length;
}

/* Edges without a partner, latest first. */
static void critical_edges(reduction *r)
{
    const cone_complex *c = r->c;
    for (size_t j = 1; j < c->n; j++)
        for (size_t k = 0; k < j; k++) {
            const face f = {c->both[j + k * c->n], edge_number(j, k)};
            if (c->partner[f.key] == PARTNER_NONE) push(r, f);
        }
    while (r->size > 0) {
        const size_t last = r->size - 1;
        r->s.edges[last] = pop(r);
    }
}

void cross_bars(const cone_complex *c, size_t bars, bar_scratch scratch, pause_function pause,
                double *birth, double *death)
{
    reduction r = {c, scratch, owner_slots(bars), NULL, 0, 0, NULL, 0, 0, {0.0, 0}, 0.0};
    critical_edges(&r);
    r.s.start[0] = 0;
    for (size_t b = 0; b < bars; b++) {
        reduce_column(&r, b, (size_t) r.s.edges[b].key, pause);
        birth[b] = r.s.edges[b].value;
        death[b] = r.pivot.value;
    }
}
