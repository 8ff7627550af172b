/* What entry points need beside their arguments: scratch memory, results, interrupts. */
#ifndef REPALIGN_CALL_RESULTS_H
#define REPALIGN_CALL_RESULTS_H

#include <stddef.h>

#include "packed.h"
#include "repalign.h"
#include "svd.h"

/* The pause of kernels: R's check for interrupts. */
void check_interrupt(void);

/* Memory until the entry returns, also by an error or an interrupt (R_alloc); never of length 0.
   zeroed_bytes() is all zero. */
double *scratch(size_t length);
int *int_scratch(size_t length);
size_t *size_scratch(size_t length);
void *zeroed_bytes(size_t bytes);

/* Scratch for a decomposition (m x n), and the chunks of a packed matrix of n >= 2 rows. */
svd_scratch new_svd_scratch(int vectors, size_t m, size_t n);
row_chunks new_row_chunks(size_t n);

/* New vectors and matrices; the caller protects them. A matrix has sizes that fit integers. */
SEXP new_doubles(size_t length);
SEXP new_matrix(size_t rows, size_t columns);

/* The same as element `at` of a list, which protects them; their values. */
double *put_doubles(SEXP list, int at, size_t length);
double *put_matrix(SEXP list, int at, size_t rows, size_t columns);
int *put_integers(SEXP list, int at, size_t length);

/* Element `at` = the one-based numbers of the `count` entries of flags (length) that are set. */
void put_positions(SEXP list, int at, const int *flags, size_t length, size_t count);

/* list(naive = , stimulus = ) of two new matrices; their values. The caller protects the list. */
typedef struct {
    SEXP list;
    double *naive, *corrected;
} two_estimates;
two_estimates new_estimates(size_t rows, size_t columns);

#endif
