/* Optimal transport: see transport.h.

   Successive shortest paths. A search (Dijkstra's algorithm) starts at all free sources at once and
   ends at the first free sink; prices keep the reduced costs cost - price - discount from being
   negative, with 0 wherever something flows. Each path has the least cost for one more unit, so that
   the flow is optimal for its own total at every step, and costs rise from step to step. */

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
    t->read = 0;
    t->search = 0;
    t->flow.used = 0;
    t->flow.spare = NO_PLACE;
    for (size_t j = 0; j < t->sources; j++) {
        t->free[j] = (int) j;
        t->stamp[j] = 0;
    }
    t->level = INFINITY;
    for (size_t i = 0; i < t->sinks; i++) {
        t->discount[i] = 0.0;
        t->flow.first[i] = NO_PLACE;
        find_best(t, (int) i);
        if (t->best_cost[i] < t->level) t->level = t->best_cost[i];
    }
}

/* ---- search */

/* Takes the nearest sink out of the open ones, of equally near ones the first. */
static int settle_nearest(transport *t, size_t *open_count)
{
    size_t at = 0;
    for (size_t k = 1; k < *open_count; k++) {
        const double d = t->distance[t->open[k]], least = t->distance[t->open[at]];
        if (d < least || (d == least && t->open[k] < t->open[at])) at = k;
    }
    const int sink = t->open[at];
    t->open[at] = t->open[--*open_count];
    count_reading(t, *open_count);
    return sink;
}

static void relax(transport *t, int source, double reached_at, size_t open_count)
{
    const double *cost = t->cost + (size_t) source * t->sinks;
    const double offset = reached_at - t->price[source];
    for (size_t k = 0; k < open_count; k++) {
        const int i = t->open[k];
        const double by_way = offset + cost[i] - t->discount[i];
        if (by_way >= t->distance[i]) continue;
        t->distance[i] = by_way;
        t->from_source[i] = source;
    }
    count_reading(t, open_count);
}

/* Goes back along what flows into a settled sink. Free sources are where the search began. */
static size_t go_back(transport *t, int sink, size_t reached_count, size_t open_count)
{
    for (int e = t->flow.first[sink]; e != NO_PLACE; e = t->flow.next[e]) {
        const int source = t->flow.source[e];
        if (t->supply[source] > 0.0 || t->stamp[source] == t->search) continue;
        t->stamp[source] = t->search;
        t->from_sink[source] = sink;
        t->reached[reached_count++] = source;
        relax(t, source, t->distance[sink], open_count);
    }
    return reached_count;
}

/* The free sink at the end of a shortest path; prices are those after it. */
static int search_path(transport *t)
{
    size_t open_count = t->sinks, settled_count = 0, reached_count = 0;
    t->search++;
    for (size_t i = 0; i < t->sinks; i++) {
        t->open[i] = (int) i;
        t->distance[i] = t->best_cost[i] - t->level - t->discount[i];
        t->from_source[i] = t->best[i];
    }
    int sink;
    for (;;) {
        sink = settle_nearest(t, &open_count);
        if (t->demand[sink] > 0.0) break;
        t->settled[settled_count++] = sink;
        reached_count = go_back(t, sink, reached_count, open_count);
    }
    const double far = t->distance[sink];
    t->level += far;
    for (size_t k = 0; k < reached_count; k++) {
        const int source = t->reached[k];
        t->price[source] += far - t->distance[t->from_sink[source]];
    }
    for (size_t k = 0; k < settled_count; k++)
        t->discount[t->settled[k]] -= far - t->distance[t->settled[k]];
    return sink;
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

static void take_flow(transport_flow *f, int source, int sink, double units)
{
    int *link = &f->first[sink];
    while (f->source[*link] != source) link = &f->next[*link];
    const int e = *link;
    f->amount[e] -= units;
    if (f->amount[e] > 0.0) return;
    *link = f->next[e];
    f->next[e] = f->spare;
    f->spare = e;
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
    for (size_t k = 0; k < step->length; k++) {
        if (k % 2) take_flow(&t->flow, step->source[k], step->sink[k], step->units);
        else add_flow(&t->flow, step->source[k], step->sink[k], step->units);
    }
    const int start = step->source[step->length - 1];
    t->demand[end] -= step->units;
    t->supply[start] -= step->units;
    if (t->supply[start] <= 0.0) leave_free(t, start);
    return 1;
}
