/* What entry points have in common: see entry.h. */

#include "entry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"

/* ---- errors and arguments */

static const char *entry = "repalign";

void begin_entry(const char *name) { entry = name; }

#define LONGEST_ERROR 256

void argument_error(const char *name, const char *must, ...)
{
    char text[LONGEST_ERROR];
    va_list rest;
    va_start(rest, must);
    vsnprintf(text, sizeof text, must, rest);
    va_end(rest);
    Rf_error("%s: `%s` must %s", entry, name, text);
}

void entry_error(const char *what, ...)
{
    char text[LONGEST_ERROR];
    va_list rest;
    va_start(rest, what);
    vsnprintf(text, sizeof text, what, rest);
    va_end(rest);
    Rf_error("%s: %s", entry, text);
}

double read_number(SEXP x, const char *name)
{
    if ((!Rf_isReal(x) && !Rf_isInteger(x)) || XLENGTH(x) != 1)
        argument_error(name, "be one number");
    return Rf_asReal(x);
}

int read_flag(SEXP x, const char *name)
{
    if (!Rf_isLogical(x) || XLENGTH(x) != 1 || LOGICAL(x)[0] == NA_LOGICAL)
        argument_error(name, "be TRUE or FALSE");
    return LOGICAL(x)[0];
}

size_t read_count(SEXP x, const char *name, size_t least, size_t most)
{
    const double value = read_number(x, name);
    if (!(value >= (double) least && value <= (double) most && value == floor(value)))
        argument_error(name, "be a whole number from %.0f to %.0f", (double) least, (double) most);
    return (size_t) value;
}

worker read_worker(SEXP threads, const char *name)
{
    const worker by = {(int) read_count(threads, name, 1, INT_MAX), check_interrupt};
    return by;
}

const double *read_doubles(SEXP x, const char *name, size_t length)
{
    if (!Rf_isReal(x) || (size_t) XLENGTH(x) != length)
        argument_error(name, "hold %.0f doubles", (double) length);
    return REAL(x);
}

size_t count_doubles(SEXP x, const char *name)
{
    if (!Rf_isReal(x) || XLENGTH(x) < 1) argument_error(name, "hold doubles");
    return (size_t) XLENGTH(x);
}

const int *read_index(SEXP x, const char *name, size_t most)
{
    if (!Rf_isInteger(x)) argument_error(name, "hold integers");
    const int *values = INTEGER(x);
    for (R_xlen_t i = 0; i < XLENGTH(x); i++)
        if (values[i] < 1 || (size_t) values[i] > most)
            argument_error(name, "hold integers from 1 to %.0f", (double) most);
    return values;
}

const int *read_indices(SEXP x, const char *name, size_t length, size_t most)
{
    const int *values = read_index(x, name, most);
    if ((size_t) XLENGTH(x) != length)
        argument_error(name, "hold %.0f integers", (double) length);
    return values;
}

int *read_zero_based(SEXP x, const char *name, size_t most)
{
    return read_from_zero(x, name, (size_t) Rf_xlength(x), most);
}

int *read_from_zero(SEXP x, const char *name, size_t length, size_t most)
{
    const int *values = read_indices(x, name, length, most);
    int *result = int_scratch(length);
    for (size_t i = 0; i < length; i++) result[i] = values[i] - 1;
    return result;
}

int *read_permutations(SEXP x, const char *name, size_t n)
{
    int *result = read_zero_based(x, name, n);
    if (n < 1 || (size_t) XLENGTH(x) % n != 0)
        argument_error(name, "have %.0f integers a column", (double) n);
    return result;
}

const int *read_index_matrix(SEXP x, const char *name, size_t rows, size_t most)
{
    if (!Rf_isMatrix(x) || matrix_rows(x) != rows)
        argument_error(name, "be a matrix with %.0f rows", (double) rows);
    return read_index(x, name, most);
}

const double *read_matrix(SEXP x, const char *name)
{
    if (!Rf_isReal(x) || !Rf_isMatrix(x)) argument_error(name, "be a matrix of doubles");
    if (!fits_blas(matrix_rows(x)) || !fits_blas(matrix_columns(x)))
        argument_error(name, "not be larger than BLAS integers allow");
    return REAL(x);
}

const double *read_matrix_rows(SEXP x, const char *name, size_t rows)
{
    const double *values = read_matrix(x, name);
    if (matrix_rows(x) != rows) argument_error(name, "have %.0f rows", (double) rows);
    return values;
}

const double *read_matrix_size(SEXP x, const char *name, size_t rows, size_t columns)
{
    const double *values = read_matrix_rows(x, name, rows);
    if (matrix_columns(x) != columns) argument_error(name, "have %.0f columns", (double) columns);
    return values;
}

const double *read_optional(SEXP x, const char *name, size_t rows, size_t columns)
{
    return Rf_isNull(x) ? NULL : read_matrix_size(x, name, rows, columns);
}

size_t matrix_rows(SEXP x) { return (size_t) INTEGER(Rf_getAttrib(x, R_DimSymbol))[0]; }

size_t matrix_columns(SEXP x) { return (size_t) INTEGER(Rf_getAttrib(x, R_DimSymbol))[1]; }

centered_view read_view(SEXP x, const char *name, SEXP means, const char *means_name, SEXP scale,
                        const char *scale_name)
{
    const double *values = read_matrix(x, name);
    const centered_view v = {values, matrix_rows(x), matrix_columns(x),
                             read_doubles(means, means_name, matrix_columns(x)),
                             read_number(scale, scale_name)};
    return v;
}

size_t count_elements(SEXP list, const char *name)
{
    if (TYPEOF(list) != VECSXP || XLENGTH(list) < 1) argument_error(name, "be a list, not empty");
    return (size_t) XLENGTH(list);
}

matrix_list read_matrices(SEXP list, const char *name)
{
    count_elements(list, name);
    read_matrix(VECTOR_ELT(list, 0), name);
    const size_t n = matrix_rows(VECTOR_ELT(list, 0));
    if (n < 1) argument_error(name, "have matrices that are not empty");
    return read_matrices_of(list, name, n);
}

matrix_list read_matrices_of(SEXP list, const char *name, size_t n)
{
    const size_t count = count_elements(list, name);
    const matrix_list found = {(const double **) R_alloc(count, sizeof(double *)), count, n};
    for (size_t i = 0; i < count; i++)
        found.values[i] = read_matrix_size(VECTOR_ELT(list, (R_xlen_t) i), name, n, n);
    return found;
}

SEXP find_element(SEXP list, const char *name, const char *element)
{
    if (TYPEOF(list) != VECSXP) argument_error(name, "be a list");
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), element) == 0) return VECTOR_ELT(list, i);
    return R_NilValue;
}

SEXP read_element(SEXP list, const char *name, const char *element)
{
    SEXP found = find_element(list, name, element);
    if (Rf_isNull(found)) argument_error(name, "have an element `%s`", element);
    return found;
}

/* ---- memory, results, interrupts */

void check_interrupt(void) { R_CheckUserInterrupt(); }

static void *memory(size_t length, size_t size) { return R_alloc(length + 1, (int) size); }

double *scratch(size_t length) { return memory(length, sizeof(double)); }

int *int_scratch(size_t length) { return memory(length, sizeof(int)); }

size_t *size_scratch(size_t length) { return memory(length, sizeof(size_t)); }

void *zeroed_bytes(size_t bytes) { return memset(memory(bytes, 1), 0, bytes); }

SEXP new_doubles(size_t length) { return Rf_allocVector(REALSXP, (R_xlen_t) length); }

SEXP new_matrix(size_t rows, size_t columns)
{
    if (!fits_blas(rows) || !fits_blas(columns)) entry_error("the result is too large");
    return Rf_allocMatrix(REALSXP, (int) rows, (int) columns);
}

double *put_doubles(SEXP list, int at, size_t length)
{
    SET_VECTOR_ELT(list, at, new_doubles(length));
    return REAL(VECTOR_ELT(list, at));
}

double *put_matrix(SEXP list, int at, size_t rows, size_t columns)
{
    SET_VECTOR_ELT(list, at, new_matrix(rows, columns));
    return REAL(VECTOR_ELT(list, at));
}

int *put_integers(SEXP list, int at, size_t length)
{
    SET_VECTOR_ELT(list, at, Rf_allocVector(INTSXP, (R_xlen_t) length));
    return INTEGER(VECTOR_ELT(list, at));
}

void put_positions(SEXP list, int at, const int *flags, size_t length, size_t count)
{
    int *positions = put_integers(list, at, count);
    for (size_t i = 0, found = 0; i < length && found < count; i++)
        if (flags[i]) positions[found++] = (int) i + 1;
}

two_estimates new_estimates(size_t rows, size_t columns)
{
    SEXP list = PROTECT(NAMED_LIST("naive", "stimulus"));
    double *naive = put_matrix(list, 0, rows, columns);
    const two_estimates result = {list, naive, put_matrix(list, 1, rows, columns)};
    UNPROTECT(1);
    return result;
}
