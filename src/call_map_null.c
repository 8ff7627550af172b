/* Entry points of maps of a statistic over places. */

#include "map_null.h"

#include <limits.h>
#include <string.h>

#include "entry.h"

/* start: the first of the places in `near` that touch each place, from 0, and at last their number;
   near: one-based. */
static place_graph read_graph(SEXP start, const char *start_name, SEXP near, const char *near_name)
{
    if (!Rf_isInteger(start) || XLENGTH(start) < 2)
        argument_error(start_name, "hold at least 2 integers");
    place_graph graph = {INTEGER(start), NULL, (size_t) XLENGTH(start) - 1};
    graph.near = read_zero_based(near, near_name, graph.places);
    int before = 0;
    for (size_t i = 0; i <= graph.places; i++) {
        if (graph.start[i] < before) argument_error(start_name, "not fall");
        before = graph.start[i];
    }
    if (graph.start[0] != 0 || (R_xlen_t) before != XLENGTH(near))
        argument_error(start_name, "go from 0 to the length of `%s`", near_name);
    return graph;
}

/* settings: kind, both, cutoff, height; power: n^E for n = 0 .. places, only of TFCE. */
static correction read_correction(SEXP settings, const char *name, SEXP power,
                                  const char *power_name, size_t places)
{
    const double *values = read_doubles(settings, name, 4);
    correction by = {CORRECT_MAX, values[1] != 0.0, values[2], NULL, values[3]};
    if (values[0] == 1.0) by.kind = CORRECT_CLUSTERS;
    if (values[0] == 2.0) {
        by.kind = CORRECT_TFCE;
        by.power = read_doubles(power, power_name, places + 1);
    }
    return by;
}

static map_room *new_map_rooms(size_t places, int threads)
{
    map_room *rooms = (map_room *) R_alloc((size_t) threads, sizeof(map_room));
    for (int k = 0; k < threads; k++) {
        map_room *room = rooms + k;
        room->cells = (keyed_place *) R_alloc(places, sizeof(keyed_place));
        room->others = (keyed_place *) R_alloc(places, sizeof(keyed_place));
        room->root = int_scratch(places);
        room->up = int_scratch(places);
        room->size = int_scratch(places);
        room->level = scratch(places);
        room->value = scratch(places);
        for (size_t i = 0; i < places; i++) room->root[i] = -1;
    }
    return rooms;
}

/* The TFCE of a map. */
SEXP repalign_map_tfce(SEXP map, SEXP start, SEXP near, SEXP settings, SEXP power)
{
    begin_entry(__func__);
    const place_graph graph = read_graph(ARG(start), ARG(near));
    const double *values = read_doubles(ARG(map), graph.places);
    const correction by = read_correction(ARG(settings), ARG(power), graph.places);
    if (by.kind != CORRECT_TFCE) argument_error("settings", "be those of TFCE");
    SEXP result = PROTECT(new_doubles(graph.places));
    enhance_map(values, &graph, &by, new_map_rooms(graph.places, 1), REAL(result));
    UNPROTECT(1);
    return result;
}

/* The number of the cluster of each place, 0 where there is none. */
SEXP repalign_map_clusters(SEXP map, SEXP start, SEXP near, SEXP settings)
{
    begin_entry(__func__);
    const place_graph graph = read_graph(ARG(start), ARG(near));
    const double *values = read_doubles(ARG(map), graph.places);
    const correction by = read_correction(ARG(settings), R_NilValue, "power", 0);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) graph.places));
    cluster_map(values, &graph, &by, new_map_rooms(graph.places, 1), INTEGER(result));
    UNPROTECT(1);
    return result;
}

/* sums: places x flips, sums over subjects; squares: a sum of squares a place, or NULL; scale: the
   number of subjects and, without squares, what the sums are multiplied by; least: a value a place.
   Returns list(reached = a number a place, largest = a value a flip). */
SEXP repalign_map_null(SEXP sums, SEXP squares, SEXP scale, SEXP start, SEXP near, SEXP settings,
                       SEXP power, SEXP least, SEXP threads)
{
    begin_entry(__func__);
    const place_graph graph = read_graph(ARG(start), ARG(near));
    const double *given = read_matrix_rows(ARG(sums), graph.places);
    const size_t flips = matrix_columns(sums);
    const double *scales = read_doubles(ARG(scale), 2);
    map_statistic statistic = {NULL, scales[0], scales[1]};
    if (!Rf_isNull(squares)) statistic.squares = read_doubles(ARG(squares), graph.places);
    const correction by = read_correction(ARG(settings), ARG(power), graph.places);
    const double *lowest = read_doubles(ARG(least), graph.places);
    const worker worker = read_worker(ARG(threads));
    double *maps = scratch(graph.places * flips);
    if (flips > 0) memcpy(maps, given, graph.places * flips * sizeof(double));
    const char *names[] = {"reached", "largest", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *reached = put_doubles(result, 0, graph.places);
    memset(reached, 0, graph.places * sizeof(double));
    map_null(maps, flips, &graph, &statistic, &by, lowest, worker,
             new_map_rooms(graph.places, worker.threads), reached, put_doubles(result, 1, flips));
    UNPROTECT(1);
    return result;
}
