/* Optimal transport between two sets of points with equal masses within each set, for every total
   mass from 0 on. */
#ifndef REPALIGN_TRANSPORT_H
#define REPALIGN_TRANSPORT_H

#include <stddef.h>

#include "pause.h"

#define NO_PLACE (-1)

/* What flows into each sink, as linked lists in a pool of `capacity` entries: `first` has the head
   of each sink's list, `next` what follows an entry; entries not in use are linked from `spare`. */
typedef struct {
    int *first, *source, *next;
    double *amount;
    int spare;
    size_t used, capacity;
} transport_flow;

/* cost: sinks x sources, column-major. supply, demand: the units left. Of each source: `price`
   (less the level where it is reached); `from_sink`, by which it was reached; is_reached; is_cut:
   whether what flowed to that sink is gone. Of each sink: `discount`, or, once it is settled,
   `kept_discount` (plus the level); `distance`, at which level it is settled, by `from_source`;
   is_settled; and the free source that is cheapest for it (best, best_cost). free, reached: lists
   of sources, settled and lost: lists of sinks. */
typedef struct {
    size_t sources, sinks;
    const double *cost;
    double *supply, *demand, *price, *discount, *kept_discount, *distance, *best_cost;
    int *is_reached, *is_cut, *is_settled, *from_sink, *from_source, *best;
    int *free, *reached, *settled, *lost;
    size_t free_count, reached_count, settled_count, read;
    double level;
    transport_flow flow;
    pause_function pause;
} transport;

/* One augmentation: more units along the path that costs least for each. source, sink: the steps of
   the path from its end on; at even places units are added, at odd ones taken away. They have room
   for twice the smaller number of points. */
typedef struct {
    double units, unit_cost;
    size_t length;
    int *source, *sink;
} transport_step;

/* All memory of `t` is there, with cost, supply, demand, flow (its pool) and pause set. */
void transport_begin(transport *t);

/* 0 when no source has units left. There must be room in the pool for as many new entries as the
   smaller number of points. */
int transport_augment(transport *t, transport_step *step);

#endif
