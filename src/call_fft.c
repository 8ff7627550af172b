/* Entry point of the Fourier transform. */

#include "fft.h"

#include "entry.h"

/* Columns first .. first + count - 1 of re and im (n rows) side by side, transformed, into the
   same columns of out_re and out_im. work: 4 n FFT_WIDTH. */
static void transform_columns(const fft_plan *plan, const double *re, const double *im,
                              size_t first, size_t count, double *work, double *out_re,
                              double *out_im)
{
    const size_t n = plan->n, size = n * FFT_WIDTH;
    for (size_t w = 0; w < count; w++)
        for (size_t i = 0; i < n; i++) {
            work[i * FFT_WIDTH + w] = re[i + (first + w) * n];
            work[size + i * FFT_WIDTH + w] = im[i + (first + w) * n];
        }
    const int moved = fft_forward(plan, work, work + size, work + 2 * size, work + 3 * size);
    const double *from = work + (moved ? 2 * size : 0);
    for (size_t w = 0; w < count; w++)
        for (size_t i = 0; i < n; i++) {
            out_re[i + (first + w) * n] = from[i * FFT_WIDTH + w];
            out_im[i + (first + w) * n] = from[size + i * FFT_WIDTH + w];
        }
}

/* list(re, im): forward transform of the columns of a complex matrix. Only the tests call it. */
SEXP repalign_fourier(SEXP re, SEXP im)
{
    begin_entry(__func__);
    const double *real = read_matrix(ARG(re));
    const size_t n = matrix_rows(re), columns = matrix_columns(re);
    const double *imaginary = read_matrix_size(ARG(im), n, columns);
    if (!fft_is_smooth(n)) argument_error("re", "have a number of rows without large factors");
    const char *names[] = {"re", "im", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *out_re = put_matrix(result, 0, n, columns), *out_im = put_matrix(result, 1, n, columns);
    fft_plan plan;
    fft_make_plan(n, scratch(2 * n), &plan);
    double *work = zeroed_bytes(4 * n * FFT_WIDTH * sizeof(double));
    for (size_t j = 0; j < columns; j += FFT_WIDTH)
        transform_columns(&plan, real, imaginary, j,
                          columns - j < FFT_WIDTH ? columns - j : FFT_WIDTH, work, out_re, out_im);
    UNPROTECT(1);
    return result;
}
