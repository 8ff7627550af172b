/* H values of neuron pairs from moments of units, with nothing and with each unit deleted.

   A unit is a piece of the data that is independent of the others: a cluster of stimuli, or a
   stimulus with its trials. For a pair of neurons its moments are means over its members, the
   pairs of responses that may be multiplied: p of the products, x and y of the two responses. With
   d_uv = p_u + p_v - x_u y_v - x_v y_u for two units u and v, the corrected estimate is the mean
   over choices of four different units of products of d, which comes to

       t1 / (B)_2 - 2 t2 / (B)_3 + t3 / (B)_4,    (B)_k = B (B - 1) ... (B - k + 1),

   where t1, t2 and t3 are made of 13 sums over the B units (power_sums in unit_moments.c). Deleting
   a unit takes its part off each sum. Units of one stimulus each give the corrected estimate of
   estimator.h. The naive estimate is that of all members as if they were independent. */
#ifndef REPALIGN_UNIT_MOMENTS_H
#define REPALIGN_UNIT_MOMENTS_H

#include <stddef.h>

#include "pause.h"

/* Neuron pairs that are taken together, in lanes. */
#define PAIR_LANES 16

/* The moments of unit u for the neuron pair in lane b stand at [u * PAIR_LANES + b]; size: how many
   members each unit has. */
typedef struct {
    size_t units;
    const double *size, *p, *x, *y;
} unit_moments;

/* Values of all lanes: row 0 with nothing deleted, row u + 1 without unit u, or row 0 alone
   (deletions = 0). */
void unit_estimates(const unit_moments *moments, int deletions, double *naive, double *corrected);

/* The corrected values alone, where some units have no member for some neuron pairs: such a unit
   has present = 0 (else 1) and moments of 0, and does not count. `size` is not used. NaN where
   fewer than four units are left. */
void present_estimates(const unit_moments *moments, const double *present, int deletions,
                       double *corrected);

/* Stimuli in clusters: rows in the order of their clusters, where each cluster starts (units + 1
   of them), and its size. */
typedef struct {
    size_t n, units;
    const int *order;
    const size_t *start;
    const double *size;
} cluster_layout;

/* rows: one-based codes 1 .. units, each of which occurs. Fills the three arrays. */
cluster_layout lay_out_clusters(const int *codes, size_t n, size_t units, int *order,
                                size_t *start, double *size);

/* Two n x q matrices of the same stimuli. */
typedef struct {
    const double *x, *y;
    size_t qx, qy;
} response_pair;

/* Scratch: rows of both sides (n lanes each), moments (units lanes each) and estimates
   (units + 1 lanes each). */
typedef struct {
    double *rows_x, *rows_y, *p, *mean_x, *mean_y, *naive, *corrected;
} moment_scratch;

/* The value of every neuron pair: qx x qy. */
void unit_terms(cluster_layout layout, response_pair r, moment_scratch z, pause_function pause,
                double *naive, double *corrected);

/* For each column of x the sum over all columns of y, times weights (qx x qy; NULL: of 1):
   (units + 1) x qx. */
void unit_columns(cluster_layout layout, response_pair r, const double *w, moment_scratch z,
                  pause_function pause, double *naive, double *corrected);

/* Totals weighted by w (qx x qy): units + 1 values, or the first alone. w NULL: weights of 1. */
void unit_weighted(cluster_layout layout, response_pair r, const double *w, int deletions,
                   moment_scratch z, pause_function pause, double *naive, double *corrected);

/* For each of some pairs of a column of x and one of y, counted from zero: (units + 1) x pairs. */
void unit_pairs(cluster_layout layout, response_pair r, const int *ix, const int *iy, size_t pairs,
                moment_scratch z, pause_function pause, double *naive, double *corrected);

#endif
