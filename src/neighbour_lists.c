/* Comparisons of neighbour lists: n rows of k different ids from one, column-major. */

#include <stdlib.h>
#include <string.h>

#include "entry.h"

/* List entries between two pauses. */
#define PAUSE_ENTRIES 16777216

static void pause_after(size_t i, size_t work, pause_function pause)
{
    const size_t rows = work < PAUSE_ENTRIES ? PAUSE_ENTRIES / work : 1;
    if (i % rows == 0) pause();
}

/* Marks each neighbour of row i with its rank from one; `clear` takes the marks away. */
static void set_ranks(const int *list, size_t n, size_t k, size_t i, int *mark)
{
    for (size_t r = 0; r < k; r++) mark[list[i + r * n] - 1] = (int) r + 1;
}

static void clear_ranks(const int *list, size_t n, size_t k, size_t i, int *mark)
{
    for (size_t r = 0; r < k; r++) mark[list[i + r * n] - 1] = 0;
}

/* Per row: how many neighbours both lists have. mark: scratch n. */
static void shared_neighbours(const int *x, const int *y, size_t n, size_t k, int *mark,
                              int *shared, pause_function pause)
{
    memset(mark, 0, n * sizeof(int));
    for (size_t i = 0; i < n; i++) {
        int count = 0;
        set_ranks(x, n, k, i, mark);
        for (size_t r = 0; r < k; r++) count += mark[y[i + r * n] - 1] > 0;
        clear_ranks(x, n, k, i, mark);
        shared[i] = count;
        pause_after(i, k, pause);
    }
}

/* Per row: agreement of the ranks of the shared neighbours, 0 without any. mark: scratch n;
   harmonic: scratch k + 1. */
static void rank_agreement(const int *x, const int *y, size_t n, size_t k, int *mark,
                           double *harmonic, double *agreement, pause_function pause)
{
    memset(mark, 0, n * sizeof(int));
    harmonic[0] = 0.0;
    for (size_t q = 1; q <= k; q++) harmonic[q] = harmonic[q - 1] + 1.0 / (double) q;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        size_t common = 0;
        set_ranks(x, n, k, i, mark);
        for (size_t r = 0; r < k; r++) {
            const int rank_x = mark[y[i + r * n] - 1], rank_y = (int) r + 1;
            if (rank_x == 0) continue;
            common++;
            sum += 2.0 / ((1.0 + abs(rank_x - rank_y)) * ((double) rank_x + rank_y));
        }
        clear_ranks(x, n, k, i, mark);
        agreement[i] = common > 0 ? sum / harmonic[common] : 0.0;
        pause_after(i, k, pause);
    }
}

/* from[start[i]] .. from[start[i + 1] - 1]: the rows that have i as a neighbour. */
static void reverse_lists(const int *x, size_t n, size_t k, size_t *start, int *from)
{
    memset(start, 0, (n + 1) * sizeof(size_t));
    for (size_t e = 0; e < n * k; e++) start[x[e]]++;
    for (size_t i = 1; i <= n; i++) start[i] += start[i - 1];
    for (size_t e = n * k; e-- > 0;) from[--start[x[e]]] = (int) (e % n);
}

/* How many i are a neighbour in x of one of their own neighbours in y. start: scratch n + 1;
   from: scratch n k; mark: scratch n. */
static size_t cycle_count(const int *x, const int *y, size_t n, size_t k, size_t *start, int *from,
                          int *mark, pause_function pause)
{
    size_t count = 0;
    reverse_lists(x, n, k, start, from);
    /* filling moved each start back by one: start[i + 1] is now where i begins */
    memset(mark, 0, n * sizeof(int));
    for (size_t i = 0; i < n; i++) {
        const size_t first = start[i + 1], last = i + 2 <= n ? start[i + 2] : n * k;
        int found = 0;
        set_ranks(y, n, k, i, mark);
        for (size_t e = first; e < last && !found; e++) found = mark[from[e]] > 0;
        clear_ranks(y, n, k, i, mark);
        count += (size_t) found;
        pause_after(i, k, pause);
    }
    return count;
}

/* Ids of a list differ, so a common subsequence is an increasing run of the ranks that the
   first list gives to the second one's entries: tails[l] is the smallest rank that ends a
   run of length l + 1. */
static size_t longest_increasing(const int *y, size_t n, size_t k, size_t i, const int *mark,
                                 int *tails)
{
    size_t length = 0;
    for (size_t r = 0; r < k; r++) {
        const int rank = mark[y[i + r * n] - 1];
        if (rank == 0) continue;
        size_t low = 0, high = length;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (tails[middle] < rank) low = middle + 1;
            else high = middle;
        }
        tails[low] = rank;
        if (low == length) length++;
    }
    return length;
}

/* Sums over rows. mark: scratch n; row: scratch 2 (k + 1). */
static double common_subsequences(const int *x, const int *y, size_t n, size_t k, int *mark,
                                  int *row, pause_function pause)
{
    double total = 0.0;
    memset(mark, 0, n * sizeof(int));
    for (size_t i = 0; i < n; i++) {
        set_ranks(x, n, k, i, mark);
        total += (double) longest_increasing(y, n, k, i, mark, row);
        clear_ranks(x, n, k, i, mark);
        pause_after(i, k, pause);
    }
    return total;
}

/* Levenshtein distance of two lists: insertions, deletions and replacements cost one.
   previous and current: k + 1 numbers each. */
static int edit_distance(const int *x, const int *y, size_t n, size_t k, size_t i, int *previous,
                         int *current)
{
    for (size_t r = 0; r <= k; r++) previous[r] = (int) r;
    for (size_t a = 1; a <= k; a++) {
        const int id = x[i + (a - 1) * n];
        current[0] = (int) a;
        for (size_t b = 1; b <= k; b++) {
            int best = previous[b - 1] + (id != y[i + (b - 1) * n]);
            if (previous[b] + 1 < best) best = previous[b] + 1;
            if (current[b - 1] + 1 < best) best = current[b - 1] + 1;
            current[b] = best;
        }
        int *swap = previous;
        previous = current;
        current = swap;
    }
    return previous[k];
}

static double edit_distances(const int *x, const int *y, size_t n, size_t k, int *row,
                             pause_function pause)
{
    double total = 0.0;
    for (size_t i = 0; i < n; i++) {
        total += (double) edit_distance(x, y, n, k, i, row, row + k + 1);
        pause_after(i, k * k, pause);
    }
    return total;
}

/* The lists of x and y: n rows of k neighbours each. */
typedef struct {
    const int *x, *y;
    size_t n, k;
} list_pair;

static list_pair read_lists(SEXP x, SEXP y)
{
    if (!Rf_isMatrix(x)) argument_error("x", "be a matrix");
    const size_t n = matrix_rows(x), k = matrix_columns(x);
    const list_pair pair = {read_index(ARG(x), n), read_index_matrix(ARG(y), n, n), n, k};
    if (matrix_columns(y) != k) argument_error("y", "have as many columns as `x`");
    return pair;
}

SEXP repalign_shared_neighbours(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) p.n));
    shared_neighbours(p.x, p.y, p.n, p.k, int_scratch(p.n), INTEGER(result), check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_rank_agreement(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    SEXP result = PROTECT(new_doubles(p.n));
    rank_agreement(p.x, p.y, p.n, p.k, int_scratch(p.n), scratch(p.k + 1), REAL(result),
                   check_interrupt);
    UNPROTECT(1);
    return result;
}

SEXP repalign_cycle_count(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    const size_t count = cycle_count(p.x, p.y, p.n, p.k, size_scratch(p.n + 1),
                                     int_scratch(p.n * p.k), int_scratch(p.n), check_interrupt);
    return Rf_ScalarReal((double) count);
}

SEXP repalign_common_subsequences(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    return Rf_ScalarReal(common_subsequences(p.x, p.y, p.n, p.k, int_scratch(p.n),
                                             int_scratch(2 * (p.k + 1)), check_interrupt));
}

SEXP repalign_edit_distances(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    return Rf_ScalarReal(
        edit_distances(p.x, p.y, p.n, p.k, int_scratch(2 * (p.k + 1)), check_interrupt));
}
