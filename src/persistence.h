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

#include "threads.h"

/* Memory of that many bytes, all zero, which belongs to the caller; it must live until
   cross_bars() returns, and birth and death of the result beyond that. */
typedef void *(*allocate_function)(size_t bytes);

#endif
