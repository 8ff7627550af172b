/* Entry point of H values from kernels of all trials. */

#include "trial_kernels.h"

#include "entry.h"

/* The three sums of trial_kernel_sums(). m: a column for each stimulus. */
SEXP repalign_trial_kernel_sums(SEXP k, SEXP l, SEXP m, SEXP threads)
{
    begin_entry(__func__);
    const double *values = read_matrix(ARG(m));
    const size_t stimuli = matrix_columns(m), rows = matrix_rows(k);
    if (stimuli == 0 || rows % stimuli != 0 || matrix_rows(l) % stimuli != 0)
        argument_error("m", "have a column a stimulus");
    const trial_kernels t = {read_matrix_size(ARG(k), rows, rows),
                             read_matrix_size(ARG(l), matrix_rows(l), matrix_rows(l)), values,
                             stimuli, rows / stimuli, matrix_rows(l) / stimuli};
    read_matrix_rows(ARG(m), t.trials_x * t.trials_y);
    const worker by = read_worker(ARG(threads));
    double *a = scratch(rows), *b = scratch(matrix_rows(l));
    SEXP result = PROTECT(new_doubles(3));
    trial_weight_sums(&t, a, b);
    trial_kernel_sums(&t, a, b, by, scratch(stimuli * TRIAL_PARTS),
                      scratch((size_t) by.threads * trial_room(&t)), REAL(result));
    UNPROTECT(1);
    return result;
}
