/* Kendall's tau of values with whole weights: see weighted_tau.h.

   Values are added in the order of one side, and each is compared with those that came before: how
   much weight do lower levels of the other side have so far? A tree keeps these sums. Its nodes
   have 8 entries, each the weight of the entries before it in the node, so that a sum is one
   number of each layer, and adding a value changes one node of each layer, all of its entries at
   once. Five layers hold 32768 levels. */

#include "weighted_tau.h"

#include <stdint.h>
#include <string.h>

#include "threads.h"

#define NODE 8
#define NODE_BITS 3
#define MOST_LAYERS 11

typedef struct {
    size_t layers, size;
    int *layer[MOST_LAYERS];
} weight_tree;

/* Sums are also asked for all levels, as of a level after the last. */
static weight_tree new_tree(int *entries, size_t length)
{
    weight_tree t = {0, 0, {NULL}};
    size_t last = length;
    do {
        t.layer[t.layers++] = entries ? entries + t.size : NULL;
        t.size += (last / NODE + 1) * NODE;
        last >>= NODE_BITS;
    } while (last > 0);
    return t;
}

size_t weight_tree_size(size_t length)
{
    return new_tree(NULL, length).size;
}

/* The weight of all levels below this one. */
static int weight_below(const weight_tree *t, int level)
{
    int sum = 0;
    for (size_t l = 0; l < t->layers; l++, level >>= NODE_BITS) sum += t->layer[l][level];
    return sum;
}

static void add_weight(const weight_tree *t, int level, int weight)
{
    for (size_t l = 0; l < t->layers; l++, level >>= NODE_BITS) {
        const int entry = level % NODE;
        int *node = t->layer[l] + (level - entry);
        OPENMP(simd)
        for (int j = 0; j < NODE; j++) node[j] += j > entry ? weight : 0;
    }
}

double weighted_excess(value_order o, const int *levels, const double *weight, size_t length,
                       int *tree)
{
    const weight_tree t = new_tree(tree, length);
    memset(tree, 0, t.size * sizeof(int));
    int64_t excess = 0;
    int before = 0;
    for (size_t k = 0; k < length;) {
        size_t end = k;
        int added = 0;
        do {
            const int place = o.place[end], level = levels[place];
            const int above = before - weight_below(&t, level + 1);
            excess += (int64_t) weight[place] * (weight_below(&t, level) - above);
            added += (int) weight[place];
            end++;
        } while (end < length && o.group[end] == o.group[k]);
        for (; k < end; k++) add_weight(&t, levels[o.place[k]], (int) weight[o.place[k]]);
        before += added;
    }
    return (double) excess;
}
