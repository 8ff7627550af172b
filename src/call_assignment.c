/* Entry points of one-to-one matching. */

#include "assignment.h"

#include "entry.h"
#include "matrix.h"

/* Costs with a column for each agent, the narrower side; gains are costs turned round. */
static double *agent_costs(const double *from, size_t rows, int gains, size_t agents, size_t tasks)
{
    const double sign = gains ? -1.0 : 1.0;
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
    begin_entry(__func__);
    const double *entries = read_matrix(ARG(values));
    const size_t rows = matrix_rows(values), columns = matrix_columns(values);
    if (rows == 0 || columns == 0) argument_error("values", "not be empty");
    if (!all_finite(entries, rows * columns)) argument_error("values", "be finite");
    const size_t agents = rows < columns ? rows : columns, tasks = rows < columns ? columns : rows;
    const double *cost = agent_costs(entries, rows, read_flag(ARG(gains)), agents, tasks);
    const assignment_scratch z = {scratch(tasks),     scratch(tasks),      int_scratch(tasks),
                                  int_scratch(tasks), int_scratch(tasks),  int_scratch(agents),
                                  int_scratch(agents)};
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) rows));
    assign_least(cost, agents, tasks, z, check_interrupt);
    const int *column_of = rows == tasks ? z.agent_of : z.task_of;
    for (size_t i = 0; i < rows; i++) INTEGER(result)[i] = column_of[i] + 1;
    UNPROTECT(1);
    return result;
}

/* The same with pairs taken in the given order of the entries of a rows x columns matrix. */
SEXP repalign_assign_greedy(SEXP order, SEXP rows, SEXP columns)
{
    begin_entry(__func__);
    const size_t m = read_count(ARG(rows), 0, INT_MAX), n = read_count(ARG(columns), 0, INT_MAX);
    const int *entries = read_indices(ARG(order), m * n, m * n);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) m));
    int *column_of = INTEGER(result);
    assign_greedy(entries, m, n, int_scratch(n), column_of);
    for (size_t i = 0; i < m; i++) column_of[i]++;
    UNPROTECT(1);
    return result;
}
