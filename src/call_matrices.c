/* Lists of square matrices: see call_matrices.h. */

#include "call_matrices.h"

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
