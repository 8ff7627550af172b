/* Exact k nearest neighbours of all rows by blocked matrix products, each pair once.

   A product tells values up to its rounding, which is bounded. Nearly always all neighbours are
   further apart than that, and their values are those of the product. Where rounding could decide
   about the order, or would show in a value, values are computed again from the rows themselves, so
   the order does not depend on how the product was rounded. Memory: the rows, O(n k), and one
   block. */
#ifndef REPALIGN_KNN_SEARCH_H
#define REPALIGN_KNN_SEARCH_H

#include "distance.h"
#include "knn_space.h"

/* Candidates kept per row at most: a few more than the k + 1 that are wanted. */
size_t knn_capacity(size_t n, size_t k);

/* Columns of the data that are loaded at a time, where all rows are one block. */
size_t knn_columns(size_t n, size_t d);

/* Entries of scratch that each thread needs in `numbers` and in `found`. */
size_t knn_thread_numbers(size_t chunk, size_t capacity);
size_t knn_thread_candidates(size_t chunk, size_t capacity);

/* SETTLED: no tie among the first k + 1; TIED: some; UNSURE: more candidates lie within
   the rounding of the product than were kept. */
typedef enum { ROW_SETTLED = 0, ROW_TIED = 1, ROW_UNSURE = 2, ROW_OPEN = 3 } knn_state;

/* block rows against chunk columns at a time, the product stands in the panel of the rows; lists:
   n x capacity; held, limit: n each; numbers, found: of each thread, see above; marks: threads x
   (k + 1); largest: each row's largest absolute value. */
typedef struct {
    size_t block, chunk, capacity;
    candidate *lists, *found;
    size_t *held;
    double *limit, *numbers, *largest;
    int *marks, *state;
} knn_search_scratch;

/* The candidates of all rows, from products of the rows (loaded with as many columns at a time as
   knn_columns() says where the block is all of them, else with all columns). Describes the rows of
   the space, and settles all rows that products can settle. Returns how many stay open. */
size_t knn_search(const distance_rows *rows, knn_space *s, knn_search_scratch w, knn_lists out,
                  worker by);

/* Settles the open rows, from the rows of the space, which must be there. */
void knn_settle_open(const knn_space *s, knn_search_scratch w, knn_lists out, worker by);

#endif
