/* The cross-barcode of two clouds of n points: bars of H1 of the Vietoris-Rips filtration
   of the 2n x 2n matrix [[0, A], [A, B]], A the distances of the first cloud, B the smaller
   of both.

   The upper n points are at mutual distance 0: a full simplex Z at all times. At time t a
   simplex of lower points s lies in the complex of B, and it spans simplices with every
   set of upper points that are within t (in A) of all of s. Over each s that has such an
   upper point lies a full simplex of them, so the mixed part may be contracted onto
   D_t = {s in VR_t(B) : some i has A_ij <= t for all j in s}, and Z onto one point w: what
   is left is VR_t(B) with a cone from w over D_t. H1 needs its triangles only:

     w-j      at 0 for all j
     j-k      at B_jk
     w-j-k    at c_jk = max(B_jk, min over i of max(A_ij, A_ik))
     j-k-l    at the largest of its three B

   n + 1 points instead of 2n. The edges w-j span a tree at time 0, so every other edge
   gives birth to one class (nothing to clear), and most of them die at once: the edge and
   a triangle born with it are an apparent pair. Only the others, few, are reduced.

   Where an edge joins two components of VR_t(B), its class is a cut: the cochain that is 1
   on all edges that leave one component. It is kept as the set of that component's points,
   as it is huge as a set of edges; its coboundary has triangles at w only. */
#ifndef REPALIGN_PERSISTENCE_H
#define REPALIGN_PERSISTENCE_H

#include <stddef.h>
#include <stdint.h>

#include "pause.h"

/* k < j */
typedef struct {
    int j, k;
} edge;

/* Edge j-k has the number j (j - 1) / 2 + k; edges of equal B go by number.
   apex: c. partner: the triangle that the edge forms an apparent pair with. */
typedef struct {
    size_t n;
    const double *first; /* A, n x n */
    const double *both;  /* B, n x n */
    double *apex;        /* one an edge */
    int *partner;        /* one an edge */
    edge *by_apex;       /* edges by rising c, then number */
} cone_complex;

/* A triangle in the order of the filtration: by value, then by key (its latest edge times
   n + 1, plus 0 for the apex w and l + 1 for an opposite vertex l). Also an edge (key: its
   number) and its value. */
typedef struct {
    double value;
    uint64_t key;
} face;

/* More room for an array, its content kept; all that was given belongs to the caller. */
typedef void *(*resize_function)(void *old, size_t old_bytes, size_t new_bytes);

/* Square matrix of distances in the order of stats::dist(); the smaller of two. */
void fill_square(const double *packed, size_t n, double *square);
void fill_smaller(const double *left, const double *right, size_t n, double *square);

/* Fills in apex, partner and by_apex; returns the number of edges without a partner (the
   bars to come). scratch: one an edge. */
size_t fill_complex(const cone_complex *c, int threads, edge *scratch, pause_function pause);

/* Scratch for `bars` bars, by length. */
typedef struct {
    face *column;           /* bars */
    size_t *start;          /* bars + 1 */
    uint64_t *potential;    /* bars x potential_words(n), all zero */
    uint64_t *owner_key;    /* owner_slots(bars), all zero */
    size_t *owner;          /* owner_slots(bars) */
    unsigned char *in_chain; /* one an edge, all zero */
    unsigned char *side;    /* n */
    face *tree;             /* n */
    int *label;             /* n */
    resize_function resize;
} bar_scratch;
size_t owner_slots(size_t bars);
size_t potential_words(size_t n);

/* birth, death: bars values each, latest birth first. */
void cross_bars(const cone_complex *c, size_t bars, bar_scratch scratch, pause_function pause,
                double *birth, double *death);

#endif
