/* Entry points of alignment and matching measures. */

#include "alignment.h"
#include "assignment.h"
#include "blas.h"
#include "call_checks.h"
#include "lapack.h"
#include "linear.h"

#include <math.h>

/* x'y of two matrices seen through their centring, the rows a chunk at a time. */
SEXP repalign_cross_product(SEXP x, SEXP x_means, SEXP x_scale, SEXP y, SEXP y_means, SEXP y_scale)
{
    centered_view vx = view_of(x, x_means, x_scale), vy = view_of(y, y_means, y_scale);
    require_rows(y, vx.n, "y");
    const size_t rows = chunk_rows(vx.n, vx.d > vy.d ? vx.d : vy.d);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) vx.d, (int) vy.d));
    linear_cross(&vx, &vy, rows, scratch(rows * vx.d), scratch(rows * vy.d), check_interrupt,
                 REAL(result));
    UNPROTECT(1);
    return result;
}

/* Square root of the sum of all squares. */
SEXP repalign_frobenius(SEXP x, SEXP means, SEXP scale)
{
    centered_view v = view_of(x, means, scale);
    return Rf_ScalarReal(sqrt(view_squares(&v, scratch(v.n))));
}

/* Rows i of the centred x, as columns of `to` (d x n). */
static void load_transposed(const centered_view *v, double *to)
{
    const size_t tile = 32;
    for (size_t jb = 0; jb < v->d; jb += tile) {
        for (size_t i = 0; i < v->n; i++)
            for (size_t j = jb; j < v->d && j < jb + tile; j++)
                to[j + i * v->d] = (v->x[i + j * v->n] - v->mean[j]) * v->inverse_scale;
        check_interrupt();
    }
}

/* L (n x n) with L L' = x x', for more columns than rows: x' = QR, L = R'. */
SEXP repalign_row_factor(SEXP x, SEXP means, SEXP scale)
{
    centered_view v = view_of(x, means, scale);
    if (v.d < v.n) Rf_error("internal: fewer columns than rows");
    const size_t n = v.n, d = v.d, length = lapack_qr_work(d, n);
    double *turned = scratch(n * d);
    load_transposed(&v, turned);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int) n, (int) n));
    double *l = REAL(result);
    lapack_qr(d, n, turned, scratch(n), scratch(length), length);
    check_interrupt();
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) l[i + j * n] = i < j ? 0.0 : turned[j + i * d];
    UNPROTECT(1);
    return result;
}

/* Columns of unit norm, and the (one-based) numbers of those that are constant. */
SEXP repalign_standardize(SEXP x, SEXP means)
{
    centered_view v = view_of(x, means, PROTECT(Rf_ScalarReal(1.0)));
    const char *names[] = {"columns", "constant", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, (int) v.n, (int) v.d));
    double *columns = REAL(VECTOR_ELT(result, 0));
    const size_t constant = standardize_columns(v.x, v.n, v.d, v.mean, columns);
    SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t) constant));
    int *at = INTEGER(VECTOR_ELT(result, 1));
    /* a column that is not constant has an entry of at least 1 / n */
    for (size_t j = 0, found = 0; j < v.d && found < constant; j++)
        if (dot_blocked(columns + j * v.n, columns + j * v.n, v.n) == 0.0)
            at[found++] = (int) j + 1;
    UNPROTECT(2);
    return result;
}

SEXP repalign_row_norms(SEXP a)
{
    require_matrix(a, "a");
    const size_t n = matrix_rows(a);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
    row_norms(REAL(a), n, matrix_columns(a), scratch(n), REAL(result));
    UNPROTECT(1);
    return result;
}

static void require_length(SEXP values, size_t length)
{
    if (!Rf_isReal(values) || (size_t) XLENGTH(values) != length)
        Rf_error("internal: one value a row wanted");
}

SEXP repalign_row_cosines(SEXP a, SEXP b, SEXP a_norm, SEXP b_norm)
{
    require_matrix(a, "a");
    const size_t n = matrix_rows(a), d = matrix_columns(a);
    require_size(b, n, d, "b");
    require_length(a_norm, n);
    require_length(b_norm, n);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t) n));
    row_cosines(REAL(a), REAL(b), n, d, REAL(a_norm), REAL(b_norm), REAL(result));
    UNPROTECT(1);
    return result;
}

static int *int_scratch(size_t length) { return (int *) R_alloc(length, sizeof(int)); }

/* Costs with a column for each agent, the narrower side; gains are costs turned round. */
static double *agent_costs(SEXP values, int gains, size_t agents, size_t tasks)
{
    const size_t rows = matrix_rows(values);
    const double *from = REAL(values), sign = gains ? -1.0 : 1.0;
    double *cost = scratch(agents * tasks);
    if (rows == tasks) {
        for (size_t k = 0; k < agents * tasks; k++) cost[k] = sign * from[k];
    } else {
        for (size_t j = 0; j < tasks; j++)
            for (size_t i = 0; i < agents; i++) cost[j + i * tasks] = sign * from[i + j * rows];
    }
    return cost;
}

/* Optimal matching of the narrower side of a matrix: least total, or largest with `gains`.
   Returns for each row its column (one-based), 0 for none. */
SEXP repalign_assign(SEXP values, SEXP gains)
{
    require_matrix(values, "values");
    const size_t rows = matrix_rows(values), columns = matrix_columns(values);
    if (rows == 0 || columns == 0) Rf_error("internal: nothing to match");
    if (!all_finite(REAL(values), rows * columns)) Rf_error("internal: infinite costs");
    const size_t agents = rows < columns ? rows : columns, tasks = rows < columns ? columns : rows;
    const double *cost = agent_costs(values, Rf_asLogical(gains), agents, tasks);
    assignment_scratch z = {scratch(tasks),     scratch(tasks),      int_scratch(tasks),
                            int_scratch(tasks), int_scratch(tasks),  int_scratch(agents),
                            int_scratch(agents)};
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) rows));
    assign_least(cost, agents, tasks, z, check_interrupt);
    const int *column_of = rows == tasks ? z.agent_of : z.task_of;
    for (size_t i = 0; i < rows; i++) INTEGER(result)[i] = column_of[i] + 1;
    UNPROTECT(1);
    return result;
}

/* As assign, pairs taken in the given order of entries (one-based). */
SEXP repalign_assign_greedy(SEXP order, SEXP rows, SEXP columns)
{
    const size_t m = (size_t) Rf_asInteger(rows), n = (size_t) Rf_asInteger(columns);
    require_index(order, m * n, "order");
    if ((size_t) XLENGTH(order) != m * n) Rf_error("internal: one rank an entry");
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) m));
    int *column_of = INTEGER(result);
    assign_greedy(INTEGER(order), m, n, int_scratch(n), column_of);
    for (size_t i = 0; i < m; i++) column_of[i]++;
    UNPROTECT(1);
    return result;
}

/* Distance of matched columns in the units of the factors. partner: for each column of the
   wider x that of y, 0 for none. */
SEXP repalign_matched_distance(SEXP x, SEXP x_means, SEXP x_factor, SEXP y, SEXP y_means,
                               SEXP y_factor, SEXP partner)
{
    centered_view wide = view_of(x, x_means, x_factor), narrow = view_of(y, y_means, y_factor);
    require_rows(y, wide.n, "y");
    if (!Rf_isInteger(partner) || (size_t) XLENGTH(partner) != wide.d)
        Rf_error("internal: one partner a column");
    int *zero_based = int_scratch(wide.d);
    for (size_t j = 0; j < wide.d; j++) {
        zero_based[j] = INTEGER(partner)[j] - 1;
        if (zero_based[j] >= (int) narrow.d) Rf_error("internal: partner out of range");
    }
    return Rf_ScalarReal(sqrt(matched_squares(&wide, &narrow, zero_based, scratch(wide.n),
                                              scratch(wide.n))));
}

/* list(rows, columns): the largest entries of each. */
SEXP repalign_side_maxima(SEXP c)
{
    require_matrix(c, "c");
    const size_t m = matrix_rows(c), n = matrix_columns(c);
    const char *names[] = {"rows", "columns", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t) m));
    SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t) n));
    side_maxima(REAL(c), m, n, REAL(VECTOR_ELT(result, 0)), REAL(VECTOR_ELT(result, 1)));
    UNPROTECT(1);
    return result;
}
