/* Maps of a statistic over places: exact TFCE, clusters, and the largest value under each of many
   sign flips of the subjects. */
#ifndef REPALIGN_MAP_NULL_H
#define REPALIGN_MAP_NULL_H

#include <stddef.h>
#include <stdint.h>

#include "threads.h"

/* Which places touch: those of place i are near[start[i]] to near[start[i + 1] - 1], from 0. */
typedef struct {
    const int *start, *near;
    size_t places;
} place_graph;

/* What a map is corrected by. both: do negative values count, too, apart from positive ones? */
typedef enum { CORRECT_MAX = 0, CORRECT_CLUSTERS = 1, CORRECT_TFCE = 2 } map_correction;
typedef struct {
    map_correction kind;
    int both;
    double cutoff;       /* of clusters: places above it */
    const double *power; /* of TFCE: n^E for n = 0 .. places */
    double height;       /* of TFCE: H */
} correction;

/* A sort key with its place. */
typedef struct {
    uint64_t key;
    int place;
} keyed_place;

/* Room of one thread. */
typedef struct {
    keyed_place *cells, *others; /* places each */
    int *root, *up, *size;       /* places each; root is filled with -1 between two calls */
    double *level, *value;       /* places each */
} map_room;

/* Threshold-free enhancement of a map, exactly; returns its largest absolute value. enhanced: a
   value a place (those of negative values are negative), or NULL. */
double enhance_map(const double *map, const place_graph *graph, const correction *by,
                   map_room *room, double *enhanced);

/* Connected places above the cutoff; returns the largest absolute sum of values of a cluster.
   label: the number of each place's cluster from 1, in the order of their first places, or 0; or
   NULL. */
double cluster_map(const double *map, const place_graph *graph, const correction *by,
                   map_room *room, int *label);

/* How sums over subjects become the statistic: with `squares` (a sum of squares a place) t, and
   otherwise sum * factor. */
typedef struct {
    const double *squares;
    double subjects, factor;
} map_statistic;

/* sums: places x flips, replaced by the statistic. reached (a number a place) is increased by how
   many flips have a statistic (with `both` an absolute one) of at least `least`; largest: of each
   flip. rooms: one for each thread. */
void map_null(double *sums, size_t flips, const place_graph *graph, const map_statistic *statistic,
              const correction *by, const double *least, worker worker, map_room *rooms,
              double *reached, double *largest);

#endif
