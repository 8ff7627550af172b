/* The nearest of one row's candidates, and their ties: see nearest.h. */

#include "nearest.h"

#include <math.h>

#include "loops.h"

/* The orders stand in the sorting itself: a call for every comparison would take longer than the
   rest of it. */
ALWAYS_INLINE int value_after(candidate a, candidate b)
{
    return a.value > b.value || (a.value == b.value && a.rank > b.rank);
}

ALWAYS_INLINE int rank_after(candidate a, candidate b) { return a.rank > b.rank; }

typedef int (*order)(candidate, candidate);

/* Hoare's selection. Pivots are drawn by a generator of their own, since distances often come in
   some order (of stimuli along a line, say) for which any fixed place would be a bad choice. */
double nth_smallest(double *values, size_t count, size_t rank, pause_function pause)
{
    size_t from = 0, to = count, drawn = 1;
    while (to - from > 1) {
        drawn = (drawn * 1103515245 + 12345) % 2147483648u;
        const double pivot = values[from + drawn / 64 % (to - from)];
        size_t low = from, high = to;
        for (;;) {
            while (values[low] < pivot) low++;
            while (pivot < values[high - 1]) high--;
            if (low >= high) break;
            const double moved = values[low];
            values[low++] = values[--high];
            values[high] = moved;
            if (low >= high) break;
        }
        /* what is before `high` is at most the pivot, what is from `low` on at least */
        if (rank < high) to = high;
        else if (rank >= low) from = low;
        else break;
        if (pause) pause();
    }
    return values[rank];
}

/* The smallest of each of many groups of values tell nearly as much as all values, and are found
   without a branch. */
double limit_of_nearest(const double *values, size_t count, size_t wanted, double *lowest)
{
    const size_t enough = 16 * ((2 * wanted + 15) / 16);
    const size_t groups = enough > count / 2 ? count : enough;
    if (groups < wanted) return INFINITY;
    for (size_t g = 0; g < groups; g++) lowest[g] = INFINITY;
    for (size_t start = 0; start < count; start += groups) {
        const double *from = values + start;
        const size_t length = least(count - start, groups);
        AT_ONCE
        for (size_t j = 0; j < length; j++) lowest[j] = from[j] < lowest[j] ? from[j] : lowest[j];
    }
    return nth_smallest(lowest, groups, wanted - 1, NULL);
}

size_t keep_nearest(candidate *c, size_t count, size_t wanted, size_t most, double *values,
                    double *limit)
{
    size_t below = 0, kept = 0;
    for (size_t r = 0; r < count; r++) values[r] = c[r].value;
    *limit = nth_smallest(values, count, wanted - 1, NULL);
    for (size_t r = 0; r < count; r++) below += c[r].value < *limit;
    size_t equal = most - below;
    for (size_t r = 0; r < count; r++) {
        if (c[r].value > *limit || (c[r].value == *limit && equal == 0)) continue;
        equal -= c[r].value == *limit;
        c[kept++] = c[r];
    }
    return kept;
}

ALWAYS_INLINE void sift(candidate *c, size_t hole, size_t count, order after)
{
    const candidate moved = c[hole];
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= count) break;
        if (child + 1 < count && after(c[child + 1], c[child])) child++;
        if (!after(c[child], moved)) break;
        c[hole] = c[child];
        hole = child;
    }
    c[hole] = moved;
}

/* No recursion and no memory: this runs in parallel regions. */
ALWAYS_INLINE void sort_by(candidate *c, size_t count, order after)
{
    if (count <= 32) {
        for (size_t i = 1; i < count; i++) {
            const candidate moved = c[i];
            size_t at = i;
            for (; at > 0 && after(c[at - 1], moved); at--) c[at] = c[at - 1];
            c[at] = moved;
        }
        return;
    }
    for (size_t i = count / 2; i-- > 0;) sift(c, i, count, after);
    for (size_t last = count - 1; last > 0; last--) {
        const candidate largest = c[0];
        c[0] = c[last];
        c[last] = largest;
        sift(c, 0, last, after);
    }
}

void sort_candidates(candidate *c, size_t count) { sort_by(c, count, value_after); }

double tie_gap(tie_rule rule, double value)
{
    if (rule.floor == 0.0) return rule.least;
    const double rounding = rule.root * sqrt(value) + rule.floor;
    return rounding > rule.least ? rounding : rule.least;
}

/* Equal values are tied also where the tolerance is zero (a row of zeros). */
static int tied(const candidate *c, tie_rule rule)
{
    const double gap = c[1].value - c[0].value;
    return gap < tie_gap(rule, c[1].value) || gap == 0.0;
}

static size_t one_class(const candidate *c, size_t count, size_t start, tie_rule rule)
{
    size_t end = start + 1;
    while (end < count && tied(c + end - 1, rule)) end++;
    return end;
}

size_t class_end(const candidate *c, size_t count, size_t wanted, tie_rule rule)
{
    return one_class(c, count, wanted - 1, rule);
}

size_t order_ties(candidate *c, size_t count, size_t wanted, tie_rule rule, const int *priority,
                  int *joined)
{
    size_t end = 0;
    for (size_t start = 0; start < count && start < wanted; start = end) {
        end = one_class(c, count, start, rule);
        for (size_t r = start; r < end && r < wanted; r++) joined[r] = r + 1 < end;
        if (!priority || end - start == 1) continue;
        for (size_t r = start; r < end; r++) c[r].rank = priority[c[r].id];
        sort_by(c + start, end - start, rank_after);
    }
    return end;
}
