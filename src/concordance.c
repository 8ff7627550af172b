/* Concordant less discordant pairs of values: of two long vectors (Kendall's tau), of one vector
   with many others, and with weights. What is tied on a side counts as 0.

   Values are added in the order of one side, and each is compared with those that came before: how
   much weight do lower levels of the other side have so far? A tree keeps these sums. Its nodes
   have 8 entries, each the weight of the entries before it in the node, so that a sum is one
   number of each layer, and adding a value changes one node of each layer, all of its entries at
   once. Five layers hold 32768 levels. */

#include "concordance.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "entry.h"
#include "loops.h"
#include "radix.h"

/* Values between two pauses, of many vectors and of one. */
#define PAUSE_VALUES 20000000.0
#define PAUSE_LENGTH 1048576

/* So many values before they are compared, their places in the tree are asked for. */
#define FETCH_AHEAD 16

#define NODE 8
#define NODE_BITS 3
#define MOST_LAYERS 11

/* seen: the weight of each level so far. */
typedef struct {
    size_t layers, size;
    int *layer[MOST_LAYERS], *seen;
} weight_tree;

static weight_tree new_tree(int *entries, size_t levels)
{
    weight_tree t = {0, levels, {NULL}, entries};
    size_t last = levels - 1;
    do {
        t.layer[t.layers++] = entries ? entries + t.size : NULL;
        t.size += (last / NODE + 1) * NODE;
        last >>= NODE_BITS;
    } while (last > 0);
    return t;
}

size_t weight_tree_size(size_t levels) { return new_tree(NULL, levels).size; }

/* The weight of all levels below this one. */
ALWAYS_INLINE int weight_below(const weight_tree *t, int level)
{
    int sum = 0;
    for (size_t l = 0; l < t->layers; l++, level >>= NODE_BITS) sum += t->layer[l][level];
    return sum;
}

ALWAYS_INLINE void add_weight(const weight_tree *t, int level, int weight)
{
    t->seen[level] += weight;
    for (size_t l = 0; l < t->layers; l++, level >>= NODE_BITS) {
        const int entry = level % NODE;
        int *node = t->layer[l] + (level - entry);
        AT_ONCE
        for (int j = 0; j < NODE; j++) node[j] += j > entry ? weight : 0;
    }
}

/* place, weight: NULL for values in their order, of weight 1 each. pause: NULL for none. */
ALWAYS_INLINE double tree_excess(const int *place, const int *group, const int *level,
                                 const double *weight, size_t length, size_t levels, int *tree,
                                 pause_function pause)
{
    const weight_tree t = new_tree(tree, levels);
    memset(tree, 0, t.size * sizeof(int));
    int64_t excess = 0, before = 0;
    for (size_t k = 0, end; k < length; k = end) {
        int64_t added = 0;
        for (end = k; end < length && group[end] == group[k]; end++) {
            const int at = place ? place[end] : (int) end, own = weight ? (int) weight[at] : 1;
            if (end + FETCH_AHEAD < length) {
                const int next = level[place ? place[end + FETCH_AHEAD] : (int) end + FETCH_AHEAD];
                FETCH(t.layer[0] + next);
                FETCH(t.seen + next);
            }
            const int64_t below = weight_below(&t, level[at]);
            excess += own * (2 * below + t.seen[level[at]] - before);
            added += own;
        }
        for (size_t i = k; i < end; i++) {
            const int at = place ? place[i] : (int) i;
            add_weight(&t, level[at], weight ? (int) weight[at] : 1);
        }
        before += added;
        if (pause && k / PAUSE_LENGTH < end / PAUSE_LENGTH) pause();
    }
    return (double) excess;
}

double weighted_excess(value_order o, const int *level, const double *weight, size_t length,
                       size_t levels, int *tree)
{
    return tree_excess(o.place, o.group, level, weight, length, levels, tree, NULL);
}

/* The same for values in their order, of weight 1 each; group: of the first vector, never falling.
   The tree is left with what tied_pairs() needs. */
static double column_excess(const int *group, const int *level, size_t length, size_t levels,
                            int *tree, pause_function pause)
{
    return tree_excess(NULL, group, level, NULL, length, levels, tree, pause);
}

/* How many pairs of values have one level. */
static double tied_pairs(const int *tree, size_t levels)
{
    double twice = 0.0;
    for (size_t l = 0; l < levels; l++) twice += (double) tree[l] * (double) (tree[l] - 1);
    return twice / 2.0;
}

/* ---- two long vectors, sorted on several threads */

typedef struct {
    const double *x, *y;
    size_t length;
    sort_cell *cells;
} pair_job;

/* Twice an average rank is a whole number. */
static void pair_chunk(void *job, size_t chunk)
{
    const pair_job *p = job;
    const size_t end = chunk_end(p->length, chunk);
    for (size_t k = chunk * CHUNK_SIZE; k < end; k++)
        p->cells[k] = (sort_cell) (2.0 * p->x[k]) << 32 | (sort_cell) (2.0 * p->y[k]);
}

/* ranks_x, ranks_y: average ranks, perhaps of some of the values that were ranked. Tau-a, or
   without tied pairs tau-b (NaN where all are tied). */
SEXP repalign_kendall(SEXP ranks_x, SEXP ranks_y, SEXP without_ties, SEXP threads)
{
    const size_t length = count_doubles(ARG(ranks_x));
    const double *x = REAL(ranks_x), *y = read_doubles(ARG(ranks_y), length);
    double largest = 1.0;
    for (size_t k = 0; k < length; k++) {
        largest = x[k] > largest ? x[k] : largest;
        largest = y[k] > largest ? y[k] : largest;
    }
    if (length > INT32_MAX || largest > INT32_MAX)
        argument_error("ranks_x", "have fewer than 2^31 values");
    const size_t levels = (size_t) largest;
    sort_cell *cells = (sort_cell *) scratch(length), *other = (sort_cell *) scratch(length);
    size_t *counts = size_scratch(radix_counts(length));
    int *tree = int_scratch(weight_tree_size(levels));
    const int tau_b = read_flag(ARG(without_ties)), bits = digit_bits(length);
    const worker by = read_worker(ARG(threads));
    pair_job pairs = {x, y, length, cells};
    run_chunks(chunk_count(length), by, pair_chunk, &pairs);
    for (int p = 0; (uint64_t) 2 * levels >> p * bits > 0; p++) {
        radix_pass(cells, other, length, 32 + p * bits, counts, by);
        sort_cell *swap = cells;
        cells = other;
        other = swap;
    }
    int *group = (int *) other, *level = group + length;
    double all = 0.5 * (double) length * (double) (length - 1), tied_x = 0.0, run = 0.0;
    for (size_t k = 0; k < length; k++) {
        group[k] = (int) (cells[k] >> 32);
        level[k] = (int) ((cells[k] & LOWER_HALF) / 2) - 1;
        if (level[k] < 0 || (size_t) level[k] >= levels)
            argument_error("ranks_y", "hold average ranks");
        run = k > 0 && group[k] == group[k - 1] ? run + 1.0 : 0.0;
        tied_x += run;
    }
    const double excess = column_excess(group, level, length, levels, tree, by.pause);
    const double untied_x = all - tied_x, untied_y = all - tied_pairs(tree, levels);
    return Rf_ScalarReal(excess / (tau_b ? sqrt(untied_x * untied_y) : all));
}

/* ---- many vectors */

/* group: never falling; columns: levels from 1 to `levels` in its order, a row each. */
SEXP repalign_concordance(SEXP group, SEXP columns, SEXP levels, SEXP threads)
{
    const int *x = read_index(ARG(group), INT_MAX);
    const size_t length = (size_t) XLENGTH(group);
    const size_t highest = read_count(ARG(levels), 1, INT_MAX - 1);
    const int *y = read_index_matrix(ARG(columns), length, highest);
    const size_t count = matrix_columns(columns), size = weight_tree_size(highest + 1);
    const worker by = read_worker(ARG(threads));
    int *trees = int_scratch(size * (size_t) by.threads);
    SEXP result = PROTECT(new_doubles(count));
    double *out = REAL(result);
    const size_t at_once = items_at_once(PAUSE_VALUES, (double) length, by.threads);
    for (size_t first = 0; first < count; first += at_once) {
        const size_t last = group_end(first, at_once, count);
        PARALLEL_FOR(by.threads)
        for (size_t c = first; c < last; c++)
            out[c] = column_excess(x, y + length * c, length, highest + 1,
                                   trees + thread_number() * size, NULL);
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* x: list(first, second, level) of the values of one packed symmetric matrix, never falling, and of
   their rows; y: list(level, levels) of the packed values of the other, and how many levels there
   are. permutations: of its rows, one a column. list(excess, tied): for each the excess, and how
   many pairs of the values that are compared are tied in the other matrix. */
SEXP repalign_permuted_concordance(SEXP x, SEXP y, SEXP permutations, SEXP threads)
{
    SEXP level = read_element(ARG(x), "level"), packed = read_element(ARG(y), "level");
    const size_t n = matrix_rows(permutations), count = matrix_columns(permutations);
    const int *orders = read_permutations(ARG(permutations), n);
    const size_t values = packed_length(n);
    if (values > INT_MAX - 1) argument_error("permutations", "have fewer than 2^31 pairs of rows");
    const size_t length = (size_t) XLENGTH(level);
    const size_t levels = read_count(read_element(ARG(y), "levels"), "levels", 1, values);
    const int *group = read_index(level, "level", INT_MAX);
    const int *first = read_from_zero(read_element(ARG(x), "first"), "first", length, n);
    const int *second = read_from_zero(read_element(ARG(x), "second"), "second", length, n);
    const int *levels_y = read_from_zero(packed, "level", values, levels);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
    double *excess = put_doubles(result, 0, count), *tied = put_doubles(result, 1, count);
    const size_t size = weight_tree_size(levels);
    int *trees = int_scratch(size * (size_t) by.threads);
    int *columns = int_scratch(length * (size_t) by.threads);
    const size_t at_once = items_at_once(PAUSE_VALUES, (double) length, by.threads);
    for (size_t from = 0; from < count; from += at_once) {
        const size_t to = group_end(from, at_once, count);
        PARALLEL_FOR(by.threads)
        for (size_t c = from; c < to; c++) {
            const size_t self = thread_number();
            int *column = columns + self * length, *tree = trees + self * size;
            const int *order = orders + n * c;
            for (size_t k = 0; k < length; k++) {
                const size_t a = (size_t) order[first[k]], b = (size_t) order[second[k]];
                const size_t low = least(a, b), high = most(a, b);
                column[k] = levels_y[low * (2 * n - low - 1) / 2 + high - low - 1];
            }
            excess[c] = column_excess(group, column, length, levels, tree, NULL);
            tied[c] = tied_pairs(tree, levels);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
