/* The cone over D_t: see cone_complex.h. */

#include <math.h>
#include <string.h>

#include "cone_complex.h"
#include "entry.h"

/* Comparisons between two pauses, at most. */
#define PAUSE_WORK 4e8

edge edge_of(size_t number)
{
    size_t j = (size_t) ((1.0 + sqrt(1.0 + 8.0 * (double) number)) / 2.0);
    while (j * (j - 1) / 2 > number) j--;
    while ((j + 1) * j / 2 <= number) j++;
    const edge e = {(int) j, (int) (number - j * (j - 1) / 2)};
    return e;
}

/* The square matrix of the smaller of two distances of each pair. */
static void fill_smaller(const double *left, const double *right, size_t n, double *square)
{
    for (size_t j = 0; j < n; j++) {
        square[j + j * n] = 0.0;
        for (size_t i = j + 1; i < n; i++) {
            const size_t p = j * n - j * (j + 1) / 2 + i - j - 1;
            square[i + j * n] = square[j + i * n] = left[p] < right[p] ? left[p] : right[p];
        }
    }
}

/* The first index from `from` on at which neither a nor b is above the limit, or n. */
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

/* After every so many points it is checked whether c_jk can still be above B_jk. */
#define APEX_STRIDE 64

/* c_jk; both are at most the radius, and A_jk is above B_jk. Four minima, of every fourth point
   each: a comparison need not wait for the one before. */
static double apex_value(const double *a, const double *b, size_t n, double start, double value)
{
    double least[4] = {start, start, start, start};
    size_t i = 0;
    while (i + 4 <= n) {
        const size_t stop = i + APEX_STRIDE < n ? i + APEX_STRIDE : n;
        for (; i + 4 <= stop; i += 4) {
            for (size_t l = 0; l < 4; l++) {
                const double larger = a[i + l] > b[i + l] ? a[i + l] : b[i + l];
                least[l] = larger < least[l] ? larger : least[l];
            }
        }
        for (size_t l = 1; l < 4; l++) least[0] = least[l] < least[0] ? least[l] : least[0];
        if (least[0] <= value) return value;
    }
    for (; i < n; i++) {
        const double larger = a[i] > b[i] ? a[i] : b[i];
        least[0] = larger < least[0] ? larger : least[0];
    }
    return least[0] > value ? least[0] : value;
}

/* An edge's earliest triangle, when the edge is the latest one of it: w-j-k if born with
   j-k, else with the first l such that j-l and k-l come before j-k. */
static int apparent_partner(const cone_complex *c, size_t j, size_t k, size_t number)
{
    const size_t n = c->n;
    const double value = c->both[j + k * n];
    const double *a = c->both + j * n, *b = c->both + k * n;
    if (c->apex[number] <= value) return PARTNER_APEX;
    for (size_t l = first_within(a, b, 0, n, value); l < n;
         l = first_within(a, b, l + 1, n, value)) {
        if (l == j || l == k) continue;
        if (a[l] == value && edge_number(j, l) > number) continue;
        if (b[l] == value && edge_number(k, l) > number) continue;
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

static int earlier_apex(const cone_complex *c, edge a, edge b)
{
    const size_t left = edge_number((size_t) a.j, (size_t) a.k);
    const size_t right = edge_number((size_t) b.j, (size_t) b.k);
    return c->apex[left] < c->apex[right] || (c->apex[left] == c->apex[right] && left <= right);
}

static void sort_by_apex(const cone_complex *c, edge *scratch, pause_function pause)
{
    const size_t edges = c->n * (c->n - 1) / 2;
    edge *from = c->by_apex, *into = scratch;
    for (size_t j = 1, e = 0; j < c->n; j++)
        for (size_t k = 0; k < j; k++, e++) from[e] = (edge) {(int) j, (int) k};
    for (size_t run = 1; run < edges; run *= 2) {
        for (size_t low = 0; low < edges; low += 2 * run) {
            /* from[low .. middle - 1] and from[middle .. high - 1] into the same positions */
            const size_t middle = least(low + run, edges), high = least(middle + run, edges);
            size_t a = low, b = middle;
            for (size_t i = low; i < high; i++) {
                const int left = b == high || (a < middle && earlier_apex(c, from[a], from[b]));
                into[i] = left ? from[a++] : from[b++];
            }
        }
        edge *swap = from;
        from = into;
        into = swap;
        pause();
    }
    if (from != c->by_apex) memcpy(c->by_apex, from, edges * sizeof(edge));
}

cone_complex new_cone_complex(const double *first, const double *second, size_t n, worker by,
                              size_t *bars)
{
    const size_t edges = n * (n - 1) / 2;
    double *a = scratch(n * n), *b = scratch(n * n);
    fill_smaller(first, first, n, a);
    fill_smaller(first, second, n, b);
    const cone_complex c = {n, a, b, scratch(edges), int_scratch(edges),
                            zeroed_bytes(edges * sizeof(edge))};
    const double radius = enclosing_radius(a, n);
    const size_t at_once = items_at_once(PAUSE_WORK, 2.0 * (double) n * (double) n, by.threads);
    for (size_t from = 1; from < n; from += at_once) {
        const size_t until = group_end(from, at_once, n);
        PARALLEL_PIECES(by.threads, 4)
        for (size_t j = from; j < until; j++)
            for (size_t k = 0; k < j; k++) {
                const size_t number = edge_number(j, k);
                const double value = b[j + k * n], start = a[j + k * n];
                const int is_value = value >= radius || start <= value;
                c.apex[number] =
                    is_value ? value : apex_value(a + j * n, a + k * n, n, start, value);
                c.partner[number] = apparent_partner(&c, j, k, number);
            }
        by.pause();
    }
    sort_by_apex(&c, zeroed_bytes(edges * sizeof(edge)), by.pause);
    *bars = 0;
    for (size_t e = 0; e < edges; e++) *bars += c.partner[e] == PARTNER_NONE;
    return c;
}
