/* H of the expected kernels of different stimuli, from the kernels of all trials. */
#ifndef REPALIGN_TRIAL_KERNELS_H
#define REPALIGN_TRIAL_KERNELS_H

#include <stddef.h>

#include "threads.h"

/* k and l: symmetric kernels of all trials of the two sides, whose trials are the fastest. m: for
   each stimulus a matrix of trials_x by trials_y, the weights of the pairs of trials that may be
   multiplied. */
typedef struct {
    const double *k, *l, *m;
    size_t stimuli, trials_x, trials_y;
} trial_kernels;

/* Let K_ij, L_ij be the blocks of two stimuli, M_i the weights, a_i and b_i the sums of their rows
   and columns. Over different stimuli,
     sums[0] = sum K_ij o (M_i L_ij M_j'),  sums[1] = sum (K_ij a_j)' M_i (L_ik b_k),
     sums[2] = sum (a_i' K_ij a_j) (b_k' L_kl b_l).
   partial: scratch of TRIAL_PARTS a stimulus; room: trial_room() a thread. */
#define TRIAL_PARTS 5
size_t trial_room(const trial_kernels *t);
void trial_kernel_sums(const trial_kernels *t, const double *a, const double *b, worker by,
                       double *partial, double *room, double *sums);

/* a (trials_x a stimulus) and b (trials_y a stimulus): the sums of the rows and columns of the
   weights. */
void trial_weight_sums(const trial_kernels *t, double *a, double *b);

#endif
