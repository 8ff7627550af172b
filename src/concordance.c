/* Concordant less discordant pairs: see concordance.h.

   A tree of partial counts (Fenwick's) says how many of the values that came so far are below a
   level. */

#include "concordance.h"

#include <string.h>

/* Steps in the tree between two pauses, taken as if each value took as many as there are bits. */
#define PAUSE_VALUES 20000000.0

static void add_to(int *tree, size_t levels, int level)
{
    for (size_t at = (size_t) level; at <= levels; at += at & (0 - at)) tree[at]++;
}

static int count_up_to(const int *tree, int level)
{
    int sum = 0;
    for (size_t at = (size_t) level; at > 0; at -= at & (0 - at)) sum += tree[at];
    return sum;
}

static double column_concordance(const int *level, const int *column, size_t length, size_t levels,
                                 int *tree)
{
    double sum = 0.0;
    memset(tree, 0, (levels + 1) * sizeof(int));
    for (size_t from = 0, to; from < length; from = to) {
        for (to = from; to < length && level[to] == level[from]; to++) {
            const int below = count_up_to(tree, column[to] - 1);
            sum += (double) below - ((double) from - (double) count_up_to(tree, column[to]));
        }
        for (size_t at = from; at < to; at++) add_to(tree, levels, column[at]);
    }
    return sum;
}

void concordance(const int *level, const int *columns, size_t length, size_t count, size_t levels,
                 worker by, int *counts, double *out)
{
    const size_t at_once = items_at_once(PAUSE_VALUES, (double) length, by.threads);
    for (size_t first = 0; first < count; first += at_once) {
        const size_t last = group_end(first, at_once, count);
        PARALLEL_FOR(by.threads)
        for (size_t c = first; c < last; c++)
            out[c] = column_concordance(level, columns + length * c, length, levels,
                                        counts + (levels + 1) * thread_number());
        by.pause();
    }
}
