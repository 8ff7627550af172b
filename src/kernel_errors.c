/* The choice of a penalty of kernel ridge regression: errors of stimuli that are left out, for all
   penalties and folds, each from a block of one inverse. */

#include <string.h>

#include "blas.h"
#include "entry.h"

/* What a fold leaves out, rows of M, and the rows that are left out beside it, in groups: rows of
   group g are order[start[g]] .. order[start[g + 1] - 1]. */
typedef struct {
    const int *test;
    size_t tests, groups;
    int *order;
    size_t *start;
} left_fold;

typedef struct {
    size_t n, targets;
    double *m, *my, *residual, *left, *room, *rows;
} fold_room;

static double without_fold(const left_fold *f, const fold_room *z, size_t i, size_t j)
{
    const double *a = z->left + i * f->tests, *b = z->left + j * f->tests;
    double sum = 0.0;
    for (size_t k = 0; k < f->tests; k++) sum += a[k] * b[k];
    return z->m[i + j * z->n] - sum;
}

/* The rows of a group are predicted from all others: their residuals are multiplied by the inverse
   of their own block. */
static int leave_out_group(const left_fold *f, const fold_room *z, size_t group)
{
    const int *member = f->order + f->start[group];
    const size_t size = f->start[group + 1] - f->start[group], n = z->n;
    if (size == 1) {
        const size_t i = (size_t) member[0];
        const double own = 1.0 / without_fold(f, z, i, i);
        for (size_t t = 0; t < z->targets; t++) z->residual[i + t * n] *= own;
        return 1;
    }
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i <= j; i++)
            z->room[i + j * size] = without_fold(f, z, (size_t) member[i], (size_t) member[j]);
    if (lapack_cholesky(size, z->room) != 0) return 0;
    for (size_t t = 0; t < z->targets; t++) {
        double *rows = z->rows;
        for (size_t k = 0; k < size; k++) rows[k] = z->residual[(size_t) member[k] + t * n];
        blas_solve_upper('T', size, z->room, rows);
        blas_solve_upper('N', size, z->room, rows);
        for (size_t k = 0; k < size; k++) z->residual[(size_t) member[k] + t * n] = rows[k];
    }
    return 1;
}

/* With R'R = M_FF of the rows F that a fold leaves out and Z = R'^-1 M_F: the inverse of the kernel
   of all other rows is M - Z'Z, and its product with their responses My - Z'R'^-1 (My)_F. Both
   stand side by side: left (tests x (n + targets)). */
static int fold_errors(const left_fold *f, const fold_room *z, double *errors, size_t step)
{
    const size_t q = f->tests, n = z->n, targets = z->targets, rows = f->start[f->groups];
    for (size_t j = 0; j < q; j++)
        for (size_t i = 0; i < q; i++)
            z->room[i + j * q] = z->m[(size_t) f->test[i] + (size_t) f->test[j] * n];
    if (lapack_cholesky(q, z->room) != 0) return 0;
    for (size_t j = 0; j < n + targets; j++) {
        const double *from = j < n ? z->m + j * n : z->my + (j - n) * n;
        for (size_t i = 0; i < q; i++) z->left[i + j * q] = from[f->test[i]];
    }
    blas_solve_left_upper(q, n + targets, z->room, z->left);
    memcpy(z->residual, z->my, n * targets * sizeof(double));
    blas_gemm('T', 'N', n, targets, q, -1.0, z->left, q, z->left + n * q, q, 1.0, z->residual, n);
    for (size_t g = 0; g < f->groups; g++)
        if (!leave_out_group(f, z, g)) return 0;
    for (size_t t = 0; t < targets; t++) {
        double sum = 0.0;
        for (size_t k = 0; k < rows; k++) {
            const double one = z->residual[(size_t) f->order[k] + t * n];
            sum += one * one;
        }
        errors[t * step] = sum;
    }
    return 1;
}

/* The rows that a fold keeps, those of one code together (one code a row where there are none). */
static left_fold read_fold(SEXP test, size_t n, const int *codes, size_t most)
{
    left_fold f = {read_zero_based(ARG(test), n), (size_t) XLENGTH(test), 0, int_scratch(n),
                   size_scratch(n + 1)};
    if (f.tests >= n) argument_error("tests", "leave rows to learn from");
    size_t *count = zeroed_bytes((most + 1) * sizeof(size_t));
    int *kept = int_scratch(n);
    for (size_t i = 0; i < n; i++) kept[i] = 1;
    for (size_t i = 0; i < f.tests; i++) kept[f.test[i]] = 0;
    for (size_t i = 0; i < n; i++)
        if (kept[i]) count[codes ? (size_t) codes[i] : i + 1]++;
    f.start[0] = 0;
    for (size_t c = 1; c <= most; c++) {
        const size_t size = count[c];
        if (size == 0) continue;
        count[c] = f.start[f.groups];
        f.start[f.groups + 1] = f.start[f.groups] + size;
        f.groups++;
    }
    for (size_t i = 0; i < n; i++)
        if (kept[i]) f.order[count[codes ? (size_t) codes[i] : i + 1]++] = (int) i;
    return f;
}

/* kernel: n x n, with a size in the direction of a constant that shifts (one a penalty) take off
   again; y: n x targets, centred; tests: for each fold the rows that it leaves out; codes: groups
   of rows that are left out together beside them, or NULL for each row alone. Summed squared
   errors: penalties x targets x folds. */
SEXP repalign_kernel_errors(SEXP kernel, SEXP penalties, SEXP shifts, SEXP y, SEXP tests,
                            SEXP codes)
{
    const double *k = read_matrix(ARG(kernel));
    const size_t n = matrix_rows(kernel), levels = count_doubles(ARG(penalties));
    read_matrix_size(ARG(kernel), n, n);
    const double *penalty = REAL(penalties), *shift = read_doubles(ARG(shifts), levels);
    const double *responses = read_matrix_rows(ARG(y), n);
    const size_t targets = matrix_columns(y), folds = count_elements(ARG(tests));
    const int *code = Rf_isNull(codes) ? NULL : read_indices(ARG(codes), n, n);
    left_fold *fold = (left_fold *) R_alloc(folds, sizeof(left_fold));
    size_t most = 1;
    for (size_t f = 0; f < folds; f++) {
        fold[f] = read_fold(VECTOR_ELT(tests, (R_xlen_t) f), n, code, n);
        if (fold[f].tests > most) most = fold[f].tests;
        for (size_t g = 0; g < fold[f].groups; g++) {
            const size_t size = fold[f].start[g + 1] - fold[f].start[g];
            if (size > most) most = size;
        }
    }
    const fold_room z = {n, targets, scratch(n * n), scratch(n * targets), scratch(n * targets),
                         scratch(most * (n + targets)), scratch(most * most), scratch(most)};
    SEXP result = PROTECT(new_doubles(levels * targets * folds));
    for (size_t l = 0; l < levels; l++) {
        /* M = (K + penalty)^-1 - shift, and its product with the responses */
        memcpy(z.m, k, n * n * sizeof(double));
        for (size_t i = 0; i < n; i++) z.m[i + i * n] += penalty[l];
        int known = lapack_cholesky_inverse(n, z.m) == 0;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i <= j; i++) z.m[i + j * n] -= shift[l];
        mirror_upper(z.m, n);
        blas_symm_left(n, targets, z.m, n, responses, n, z.my, n);
        for (size_t f = 0; known && f < folds; f++)
            known = fold_errors(fold + f, &z, REAL(result) + l + f * levels * targets, levels);
        if (!known) entry_error("a kernel with penalty %g is not positive", penalty[l]);
        check_interrupt();
    }
    UNPROTECT(1);
    return result;
}
