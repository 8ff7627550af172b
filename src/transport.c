/* Optimal transport: see transport.h.

   Successive shortest paths. A search (Dijkstra's algorithm) starts at all free sources at once;
   each path that it finds to a free sink has the least cost for one more unit, so that the flow is
   optimal for its own total at every step, and costs rise from step to step.

   The search is not begun anew for each path: what it has reached stays, but for what hung on an
   edge that no longer has any flow, or on a source without units. `level` is how far the search has
   come. Prices and discounts keep the reduced costs cost - price - discount from being negative,
   with 0 wherever something flows. Those of what was reached change with the level, prices of
   sources by as much as it rises and discounts of sinks by as much downwards; so what is kept of
   them is price - level and discount + level. Free sources have the level as their price. */

#include "transport.h"

#include <math.h>

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

/* A source without units leaves the list, which stays in order. */
static void leave_free(transport *t, int source)
{
    size_t kept = 0;
    for (size_t k = 0; k < t->free_count; k++)
        if (t->free[k] != source) t->free[kept++] = t->free[k];
    t->free_count = kept;
    t->price[source] = t->level;
    for (size_t i = 0; i < t->sinks; i++)
        if (t->best[i] == source) find_best(t, (int) i);
}

void transport_begin(transport *t)
{
    t->free_count = t->sources;
    t->read = t->reached_count = t->settled_count = 0;
    t->flow.used = 0;
    t->flow.spare = NO_PLACE;
    t->level = -INFINITY;
    for (size_t j = 0; j < t->sources; j++) {
        t->free[j] = (int) j;
        t->is_reached[j] = t->is_cut[j] = 0;
    }
    for (size_t i = 0; i < t->sinks; i++) {
        t->discount[i] = 0.0;
        t->is_settled[i] = 0;
        t->flow.first[i] = NO_PLACE;
        find_best(t, (int) i);
        t->distance[i] = t->best_cost[i];
        t->from_source[i] = t->best[i];
    }
}

/* ---- search */

/* The nearest sink that is not settled, of equally near ones the first. Settled ones are endlessly
   far, and nothing brings them nearer. */
static int nearest_sink(transport *t)
{
    const double *distance = t->distance;
    double least = distance[0];
    size_t at = 0;
    for (size_t i = 1; i < t->sinks; i++) {
        if (distance[i] >= least) continue;
        least = distance[i];
        at = i;
    }
    count_reading(t, t->sinks);
    return (int) at;
}

static void shorten(transport *t, int source, int sink)
{
    const double by_way = cost_of(t, source, sink) - t->price[source] - t->discount[sink];
    if (by_way >= t->distance[sink]) return;
    t->distance[sink] = by_way;
    t->from_source[sink] = source;
}

/* The same for all sinks, in one go along the costs. */
static void shorten_all(transport *t, int source)
{
    const double *cost = t->cost + (size_t) source * t->sinks, *discount = t->discount;
    const double price = t->price[source];
    double *distance = t->distance;
    for (size_t i = 0; i < t->sinks; i++) {
        const double by_way = cost[i] - price - discount[i];
        if (by_way >= distance[i]) continue;
        distance[i] = by_way;
        t->from_source[i] = source;
    }
    count_reading(t, t->sinks);
}

/* A source that flows into a settled sink. */
static void reach(transport *t, int source, int sink)
{
    t->is_reached[source] = 1;
    t->from_sink[source] = sink;
    t->reached[t->reached_count++] = source;
    t->price[source] -= t->level;
    shorten_all(t, source);
}

static void go_back(transport *t, int sink)
{
    for (int e = t->flow.first[sink]; e != NO_PLACE; e = t->flow.next[e]) {
        const int source = t->flow.source[e];
        if (!is_free(t, source) && !t->is_reached[source]) reach(t, source, sink);
    }
}

static void settle(transport *t, int sink)
{
    t->settled[t->settled_count++] = sink;
    t->is_settled[sink] = 1;
    t->kept_discount[sink] = t->discount[sink] + t->level;
    t->discount[sink] = -INFINITY;
    t->distance[sink] = INFINITY;
    go_back(t, sink);
}

/* The free sink at the end of a shortest path. */
static int search_path(transport *t)
{
    for (;;) {
        const int sink = nearest_sink(t);
        /* rounding may have it a little nearer than what was settled before */
        t->level = fmax(t->level, t->distance[sink]);
        if (t->demand[sink] > 0.0) return sink;
        settle(t, sink);
    }
}

/* ---- what a search loses */

/* Does the way to a source still stand? That of the sink before it has been judged. */
static int stands(const transport *t, int source)
{
    if (is_free(t, source)) return 1;
    return t->is_reached[source] && !t->is_cut[source] && t->is_settled[t->from_sink[source]];
}

/* Sinks were settled in the order of their ways. */
static void forget_sinks(transport *t)
{
    size_t kept = 0;
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
}

static void forget_sources(transport *t)
{
    size_t kept = 0;
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
}

/* Sinks whose nearest way is lost get the nearest of the others, of which those from free sources
   are known. */
static void find_other_ways(transport *t)
{
    size_t lost = 0;
    for (size_t i = 0; i < t->sinks; i++) {
        const int from = t->from_source[i];
        const int is_known = isfinite(t->distance[i]) && (is_free(t, from) || t->is_reached[from]);
        if (t->is_settled[i] || is_known) continue;
        t->distance[i] = t->best_cost[i] - t->discount[i];
        t->from_source[i] = t->best[i];
        t->lost[lost++] = (int) i;
    }
    for (size_t k = 0; k < t->reached_count; k++)
        for (size_t l = 0; l < lost; l++) shorten(t, t->reached[k], t->lost[l]);
    count_reading(t, t->reached_count * lost);
}

/* Sources that were reached by what is lost may be reached from what is left. */
static void forget_lost(transport *t)
{
    forget_sinks(t);
    forget_sources(t);
    find_other_ways(t);
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

static double units_of_path(const transport *t, const transport_step *step)
{
    const int start = step->source[step->length - 1], end = step->sink[0];
    double units = t->supply[start] < t->demand[end] ? t->supply[start] : t->demand[end];
    for (size_t k = 1; k < step->length; k += 2) {
        const double here = t->flow.amount[find_entry(&t->flow, step->source[k], step->sink[k])];
        if (here < units) units = here;
    }
    return units;
}

int transport_augment(transport *t, transport_step *step)
{
    if (t->free_count == 0) return 0;
    const int end = search_path(t);
    note_path(t, end, step);
    step->units = units_of_path(t, step);
    int is_lost = 0;
    for (size_t k = 0; k < step->length; k++) {
        const int source = step->source[k], sink = step->sink[k];
        if (k % 2 == 0) add_flow(&t->flow, source, sink, step->units);
        else if (take_flow(&t->flow, source, sink, step->units)) is_lost = t->is_cut[source] = 1;
    }
    const int start = step->source[step->length - 1];
    t->demand[end] -= step->units;
    t->supply[start] -= step->units;
    if (!is_free(t, start)) {
        leave_free(t, start);
        is_lost = 1;
    }
    if (is_lost) forget_lost(t);
    return 1;
}
