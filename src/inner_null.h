/* Permutation nulls of inner products of two symmetric matrices over the stimuli:
   T(p) = sum_ij A_ij B_p(i)p(j).

   A coset of permutations p_t(i) = s((g(i) + t) mod n), t = 0 .. n - 1, takes one Fourier
   transform per diagonal of the relabelled matrices; see the help page of calibrate(). */
#ifndef REPALIGN_INNER_NULL_H
#define REPALIGN_INNER_NULL_H

#include "fft.h"
#include "threads.h"

/* Diagonals go in blocks; two of them make one complex sequence. */
typedef struct {
    size_t n;          /* samples */
    size_t length;     /* of the transforms: n, or padded beyond 2 n when n is not smooth */
    size_t sequences;  /* complex sequences a block (a multiple of FFT_WIDTH) */
    size_t batch;      /* doubles from FFT_WIDTH sequences to the next ones */
    fft_plan plan;
    worker by;
} diagonal_plan;

/* Complex sequences in a batch stand `batch_stride` doubles from the next ones: a cache line
   more than they take, or at lengths that are powers of two all would share a cache set. */
size_t batch_stride(size_t length);

/* Doubles of one block of diagonals, for one layer. */
size_t block_doubles(const diagonal_plan *plan);

/* Blocks that cover the diagonals 0 .. n / 2. */
size_t diagonal_blocks(const diagonal_plan *plan);

/* An order (zero-based, n) repeated beyond its end, so that diagonals need no remainders;
   its length. */
size_t extended_length(const diagonal_plan *plan);
void extend_order(const diagonal_plan *plan, const int *order, int *extended);

/* weight: 2 sequences; work: 2 batches a thread; gathered: 2 blocks of batches a thread, unused for
   a single layer. */
typedef struct {
    double *weight, *work, *gathered;
} diagonal_scratch;

/* Spectra of one block of diagonals of `layers` matrices relabelled by `order` (extended).
   Batches of FFT_WIDTH sequences: sequence w of batch b, a layer and a frequency stands in re, im
   at b * batch * layers + (frequency * layers + layer) * FFT_WIDTH + w. periodic: the side that
   is shifted. Every diagonal counts once for the pair (i, j) and once for (j, i): the other
   side carries that weight. */
void diagonal_spectra(const diagonal_plan *plan, const double *const *matrices, size_t layers,
                      const int *order, size_t block, int periodic, diagonal_scratch *scratch,
                      double *re, double *im);

/* Adds the sum over sequences of conj(x) y to p (frequencies x layers_x x layers_y, the first
   layer index fastest). work: 2 sequences (layers_x + layers_y) doubles a thread. */
void add_cross_spectra(const diagonal_plan *plan, const double *x_re, const double *x_im,
                       size_t layers_x, const double *y_re, const double *y_im, size_t layers_y,
                       double *work, double *p_re, double *p_im);

/* T(t), t = 0 .. n - 1 for each pair of layers, from the summed spectra: pair l at
   out + l * stride. work: 4 batches a thread. */
void shifts_from_spectra(const diagonal_plan *plan, const double *p_re, const double *p_im,
                         size_t pairs, double *work, double *out, size_t stride);

/* T for each of `count` permutations (zero-based, one after the other) and each pair of
   layers: permutation k of pair (i, j) at out[k + count * (i + layers_x * j)]. */
void permuted_inner_products(const double *const *x, size_t layers_x, const double *const *y,
                             size_t layers_y, size_t n, const int *permutations, size_t count,
                             worker by, double *out);

#endif
