/* What entry points have in common: arguments, errors, scratch memory, results, interrupts.

   Readers, one for each kind of argument, take it with its name, both written once by ARG():
   read_count(ARG(k), 1, n - 1). What does not fit is an error like "repalign_knn: `k` must be a
   whole number from 1 to 9". */
#ifndef REPALIGN_ENTRY_H
#define REPALIGN_ENTRY_H

#include <stddef.h>

#include "lapack.h"
#include "matrix.h"
#include "packed.h"
#include "repalign.h"
#include "threads.h"

#define ARG(x) x, #x

/* The entry point that runs now, as init.c tells: errors begin with its name. (Entries run one at a
   time.) */
void begin_entry(const char *name);

/* "<entry>: `name` must ..." and "<entry>: ...", in the manner of printf. */
NORET void argument_error(const char *name, const char *must, ...);
NORET void entry_error(const char *what, ...);

/* One number (finite or not), TRUE or FALSE, a whole number within limits. */
double read_number(SEXP x, const char *name);
int read_flag(SEXP x, const char *name);
size_t read_count(SEXP x, const char *name, size_t least, size_t most);

/* Threads to use, at least 1, with R's check for interrupts as the pause. */
worker read_worker(SEXP threads, const char *name);

/* Doubles, exactly so many; or at least one, and how many there are. */
const double *read_doubles(SEXP x, const char *name, size_t length);
size_t count_doubles(SEXP x, const char *name);

/* One-based indices from 1 to most, any number of them; or exactly so many. */
const int *read_index(SEXP x, const char *name, size_t most);
const int *read_indices(SEXP x, const char *name, size_t length, size_t most);

/* The same two counted from zero, copied. */
int *read_zero_based(SEXP x, const char *name, size_t most);
int *read_from_zero(SEXP x, const char *name, size_t length, size_t most);

/* Permutations (or orders, or labels) of 1 .. n, one a column, as zero-based ones. */
int *read_permutations(SEXP x, const char *name, size_t n);

/* An integer matrix of one-based indices with `rows` rows. */
const int *read_index_matrix(SEXP x, const char *name, size_t rows, size_t most);

/* A double matrix with sizes that fit BLAS integers; with so many rows; of that size. */
const double *read_matrix(SEXP x, const char *name);
const double *read_matrix_rows(SEXP x, const char *name, size_t rows);
const double *read_matrix_size(SEXP x, const char *name, size_t rows, size_t columns);

/* The last, or NULL where R has NULL. */
const double *read_optional(SEXP x, const char *name, size_t rows, size_t columns);
size_t matrix_rows(SEXP x);
size_t matrix_columns(SEXP x);

/* Square matrices of one size, of which a list has at least one; and of a given size. */
typedef struct {
    const double **values;
    size_t count, n;
} matrix_list;
matrix_list read_matrices(SEXP list, const char *name);
matrix_list read_matrices_of(SEXP list, const char *name, size_t n);

/* A double matrix seen through its centring; means: one a column. */
centered_view read_view(SEXP x, const char *name, SEXP means, const char *means_name, SEXP scale,
                        const char *scale_name);

/* How many elements a list has; the one of a given name, which must be there; the same, or R's
   NULL where there is none. */
size_t count_elements(SEXP list, const char *name);
SEXP read_element(SEXP list, const char *name, const char *element);
SEXP find_element(SEXP list, const char *name, const char *element);

/* ---- memory, results, interrupts */

/* The pause of kernels: R's check for interrupts. */
void check_interrupt(void);

/* Memory until the entry returns, also by an error or an interrupt (R_alloc); never of length 0.
   zeroed_bytes() is all zero. */
double *scratch(size_t length);
int *int_scratch(size_t length);
size_t *size_scratch(size_t length);
void *zeroed_bytes(size_t bytes);

/* A new list with elements of these names. */
#define NAMED_LIST(...) Rf_mkNamed(VECSXP, (const char *[]) {__VA_ARGS__, ""})

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
