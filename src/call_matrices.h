/* Lists of square matrices, which several entry points of the permutation null take. */
#ifndef REPALIGN_CALL_MATRICES_H
#define REPALIGN_CALL_MATRICES_H

#include "call_args.h"

/* `count` matrices, each n x n. */
typedef struct {
    const double **values;
    size_t count, n;
} matrix_list;

matrix_list read_matrices(SEXP list, const char *name);

/* The same of a given size. */
matrix_list read_matrices_of(SEXP list, const char *name, size_t n);

#endif
