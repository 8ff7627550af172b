/* Entry point of optimal transport. */

#include <string.h>

#include "transport.h"

#include "entry.h"

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
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

static void grow_flow(transport_flow *f)
{
    if (f->capacity > INT_MAX / 2) entry_error("the plan has too many entries");
    f->source = longer_ints(f->source, f->capacity);
    f->next = longer_ints(f->next, f->capacity);
    f->amount = longer_doubles(f->amount, f->capacity);
    f->capacity *= 2;
}

static transport new_transport(const double *cost, size_t sinks, size_t sources)
{
    transport t;
    const size_t g = common_divisor(sinks, sources), capacity = 4 * (sinks + sources);
    t.sources = sources;
    t.sinks = sinks;
    t.cost = cost;
    t.supply = scratch(sources);
    t.price = scratch(sources);
    t.is_reached = int_scratch(sources);
    t.is_cut = int_scratch(sources);
    t.from_sink = int_scratch(sources);
    t.free = int_scratch(sources);
    t.reached = int_scratch(sources);
    t.demand = scratch(sinks);
    t.discount = scratch(sinks);
    t.kept_discount = scratch(sinks);
    t.is_settled = int_scratch(sinks);
    t.distance = scratch(sinks);
    t.best_cost = scratch(sinks);
    t.from_source = int_scratch(sinks);
    t.best = int_scratch(sinks);
    t.settled = int_scratch(sinks);
    t.lost = int_scratch(sinks);
    t.flow.first = int_scratch(sinks);
    t.flow.source = int_scratch(capacity);
    t.flow.next = int_scratch(capacity);
    t.flow.amount = scratch(capacity);
    t.flow.capacity = capacity;
    t.pause = check_interrupt;
    for (size_t j = 0; j < sources; j++) t.supply[j] = (double) (sinks / g);
    for (size_t i = 0; i < sinks; i++) t.demand[i] = (double) (sources / g);
    transport_begin(&t);
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

static SEXP log_as_list(const transport_log *l)
{
    static const char *names[] = {"units", "cost", "length", "row", "column", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    memcpy(put_doubles(result, 0, l->steps), l->units, l->steps * sizeof(double));
    memcpy(put_doubles(result, 1, l->steps), l->cost, l->steps * sizeof(double));
    memcpy(put_integers(result, 2, l->steps), l->length, l->steps * sizeof(int));
    memcpy(put_integers(result, 3, l->places), l->row, l->places * sizeof(int));
    memcpy(put_integers(result, 4, l->places), l->column, l->places * sizeof(int));
    UNPROTECT(1);
    return result;
}

/* The run of optimal transport between the rows and the columns of a matrix of costs. Each row has
   columns/g units to take and each column rows/g to give, g their greatest common divisor. */
SEXP repalign_transport(SEXP cost)
{
    begin_entry(__func__);
    const double *entries = read_matrix(ARG(cost));
    const size_t rows = matrix_rows(cost), columns = matrix_columns(cost);
    if (rows == 0 || columns == 0) argument_error("cost", "not be empty");
    if (!all_finite(entries, rows * columns)) argument_error("cost", "be finite");
    transport t = new_transport(entries, rows, columns);
    const size_t smaller = rows < columns ? rows : columns, room = rows + columns;
    transport_step step = {0.0, 0.0, 0, int_scratch(2 * smaller), int_scratch(2 * smaller)};
    transport_log steps = {scratch(room),     scratch(room), int_scratch(room), int_scratch(8 * room),
                           int_scratch(8 * room), 0,          room,              0,
                           8 * room};
    while (transport_augment(&t, &step)) {
        log_step(&steps, &step);
        if (t.flow.used + smaller + 1 > t.flow.capacity) grow_flow(&t.flow);
    }
    return log_as_list(&steps);
}
