/* Entry point of how well scores of pairs tell groups of models apart. */

#include "group_walk.h"

#include <limits.h>

#include "entry.h"

/* first, second, level, value, away: the pairs as in scored_pairs, both orders of each where
   symmetric; labels: models x labellings. */
SEXP repalign_group_walk(SEXP first, SEXP second, SEXP level, SEXP value, SEXP away,
                         SEXP symmetric, SEXP labels, SEXP groups, SEXP threads)
{
    begin_entry(__func__);
    const size_t count = count_doubles(ARG(value));
    if (!Rf_isMatrix(labels)) argument_error("labels", "be a matrix");
    const size_t n = matrix_rows(labels);
    const size_t n_groups = read_count(ARG(groups), 1, n);
    const scored_pairs pairs = {count, n, n_groups, read_flag(ARG(symmetric)) ? 2 : 1,
                                read_indices(ARG(first), count, n),
                                read_indices(ARG(second), count, n),
                                read_indices(ARG(level), count, count), REAL(value),
                                read_doubles(ARG(away), count)};
    const int *label = read_index_matrix(ARG(labels), n, n_groups);
    const worker by = read_worker(ARG(threads));
    const size_t labellings = matrix_columns(labels), at_once = (size_t) by.threads;
    SEXP result = PROTECT(new_matrix(GROUP_ROWS * n_groups + ALL_ROWS, labellings));
    group_walk(&pairs, label, labellings, by, scratch(at_once * group_walk_doubles(&pairs)),
               size_scratch(at_once * group_walk_counts(&pairs)), REAL(result));
    UNPROTECT(1);
    return result;
}
