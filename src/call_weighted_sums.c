/* Entry point of the sums of Song's estimator with weights. */

#include "weighted_sums.h"

#include "entry.h"

/* All matrices have the size of w, a vector of weights a column. The sums of a vector are a column
   of the result. */
SEXP repalign_weighted_sums(SEXP w, SEXP k1, SEXP k2, SEXP l1, SEXP l2, SEXP m1, SEXP m2,
                            SEXP threads)
{
    begin_entry(__func__);
    read_matrix(ARG(w));
    const size_t n = matrix_rows(w), columns = matrix_columns(w);
    const weight_products p = {REAL(w), read_matrix_size(ARG(k1), n, columns),
                               read_matrix_size(ARG(k2), n, columns),
                               read_matrix_size(ARG(l1), n, columns),
                               read_matrix_size(ARG(l2), n, columns),
                               read_matrix_size(ARG(m1), n, columns),
                               read_matrix_size(ARG(m2), n, columns)};
    SEXP result = PROTECT(new_matrix(WEIGHTED_SUMS, columns));
    weighted_sums(p, n, columns, REAL(result), read_worker(ARG(threads)));
    UNPROTECT(1);
    return result;
}
