/* Complex Fourier transforms of any smooth length, several at a time.

   FFT_WIDTH transforms run side by side: entry k of sequence w stands at k * FFT_WIDTH + w, with
   real parts in one array and imaginary parts in another. */
#ifndef REPALIGN_FFT_H
#define REPALIGN_FFT_H

#include <stddef.h>

#define FFT_WIDTH 8
#define FFT_MAX_FACTORS 64

typedef struct {
    size_t n;
    size_t factors[FFT_MAX_FACTORS];
    size_t n_factors;
    const double *cosine, *sine; /* of 2 pi k / n, k = 0 .. n - 1 */
} fft_plan;

/* Has n only factors that the transform is fast for? */
int fft_is_smooth(size_t n);

/* The smallest smooth length that is at least n. */
size_t fft_smooth_length(size_t n);

/* roots: 2 n doubles that must live as long as the plan; n smooth. */
void fft_make_plan(size_t n, double *roots, fft_plan *plan);

/* Forward transform (exponent -2 pi i k f / n) of FFT_WIDTH sequences in re, im; work: two
   more arrays of n * FFT_WIDTH. Returns 1 when the result stands in work_re, work_im, else 0. */
int fft_forward(const fft_plan *plan, double *re, double *im, double *work_re, double *work_im);

#endif
