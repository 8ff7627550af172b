/* Optimal transport between two sets of points with equal masses within each set, for every total
   mass from 0 on. */

#include <math.h>
#include <string.h>

#include "entry.h"

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

/* Cost entries read between two interrupt checks: some ten milliseconds. */
#define PAUSE_ENTRIES 16777216

static void count_reading(transport *t, size_t entries)
{
    t->read += entries;
    if (t->read < PAUSE_ENTRIES) return;
    t->read = 0;
    t->pause();
}

static double cost_of(const transport *t, int source, int sink)
{
    return t->cost[(size_t) source * t->sinks + (size_t) sink];
}

static int is_free(const transport *t, int source) { return t->supply[source] > 0.0; }

/* ---- free sources */

static void find_best(transport *t, int sink)
{
    int best = NO_PLACE;
    double least = INFINITY;
    for (size_t k = 0; k < t->free_count; k++) {
        const double c = cost_of(t, t->free[k], sink);
        if (c >= least) continue;
        least = c;
        best = t->free[k];
    }
    t->best[sink] = best;
    t->best_cost[sink] = least;
    count_reading(t, t->free_count);
}

/* ---- search */

/* A source that flows into a settled sink: the ways to all sinks over it, in one go along the
   costs. */
static void reach(transport *t, int source, int sink)
{
    const double *cost = t->cost + (size_t) source * t->sinks, *discount = t->discount;
    const double price = t->price[source] - t->level;
    double *distance = t->distance;
    t->is_reached[source] = 1;
    t->from_sink[source] = sink;
    t->reached[t->reached_count++] = source;
    t->price[source] = price;
    for (size_t i = 0; i < t->sinks; i++) {
        const double by_way = cost[i] - price - discount[i];
        if (by_way >= distance[i]) continue;
        distance[i] = by_way;
        t->from_source[i] = source;
    }
    count_reading(t, t->sinks);
}

static void go_back(transport *t, int sink)
{
    for (int e = t->flow.first[sink]; e != NO_PLACE; e = t->flow.next[e]) {
        const int source = t->flow.source[e];
        if (!is_free(t, source) && !t->is_reached[source]) reach(t, source, sink);
    }
}

/* The free sink at the end of a shortest path. Settled sinks are endlessly far, and nothing brings
   them nearer. */
static int search_path(transport *t)
{
    const double *distance = t->distance;
    for (;;) {
        /* of equally near ones the first */
        size_t sink = 0;
        double nearest = distance[0];
        for (size_t i = 1; i < t->sinks; i++) {
            if (distance[i] >= nearest) continue;
            nearest = distance[i];
            sink = i;
        }
        count_reading(t, t->sinks);
        /* rounding may have it a little nearer than what was settled before */
        t->level = fmax(t->level, nearest);
        if (t->demand[sink] > 0.0) return (int) sink;
        t->settled[t->settled_count++] = (int) sink;
        t->is_settled[sink] = 1;
        t->kept_discount[sink] = t->discount[sink] + t->level;
        t->discount[sink] = -INFINITY;
        t->distance[sink] = INFINITY;
        go_back(t, (int) sink);
    }
}

/* ---- what a search loses */

/* Does the way to a source still stand? That of the sink before it has been judged. */
static int stands(const transport *t, int source)
{
    if (is_free(t, source)) return 1;
    return t->is_reached[source] && !t->is_cut[source] && t->is_settled[t->from_sink[source]];
}

/* Forgets what stands no more. Sinks were settled in the order of their ways; those whose nearest
   way is lost get the nearest of the others, of which those from free sources are known. Sources
   that were reached by what is lost may be reached from what is left. */
static void forget_lost(transport *t)
{
    size_t kept = 0, lost = 0;
    for (size_t k = 0; k < t->settled_count; k++) {
        const int sink = t->settled[k];
        if (stands(t, t->from_source[sink])) {
            t->settled[kept++] = sink;
            continue;
        }
        t->is_settled[sink] = 0;
        t->discount[sink] = t->kept_discount[sink] - t->level;
    }
    t->settled_count = kept;
    kept = 0;
    for (size_t k = 0; k < t->reached_count; k++) {
        const int source = t->reached[k];
        if (stands(t, source)) {
            t->reached[kept++] = source;
            continue;
        }
        t->is_reached[source] = t->is_cut[source] = 0;
        t->price[source] += t->level;
    }
    t->reached_count = kept;
    for (size_t i = 0; i < t->sinks; i++) {
        const int from = t->from_source[i];
        const int is_known = isfinite(t->distance[i]) && (is_free(t, from) || t->is_reached[from]);
        if (t->is_settled[i] || is_known) continue;
        t->distance[i] = t->best_cost[i] - t->discount[i];
        t->from_source[i] = t->best[i];
        t->lost[lost++] = (int) i;
    }
    for (size_t k = 0; k < t->reached_count; k++)
        for (size_t l = 0; l < lost; l++) {
            const int source = t->reached[k], sink = t->lost[l];
            const double by_way = cost_of(t, source, sink) - t->price[source] - t->discount[sink];
            if (by_way >= t->distance[sink]) continue;
            t->distance[sink] = by_way;
            t->from_source[sink] = source;
        }
    count_reading(t, t->reached_count * lost);
    for (size_t k = 0; k < t->settled_count; k++) go_back(t, t->settled[k]);
}

/* ---- flow */

static int find_entry(const transport_flow *f, int source, int sink)
{
    int e = f->first[sink];
    while (e != NO_PLACE && f->source[e] != source) e = f->next[e];
    return e;
}

static void add_flow(transport_flow *f, int source, int sink, double units)
{
    int e = find_entry(f, source, sink);
    if (e == NO_PLACE) {
        e = f->spare;
        if (e != NO_PLACE) f->spare = f->next[e];
        else e = (int) f->used++;
        f->source[e] = source;
        f->amount[e] = 0.0;
        f->next[e] = f->first[sink];
        f->first[sink] = e;
    }
    f->amount[e] += units;
}

/* Is there none left? */
static int take_flow(transport_flow *f, int source, int sink, double units)
{
    int *link = &f->first[sink];
    while (f->source[*link] != source) link = &f->next[*link];
    const int e = *link;
    f->amount[e] -= units;
    if (f->amount[e] > 0.0) return 0;
    *link = f->next[e];
    f->next[e] = f->spare;
    f->spare = e;
    return 1;
}

/* Notes the path to a sink from its end on; it begins at a free source, where the search did not go
   back. Its cost for a unit is the sum of what is added, less what is taken away. */
static void note_path(const transport *t, int end, transport_step *step)
{
    step->length = 0;
    step->unit_cost = 0.0;
    int sink = end;
    for (;;) {
        const int source = t->from_source[sink];
        step->source[step->length] = source;
        step->sink[step->length++] = sink;
        step->unit_cost += cost_of(t, source, sink);
        if (t->supply[source] > 0.0) return;
        sink = t->from_sink[source];
        step->source[step->length] = source;
        step->sink[step->length++] = sink;
        step->unit_cost -= cost_of(t, source, sink);
    }
}

/* 0 when no source has units left. There must be room in the pool for as many new entries as the
   smaller number of points. */
static int transport_augment(transport *t, transport_step *step)
{
    if (t->free_count == 0) return 0;
    const int end = search_path(t);
    note_path(t, end, step);
    const int start = step->source[step->length - 1];
    step->units = t->supply[start] < t->demand[end] ? t->supply[start] : t->demand[end];
    for (size_t k = 1; k < step->length; k += 2) {
        const double here = t->flow.amount[find_entry(&t->flow, step->source[k], step->sink[k])];
        if (here < step->units) step->units = here;
    }
    int is_lost = 0;
    for (size_t k = 0; k < step->length; k++) {
        const int source = step->source[k], sink = step->sink[k];
        if (k % 2 == 0) add_flow(&t->flow, source, sink, step->units);
        else if (take_flow(&t->flow, source, sink, step->units)) is_lost = t->is_cut[source] = 1;
    }
    t->demand[end] -= step->units;
    t->supply[start] -= step->units;
    if (!is_free(t, start)) {
        /* a source without units leaves the list, which stays in order */
        size_t kept = 0;
        for (size_t k = 0; k < t->free_count; k++)
            if (t->free[k] != start) t->free[kept++] = t->free[k];
        t->free_count = kept;
        t->price[start] = t->level;
        for (size_t i = 0; i < t->sinks; i++)
            if (t->best[i] == start) find_best(t, (int) i);
        is_lost = 1;
    }
    if (is_lost) forget_lost(t);
    return 1;
}

/* Scratch of twice the length with the same values at its beginning; the old one goes with the
   call. */
static int *longer_ints(const int *from, size_t length)
{
    int *to = int_scratch(2 * length);
    memcpy(to, from, length * sizeof(int));
    return to;
}

static double *longer_doubles(const double *from, size_t length)
{
    double *to = scratch(2 * length);
    memcpy(to, from, length * sizeof(double));
    return to;
}

static transport new_transport(const double *cost, size_t sinks, size_t sources)
{
    const size_t capacity = 4 * (sinks + sources);
    transport t = {
        .sources = sources, .sinks = sinks, .cost = cost, .supply = scratch(sources),
        .price = scratch(sources), .is_reached = zeroed_bytes(sources * sizeof(int)),
        .is_cut = zeroed_bytes(sources * sizeof(int)), .from_sink = int_scratch(sources),
        .free = int_scratch(sources), .reached = int_scratch(sources), .demand = scratch(sinks),
        .discount = zeroed_bytes(sinks * sizeof(double)), .kept_discount = scratch(sinks),
        .is_settled = zeroed_bytes(sinks * sizeof(int)), .distance = scratch(sinks),
        .best_cost = scratch(sinks), .from_source = int_scratch(sinks), .best = int_scratch(sinks),
        .settled = int_scratch(sinks), .lost = int_scratch(sinks), .pause = check_interrupt,
        .free_count = sources, .level = -INFINITY,
        .flow = {.first = int_scratch(sinks), .source = int_scratch(capacity),
                 .next = int_scratch(capacity), .amount = scratch(capacity), .spare = NO_PLACE,
                 .capacity = capacity}};
    size_t divisor = sinks;
    for (size_t rest = sources; rest > 0;) {
        const size_t last = divisor;
        divisor = rest;
        rest = last % divisor;
    }
    for (size_t j = 0; j < sources; j++) {
        t.supply[j] = (double) (sinks / divisor);
        t.free[j] = (int) j;
    }
    for (size_t i = 0; i < sinks; i++) {
        t.demand[i] = (double) (sources / divisor);
        t.flow.first[i] = NO_PLACE;
        find_best(&t, (int) i);
        t.distance[i] = t.best_cost[i];
        t.from_source[i] = t.best[i];
    }
    return t;
}

/* All steps of a run: units, cost and length of each, and the places in the costs (one-based,
   negative where units are taken away) of all their paths, one after another. */
typedef struct {
    double *units, *cost;
    int *length, *row, *column;
    size_t steps, steps_room, places, places_room;
} transport_log;

static void log_step(transport_log *l, const transport_step *step)
{
    if (l->steps == l->steps_room) {
        l->units = longer_doubles(l->units, l->steps);
        l->cost = longer_doubles(l->cost, l->steps);
        l->length = longer_ints(l->length, l->steps);
        l->steps_room *= 2;
    }
    l->units[l->steps] = step->units;
    l->cost[l->steps] = step->unit_cost;
    l->length[l->steps++] = (int) step->length;
    while (l->places + step->length > l->places_room) {
        l->row = longer_ints(l->row, l->places_room);
        l->column = longer_ints(l->column, l->places_room);
        l->places_room *= 2;
    }
    for (size_t k = 0; k < step->length; k++) {
        l->row[l->places] = step->sink[k] + 1;
        l->column[l->places++] = k % 2 ? -(step->source[k] + 1) : step->source[k] + 1;
    }
}

/* The run of optimal transport between the rows and the columns of a matrix of costs. Each row has
   columns/g units to take and each column rows/g to give, g their greatest common divisor. */
SEXP repalign_transport(SEXP cost)
{
    const double *entries = read_matrix(ARG(cost));
    const size_t rows = matrix_rows(cost), columns = matrix_columns(cost);
    if (rows == 0 || columns == 0) argument_error("cost", "not be empty");
    if (!all_finite(entries, rows * columns)) argument_error("cost", "be finite");
    transport t = new_transport(entries, rows, columns);
    const size_t smaller = rows < columns ? rows : columns, room = rows + columns;
    transport_step step = {0.0, 0.0, 0, int_scratch(2 * smaller), int_scratch(2 * smaller)};
    transport_log all = {scratch(room), scratch(room), int_scratch(room), int_scratch(8 * room),
                         int_scratch(8 * room), 0, room, 0, 8 * room};
    while (transport_augment(&t, &step)) {
        log_step(&all, &step);
        transport_flow *f = &t.flow;
        if (f->used + smaller + 1 <= f->capacity) continue;
        if (f->capacity > INT_MAX / 2) entry_error("the plan has too many entries");
        f->source = longer_ints(f->source, f->capacity);
        f->next = longer_ints(f->next, f->capacity);
        f->amount = longer_doubles(f->amount, f->capacity);
        f->capacity *= 2;
    }
    SEXP result = PROTECT(NAMED_LIST("units", "cost", "length", "row", "column"));
    memcpy(put_doubles(result, 0, all.steps), all.units, all.steps * sizeof(double));
    memcpy(put_doubles(result, 1, all.steps), all.cost, all.steps * sizeof(double));
    memcpy(put_integers(result, 2, all.steps), all.length, all.steps * sizeof(int));
    memcpy(put_integers(result, 3, all.places), all.row, all.places * sizeof(int));
    memcpy(put_integers(result, 4, all.places), all.column, all.places * sizeof(int));
    UNPROTECT(1);
    return result;
}
