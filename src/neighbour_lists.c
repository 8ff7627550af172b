/* Comparisons of neighbour lists: n rows of k different ids from one, column-major. */

#include <stdlib.h>
#include <string.h>

#include "entry.h"

/* List entries between two pauses. */
#define PAUSE_ENTRIES 16777216

static void pause_after(size_t i, size_t work)
{
    const size_t rows = work < PAUSE_ENTRIES ? PAUSE_ENTRIES / work : 1;
    if (i % rows == 0) check_interrupt();
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

/* The lists of x and y: n rows of k neighbours each. */
typedef struct {
    const int *x, *y;
    size_t n, k;
} list_pair;

static list_pair read_lists(SEXP x, SEXP y)
{
    if (!Rf_isMatrix(x)) argument_error("x", "be a matrix");
    const size_t n = matrix_rows(x), k = matrix_columns(x);
    if (k == 0) argument_error("x", "have columns");
    const list_pair pair = {read_index(ARG(x), n), read_index_matrix(ARG(y), n, n), n, k};
    if (matrix_columns(y) != k) argument_error("y", "have as many columns as `x`");
    return pair;
}

/* Per row: how many neighbours both lists have. */
SEXP repalign_shared_neighbours(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    int *mark = zeroed_bytes(p.n * sizeof(int));
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) p.n));
    for (size_t i = 0; i < p.n; i++) {
        int count = 0;
        set_ranks(p.x, p.n, p.k, i, mark);
        for (size_t r = 0; r < p.k; r++) count += mark[p.y[i + r * p.n] - 1] > 0;
        clear_ranks(p.x, p.n, p.k, i, mark);
        INTEGER(result)[i] = count;
        pause_after(i, p.k);
    }
    UNPROTECT(1);
    return result;
}

/* Per row: agreement of the ranks of the shared neighbours, 0 without any. */
SEXP repalign_rank_agreement(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    int *mark = zeroed_bytes(p.n * sizeof(int));
    double *harmonic = scratch(p.k + 1);
    SEXP result = PROTECT(new_doubles(p.n));
    harmonic[0] = 0.0;
    for (size_t q = 1; q <= p.k; q++) harmonic[q] = harmonic[q - 1] + 1.0 / (double) q;
    for (size_t i = 0; i < p.n; i++) {
        double sum = 0.0;
        size_t common = 0;
        set_ranks(p.x, p.n, p.k, i, mark);
        for (size_t r = 0; r < p.k; r++) {
            const int rank_x = mark[p.y[i + r * p.n] - 1], rank_y = (int) r + 1;
            if (rank_x == 0) continue;
            common++;
            sum += 2.0 / ((1.0 + abs(rank_x - rank_y)) * ((double) rank_x + rank_y));
        }
        clear_ranks(p.x, p.n, p.k, i, mark);
        REAL(result)[i] = common > 0 ? sum / harmonic[common] : 0.0;
        pause_after(i, p.k);
    }
    UNPROTECT(1);
    return result;
}

/* How many i are a neighbour in x of one of their own neighbours in y. */
SEXP repalign_cycle_count(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    const size_t n = p.n, k = p.k;
    /* from[start[i]] .. from[start[i + 1] - 1]: the rows that have i as a neighbour */
    size_t *start = zeroed_bytes((n + 1) * sizeof(size_t)), count = 0;
    int *from = int_scratch(n * k), *mark = zeroed_bytes(n * sizeof(int));
    for (size_t e = 0; e < n * k; e++) start[p.x[e]]++;
    for (size_t i = 1; i <= n; i++) start[i] += start[i - 1];
    for (size_t e = n * k; e-- > 0;) from[--start[p.x[e]]] = (int) (e % n);
    /* filling moved each start back by one: start[i + 1] is now where i begins */
    for (size_t i = 0; i < n; i++) {
        const size_t first = start[i + 1], last = i + 2 <= n ? start[i + 2] : n * k;
        int found = 0;
        set_ranks(p.y, n, k, i, mark);
        for (size_t e = first; e < last && !found; e++) found = mark[from[e]] > 0;
        clear_ranks(p.y, n, k, i, mark);
        count += (size_t) found;
        pause_after(i, k);
    }
    return Rf_ScalarReal((double) count);
}

/* The sum over rows. */
SEXP repalign_common_subsequences(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    int *mark = zeroed_bytes(p.n * sizeof(int)), *tails = int_scratch(p.k);
    double total = 0.0;
    for (size_t i = 0; i < p.n; i++) {
        set_ranks(p.x, p.n, p.k, i, mark);
        total += (double) longest_increasing(p.y, p.n, p.k, i, mark, tails);
        clear_ranks(p.x, p.n, p.k, i, mark);
        pause_after(i, p.k);
    }
    return Rf_ScalarReal(total);
}

/* The sum over rows. */
SEXP repalign_edit_distances(SEXP x, SEXP y)
{
    const list_pair p = read_lists(x, y);
    int *row = int_scratch(2 * (p.k + 1));
    double total = 0.0;
    for (size_t i = 0; i < p.n; i++) {
        total += (double) edit_distance(p.x, p.y, p.n, p.k, i, row, row + p.k + 1);
        pause_after(i, p.k * p.k);
    }
    return Rf_ScalarReal(total);
}
