/* The cone over D_t that persistence.c describes, for that file alone: its edges, when they and
   their triangles with the apex w are born, and which edges have an apparent pair. */
#ifndef REPALIGN_CONE_COMPLEX_H
#define REPALIGN_CONE_COMPLEX_H

#include "threads.h"

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

#define PARTNER_APEX (-1)
#define PARTNER_NONE (-2)

static inline size_t edge_number(size_t j, size_t k)
{
    return j > k ? j * (j - 1) / 2 + k : k * (k - 1) / 2 + j;
}

edge edge_of(size_t number);

/* The complex of two clouds of n points: first, second are their distances, as stats::dist() orders
   them. bars: the number of edges without a partner, each of which is a bar to come. */
cone_complex new_cone_complex(const double *first, const double *second, size_t n, worker by,
                              size_t *bars);

#endif
