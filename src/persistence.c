/* The cross-barcode of two clouds of n points by reduction of coboundaries: bars of H1 of the
   Vietoris-Rips filtration of the 2n x 2n matrix [[0, A], [A, B]], A the distances of the first
   cloud, B the smaller of both.

   The upper n points are at mutual distance 0: a full simplex Z at all times. At time t a
   simplex of lower points s lies in the complex of B, and it spans simplices with every
   set of upper points that are within t (in A) of all of s. Over each s that has such an
   upper point lies a full simplex of them, so the mixed part may be contracted onto
   D_t = {s in VR_t(B) : some i has A_ij <= t for all j in s}, and Z onto one point w: what
   is left is VR_t(B) with a cone from w over D_t. H1 needs its triangles only:

     w-j      at 0 for all j
     j-k      at B_jk
     w-j-k    at c_jk = max(B_jk, min over i of max(A_ij, A_ik))
     j-k-l    at the largest of its three B

   n + 1 points instead of 2n. The edges w-j span a tree at time 0, so every other edge
   gives birth to one class (nothing to clear), and most of them die at once: the edge and
   a triangle born with it are an apparent pair. Only the others, few, are reduced.

   Where an edge joins two components of VR_t(B), its class is a cut: the cochain that is 1
   on all edges that leave one component. It is kept as the set of that component's points,
   as it is huge as a set of edges; its coboundary has triangles at w only. */

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cone_complex.h"
#include "entry.h"

/* A triangle in the order of the filtration: by value, then by key (its latest edge times
   n + 1, plus 0 for the apex w and l + 1 for an opposite vertex l). Also an edge (key: its
   number) and its value. */
typedef struct {
    double value;
    uint64_t key;
} face;

/* Triangles are made up to a horizon, which starts at this share of the longest possible life of a
   class: one part in so many. */
#define FIRST_HORIZON 128.0

/* The opposite vertex w in a triangle's key; point l is l + 1. */
#define APEX 0

static int before(face a, face b)
{
    return a.value < b.value || (a.value == b.value && a.key < b.key);
}

/* ---- reduction of coboundaries, latest edge first ---- */

/* What the reduction of `bars` bars keeps, by length. */
typedef struct {
    face *column;           /* bars */
    size_t *start;          /* bars + 1 */
    uint64_t *potential;    /* bars x words, all zero */
    uint64_t *owner_key;    /* owner_slots(bars), all zero */
    size_t *owner;          /* owner_slots(bars) */
    unsigned char *in_chain; /* one an edge, all zero */
    unsigned char *side;    /* n */
    face *tree;             /* n */
    int *label;             /* n */
} bar_arrays;

/* The present cochain is 1 on the edges of the chain, plus (mod 2) on those that leave the
   set `side`. The heap holds the triangles j-k-l of its coboundary (pairs cancel), and at
   least those triangles at w that come from the chain: counts() tells whether a triangle
   at w belongs to the coboundary. */
typedef struct {
    const cone_complex *c;
    bar_arrays s;
    size_t slots, words;
    face *heap;
    size_t size, room;
    size_t *chain; /* edges of the reduced cochains, one after the other, the present one last */
    size_t length, chain_room;
    int has_side;
    size_t taken_out; /* see choose_side_or_chain() */
    size_t at;     /* position in by_apex: no earlier edge leaves the set and counts */
    face pivot;    /* the earliest triangle of the present coboundary */
    double birth, limit; /* no pivot can come before or after */
    double horizon; /* how far the heap reaches */
    size_t first;   /* where the present chain starts */
} reduction;

static void *wider(const void *from, size_t used, size_t room, size_t size)
{
    void *to = zeroed_bytes(room * size);
    if (used > 0) memcpy(to, from, used * size);
    return to;
}

static void push(reduction *r, face f)
{
    if (r->size == r->room) {
        r->room = 2 * r->room + 1024;
        r->heap = wider(r->heap, r->size, r->room, sizeof(face));
    }
    face *heap = r->heap;
    size_t at = r->size++;
    while (at > 0) {
        const size_t parent = (at - 1) / 2;
        if (!before(f, heap[parent])) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = f;
}

static face pop(reduction *r)
{
    face *heap = r->heap;
    const size_t size = --r->size;
    const face top = heap[0], moved = heap[size];
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
    return top;
}

static face triangle(const reduction *r, double value, size_t number, size_t vertex)
{
    const face f = {value, (uint64_t) number * (r->c->n + 1) + vertex};
    return f;
}

static int later_edge(double value, size_t number, double than_value, size_t than_number)
{
    return value > than_value || (value == than_value && number > than_number);
}

/* Only triangles up to the horizon are on the heap, and of these none before the pivot,
   which are known to cancel. */
static void push_triangle(reduction *r, double value, size_t number, size_t vertex)
{
    const face f = triangle(r, value, number, vertex);
    if (!before(f, r->pivot)) push(r, f);
}

/* The coboundary of an edge, as far as it lies above a value and within the horizon. */
static void push_coboundary(reduction *r, size_t number, double above)
{
    const cone_complex *c = r->c;
    const edge e = edge_of(number);
    const size_t j = (size_t) e.j, k = (size_t) e.k;
    const double value = c->both[j + k * c->n], apex = c->apex[number], horizon = r->horizon;
    const double *a = c->both + j * c->n, *b = c->both + k * c->n;
    if (apex > above && apex <= horizon) push_triangle(r, apex, number, APEX);
    if (value > horizon) return;
    for (size_t l = 0; l < c->n; l++) {
        if (a[l] > horizon || b[l] > horizon || l == j || l == k) continue;
        double latest = value;
        size_t latest_number = number, opposite = l;
        if (later_edge(a[l], edge_number(j, l), latest, latest_number)) {
            latest = a[l];
            latest_number = edge_number(j, l);
            opposite = k;
        }
        if (later_edge(b[l], edge_number(k, l), latest, latest_number)) {
            latest = b[l];
            latest_number = edge_number(k, l);
            opposite = j;
        }
        if (latest > above) push_triangle(r, latest, latest_number, opposite + 1);
    }
}

static void add_edge(reduction *r, size_t number)
{
    if (r->length == r->chain_room) {
        r->chain_room = 2 * r->chain_room + 1024;
        r->chain = wider(r->chain, r->length, r->chain_room, sizeof(size_t));
    }
    r->chain[r->length++] = number;
    r->s.in_chain[number] ^= 1;
    push_coboundary(r, number, -1.0);
}

/* Adds a kept set of points to `side`. */
static void add_side(reduction *r, const uint64_t *points)
{
    int changed = 0;
    for (size_t v = 0; v < r->c->n; v++) {
        const unsigned char bit = (unsigned char) (points[v / 64] >> (v % 64) & 1);
        r->s.side[v] ^= bit;
        changed |= bit;
    }
    if (!changed) return;
    r->has_side = 0;
    for (size_t v = 0; v < r->c->n; v++) r->has_side |= r->s.side[v];
    /* the first position in by_apex that is not before the pivot */
    size_t low = 0, high = r->c->n * (r->c->n - 1) / 2;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const edge e = r->c->by_apex[middle];
        const size_t number = edge_number((size_t) e.j, (size_t) e.k);
        if (before(triangle(r, r->c->apex[number], number, APEX), r->pivot)) low = middle + 1;
        else high = middle;
    }
    r->at = low;
}

static int counts(const reduction *r, edge e, size_t number)
{
    return r->s.side[e.j] ^ r->s.side[e.k] ^ r->s.in_chain[number];
}

/* The earliest triangle on the heap that counts, which stays there; 0: there is none. */
static int heap_pivot(reduction *r, face *found)
{
    while (r->size > 0) {
        const face top = pop(r);
        int odd = 1;
        while (r->size > 0 && r->heap[0].key == top.key) {
            pop(r);
            odd = !odd;
        }
        if (top.key % (r->c->n + 1) == APEX) {
            const size_t number = (size_t) (top.key / (r->c->n + 1));
            odd = counts(r, edge_of(number), number);
        }
        if (!odd) continue;
        push(r, top);
        *found = top;
        return 1;
    }
    return 0;
}

/* There always is one up to the limit: see reduce_column(). */
static face find_pivot(reduction *r)
{
    const size_t edges = r->c->n * (r->c->n - 1) / 2;
    for (;;) {
        face from_heap = {HUGE_VAL, 0}, from_side = {HUGE_VAL, 0};
        heap_pivot(r, &from_heap);
        /* the earliest triangle at w of an edge that leaves the set */
        for (; r->has_side && r->at < edges; r->at++) {
            const edge e = r->c->by_apex[r->at];
            const size_t number = edge_number((size_t) e.j, (size_t) e.k);
            if (!counts(r, e, number)) continue;
            from_side = triangle(r, r->c->apex[number], number, APEX);
            break;
        }
        const face first = before(from_side, from_heap) ? from_side : from_heap;
        if (first.value <= r->horizon || r->horizon >= r->limit) return first;
        /* Nothing is left within the horizon: twice as far from birth, with the triangles of all
           edges of the chain in between. (An edge that counts is in the list an odd number of
           times.) */
        const double old = r->horizon, farther = r->birth + 2.0 * (old - r->birth);
        r->horizon = farther < r->limit && farther > old ? farther : r->limit;
        for (size_t i = r->first; i < r->length; i++)
            if (r->s.in_chain[r->chain[i]]) push_coboundary(r, r->chain[i], old);
    }
}

/* The edge whose coboundary starts with this triangle, if they are an apparent pair. */
static int apparent_edge(const cone_complex *c, face f, size_t *number)
{
    const size_t vertex = (size_t) (f.key % (c->n + 1));
    *number = (size_t) (f.key / (c->n + 1));
    const int partner = c->partner[*number];
    if (vertex == APEX) return partner == PARTNER_APEX;
    return partner >= 0 && (size_t) partner + 1 == vertex;
}

static size_t owner_slots(size_t bars)
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

/* Keeps the present cochain: edges that were added an even number of times leave it. */
static void keep_cochain(reduction *r, size_t column)
{
    uint64_t *points = r->s.potential + column * r->words;
    memset(points, 0, r->words * sizeof(uint64_t));
    for (size_t v = 0; v < r->c->n; v++) points[v / 64] |= (uint64_t) r->s.side[v] << (v % 64);
    const size_t first = r->s.start[column], last = r->length;
    r->length = first;
    for (size_t i = first; i < last; i++) {
        const size_t number = r->chain[i];
        if (r->s.in_chain[number]) r->chain[r->length++] = number;
        r->s.in_chain[number] = 0;
    }
    r->s.start[column + 1] = r->length;
}

/* An edge that is in the cone from birth leaves the set, so it must be taken out of the
   cochain by adding it. A plain chain of the edges that are born by now has no such
   edges: it is cheaper, unless there are very many of these (SIDE_WORTH was measured: 16 to
   256 do as well). Decided after 1, 2, 4, ... were taken out. */
#define SIDE_WORTH 64
static void choose_side_or_chain(reduction *r)
{
    const cone_complex *c = r->c;
    const unsigned char *side = r->s.side;
    const double now = r->pivot.value;
    if (!r->has_side || r->pivot.key % (c->n + 1) != APEX) return;
    r->taken_out++;
    if ((r->taken_out & (r->taken_out - 1)) != 0) return;
    /* edges that are born by now and leave the set, up to too many */
    size_t born = 0;
    for (size_t j = 1; j < c->n && born <= SIDE_WORTH * r->taken_out; j++) {
        const double *value = c->both + j * c->n;
        int of_point = 0;
        for (size_t k = 0; k < j; k++) {
            const int leaves = side[k] != side[j], is_born = value[k] <= now;
            of_point += leaves & is_born;
        }
        born += (size_t) of_point;
    }
    if (born > SIDE_WORTH * r->taken_out) return;
    /* They join the chain, and the set is forgotten: nothing up to the pivot changes, and later
       edges are free. */
    for (size_t j = 1; j < c->n; j++)
        for (size_t k = 0; k < j; k++)
            if (side[j] != side[k] && c->both[k + j * c->n] <= now) add_edge(r, edge_number(j, k));
    memset(r->s.side, 0, c->n);
    r->has_side = 0;
}

/* Reduces the coboundary of the column's edge; its pivot is the triangle that ends the
   class. All that is added is 0 on the edge itself and on earlier ones, so the edge's
   triangle at w always counts: no pivot is later. Starts from the edge alone, or from the cut that
   potential already holds. */
static void reduce_column(reduction *r, size_t column, pause_function pause)
{
    const face f = r->s.column[column];
    r->s.start[column] = r->first = r->length;
    r->birth = f.value;
    r->limit = r->c->apex[f.key];
    r->horizon = f.value + (r->limit - f.value) / FIRST_HORIZON;
    r->size = 0;
    r->pivot = (face) {f.value, 0};
    r->has_side = 0;
    r->taken_out = 0;
    memset(r->s.side, 0, r->c->n);
    add_side(r, r->s.potential + column * r->words);
    if (!r->has_side) add_edge(r, (size_t) f.key);
    for (;;) {
        size_t added;
        pause();
        r->pivot = find_pivot(r);
        if (apparent_edge(r->c, r->pivot, &added)) {
            choose_side_or_chain(r);
            add_edge(r, added);
            continue;
        }
        const size_t slot = owner_slot(r, r->pivot.key);
        if (r->s.owner_key[slot] == 0) {
            r->s.owner_key[slot] = r->pivot.key + 1;
            r->s.owner[slot] = column;
            break;
        }
        const size_t kept = r->s.owner[slot];
        add_side(r, r->s.potential + kept * r->words);
        for (size_t i = r->s.start[kept]; i < r->s.start[kept + 1]; i++) add_edge(r, r->chain[i]);
    }
    keep_cochain(r, column);
}

/* ---- columns and cuts ---- */

/* Latest first; uses the heap to sort. */
static void sort_falling(reduction *r, face *faces)
{
    while (r->size > 0) {
        const size_t last = r->size - 1;
        faces[last] = pop(r);
    }
}

/* Edges without a partner. */
static void list_columns(reduction *r)
{
    const cone_complex *c = r->c;
    for (size_t j = 1; j < c->n; j++)
        for (size_t k = 0; k < j; k++) {
            const face f = {c->both[j + k * c->n], edge_number(j, k)};
            if (c->partner[f.key] == PARTNER_NONE) push(r, f);
        }
    sort_falling(r, r->s.column);
}

/* The minimum spanning tree of B (Prim), its edges latest first. */
static void list_tree(reduction *r)
{
    const cone_complex *c = r->c;
    face *near = r->s.tree; /* shortest edge from the tree to each point */
    unsigned char *inside = r->s.side;
    memset(inside, 0, c->n);
    for (size_t v = 1; v < c->n; v++) near[v] = (face) {c->both[v], edge_number(v, 0)};
    for (size_t joined = 1; joined < c->n; joined++) {
        size_t next = 0;
        for (size_t v = 1; v < c->n; v++)
            if (!inside[v] && (next == 0 || before(near[v], near[next]))) next = v;
        inside[next] = 1;
        push(r, near[next]);
        for (size_t v = 1; v < c->n; v++) {
            const face f = {c->both[v + next * c->n], v == next ? 0 : edge_number(v, next)};
            if (!inside[v] && before(f, near[v])) near[v] = f;
        }
    }
    sort_falling(r, r->s.tree);
}

/* A column whose edge joins two components of the earlier edges starts from the cut. */
static void fill_cuts(reduction *r, size_t bars)
{
    const size_t n = r->c->n;
    int *label = r->s.label;
    for (size_t v = 0; v < n; v++) label[v] = (int) v;
    size_t column = bars;
    for (size_t i = n - 1; i-- > 0;) {
        const face f = r->s.tree[i];
        const edge e = edge_of((size_t) f.key);
        const int old = label[e.j], kept = label[e.k];
        while (column > 0 && before(r->s.column[column - 1], f)) column--;
        const int starts_here = column > 0 && r->s.column[column - 1].key == f.key;
        for (size_t v = 0; v < n; v++) {
            if (label[v] != old) continue;
            label[v] = kept;
            if (starts_here)
                r->s.potential[(column - 1) * r->words + v / 64] |= UINT64_C(1) << (v % 64);
        }
    }
}

/* first, second: distances of `size` points, as stats::dist() orders them. A matrix with a bar
   (birth, death) a row, latest birth first. */
SEXP repalign_cross_bars(SEXP first, SEXP second, SEXP size, SEXP threads)
{
    const size_t n = read_count(ARG(size), 1, INT_MAX), pairs = packed_length(n);
    const double *a = read_doubles(ARG(first), pairs), *b = read_doubles(ARG(second), pairs);
    const worker by = read_worker(ARG(threads));
    size_t bars;
    const cone_complex c = new_cone_complex(a, b, n, by, &bars);
    const size_t slots = owner_slots(bars), words = (n + 63) / 64;
    const bar_arrays s = {
        .column = zeroed_bytes(bars * sizeof(face)), .start = size_scratch(bars + 1),
        .potential = zeroed_bytes(bars * words * sizeof(uint64_t)),
        .owner_key = zeroed_bytes(slots * sizeof(uint64_t)), .owner = size_scratch(slots),
        .in_chain = zeroed_bytes(pairs), .side = zeroed_bytes(n),
        .tree = zeroed_bytes(n * sizeof(face)), .label = int_scratch(n)};
    reduction r = {.c = &c, .s = s, .slots = slots, .words = words};
    SEXP result = PROTECT(new_matrix(bars, 2));
    list_columns(&r);
    list_tree(&r);
    by.pause();
    fill_cuts(&r, bars);
    for (size_t k = 0; k < bars; k++) {
        reduce_column(&r, k, by.pause);
        REAL(result)[k] = r.s.column[k].value;
        REAL(result)[bars + k] = r.pivot.value;
    }
    UNPROTECT(1);
    return result;
}
