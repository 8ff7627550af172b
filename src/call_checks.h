/* What entry points share: reading arguments, and the interrupt check. */
#ifndef REPALIGN_CALL_CHECKS_H
#define REPALIGN_CALL_CHECKS_H

#include "matrix.h"
#include "repalign.h"

/* A plain C pause for kernels. */
void check_interrupt(void);

/* A double matrix with sizes that fit BLAS, or an error that names the argument. */
void require_matrix(SEXP x, const char *name);
void require_rows(SEXP x, size_t n, const char *name);
void require_size(SEXP x, size_t n, size_t d, const char *name);
/* One-based indices up to most. */
void require_index(SEXP index, size_t most, const char *name);
/* The element of a list by its name: NULL of R, or an error, where there is none. */
SEXP list_element(SEXP list, const char *name);
SEXP needed_element(SEXP list, const char *name);
size_t matrix_rows(SEXP x);
size_t matrix_columns(SEXP x);

/* A double matrix seen through its centring; means: one a column. */
centered_view view_of(SEXP x, SEXP means, SEXP inverse_scale);

double *scratch(size_t length);

/* list(naive = , stimulus = ) of two new matrices or vectors; both protected inside the list. */
SEXP two_results(size_t rows, size_t columns);

#endif
