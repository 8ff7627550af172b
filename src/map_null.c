/* Maps of a statistic over places: exact TFCE, clusters, and the largest value under each of many
   sign flips of the subjects. */

#include <stdint.h>
#include <math.h>
#include <string.h>
#include <limits.h>

#include "radix.h"
#include "entry.h"

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

/* Values between two pauses, of statistics and of enhanced maps; places of an item. */
#define PAUSE_VALUES 50000000.0
#define PAUSE_ENHANCED 2000000.0
#define PLACE_CHUNK ((size_t) 1024)

/* ---- sorting */

/* The bits of a positive double rise with it: turned round, so that the largest comes first. */
static uint64_t falling_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ~bits;
}

#define FEW_PLACES 48

/* Sorts cells by their keys, equal ones in the order of their places; returns where they are. */
static keyed_place *sort_places(keyed_place *cells, keyed_place *others, size_t count)
{
    if (count <= FEW_PLACES) {
        for (size_t k = 1; k < count; k++) {
            const keyed_place cell = cells[k];
            size_t at = k;
            for (; at > 0 && cells[at - 1].key > cell.key; at--) cells[at] = cells[at - 1];
            cells[at] = cell;
        }
        return cells;
    }
    size_t counts[(size_t) 1 << 11];
    const int bits = digit_bits(count);
    const size_t digits = (size_t) 1 << bits;
    for (int shift = 0; shift < 64; shift += bits) {
        memset(counts, 0, digits * sizeof(size_t));
        for (size_t k = 0; k < count; k++) counts[(cells[k].key >> shift) & (digits - 1)]++;
        if (counts[(cells[0].key >> shift) & (digits - 1)] == count) continue;
        size_t before = 0;
        for (size_t d = 0; d < digits; d++) {
            const size_t here = counts[d];
            counts[d] = before;
            before += here;
        }
        for (size_t k = 0; k < count; k++)
            others[counts[(cells[k].key >> shift) & (digits - 1)]++] = cells[k];
        keyed_place *sorted = others;
        others = cells;
        cells = sorted;
    }
    return cells;
}

/* ---- threshold-free enhancement */

static double height_power(double h, double height)
{
    if (height == 2.0) return h * h * h;
    return height == 1.0 ? h * h : pow(h, height + 1.0);
}

static int find_root(int *root, int place)
{
    while (root[place] != place) {
        root[place] = root[root[place]];
        place = root[place];
    }
    return place;
}

/* The part of the values with this sign. Places come in falling order. Each becomes a node, to
   which the components that it joins go up, and whose size is that of the component up to its
   height. */
static double enhance_part(const double *map, double sign, const place_graph *graph,
                           const correction *by, map_room *room, double *enhanced)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->places; i++)
        if (sign * map[i] > 0.0)
            room->cells[count++] = (keyed_place){falling_key(sign * map[i]), (int) i};
    const keyed_place *order = sort_places(room->cells, room->others, count);
    for (size_t k = 0; k < count; k++) {
        const int place = order[k].place;
        room->root[place] = place;
        room->up[place] = -1;
        room->size[place] = 1;
        for (int at = graph->start[place]; at < graph->start[place + 1]; at++) {
            const int other = graph->near[at];
            if (room->root[other] < 0) continue;
            const int root = find_root(room->root, other);
            if (root == place) continue;
            room->root[root] = place;
            room->up[root] = place;
            room->size[place] += room->size[root];
        }
    }
    double largest = 0.0;
    for (size_t k = count; k-- > 0;) {
        const int place = order[k].place, up = room->up[place];
        const double level = height_power(sign * map[place], by->height);
        const double step = level - (up < 0 ? 0.0 : room->level[up]);
        const double value = (up < 0 ? 0.0 : room->value[up]) +
                             by->power[room->size[place]] * step / (by->height + 1.0);
        room->level[place] = level;
        room->value[place] = value;
        room->root[place] = -1;
        if (enhanced) enhanced[place] = sign * value;
        if (value > largest) largest = value;
    }
    return largest;
}

/* Threshold-free enhancement of a map, exactly; returns its largest absolute value. enhanced: a
   value a place (those of negative values are negative), or NULL. */
static double enhance_map(const double *map, const place_graph *graph, const correction *by,
                          map_room *room, double *enhanced)
{
    if (enhanced) memset(enhanced, 0, graph->places * sizeof(double));
    const double above = enhance_part(map, 1.0, graph, by, room, enhanced);
    if (!by->both) return above;
    const double below = enhance_part(map, -1.0, graph, by, room, enhanced);
    return below > above ? below : above;
}

/* ---- clusters */

/* Connected places above the cutoff; returns the largest absolute sum of values of a cluster.
   label: the number of each place's cluster from 1, in the order of their first places, or 0; or
   NULL. Places that wait for a look at those around them stand in `size`; `root` says which were
   seen. */
static double cluster_map(const double *map, const place_graph *graph, const correction *by,
                          map_room *room, int *label)
{
    if (label) memset(label, 0, graph->places * sizeof(int));
    int *waiting = room->size, *seen = room->root, number = 0;
    double largest = 0.0;
    for (size_t i = 0; i < graph->places; i++) {
        const double size = by->both ? fabs(map[i]) : map[i], sign = map[i] > 0.0 ? 1.0 : -1.0;
        if (!(size > by->cutoff) || seen[i] >= 0) continue;
        size_t count = 0;
        double sum = 0.0;
        waiting[count++] = (int) i;
        seen[i] = ++number;
        while (count > 0) {
            const int place = waiting[--count];
            sum += sign * map[place];
            if (label) label[place] = number;
            for (int at = graph->start[place]; at < graph->start[place + 1]; at++) {
                const int other = graph->near[at];
                if (seen[other] >= 0 || !(sign * map[other] > by->cutoff)) continue;
                seen[other] = number;
                waiting[count++] = other;
            }
        }
        if (sum > largest) largest = sum;
    }
    for (size_t i = 0; number > 0 && i < graph->places; i++) seen[i] = -1;
    return largest;
}

/* ---- the largest values under flips */

static double corrected_largest(const double *map, const place_graph *graph, const correction *by,
                                map_room *room)
{
    if (by->kind == CORRECT_TFCE) return enhance_map(map, graph, by, room, NULL);
    if (by->kind == CORRECT_CLUSTERS) return cluster_map(map, graph, by, room, NULL);
    double largest = -INFINITY;
    for (size_t i = 0; i < graph->places; i++) {
        const double value = by->both ? fabs(map[i]) : map[i];
        if (value > largest) largest = value;
    }
    return largest;
}

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
    const place_graph graph = read_graph(ARG(start), ARG(near));
    const double *values = read_doubles(ARG(map), graph.places);
    const correction by = read_correction(ARG(settings), R_NilValue, "power", 0);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) graph.places));
    cluster_map(values, &graph, &by, new_map_rooms(graph.places, 1), INTEGER(result));
    UNPROTECT(1);
    return result;
}

/* sums: places x flips, sums over subjects; squares: a sum of squares a place, for t, or NULL;
   scale: the number of subjects and, without squares, what the sums are multiplied by; least: a
   value a place. list(reached = how many flips have a statistic (with `both` an absolute one) of at
   least `least`, a number a place; largest = a value a flip). */
SEXP repalign_map_null(SEXP sums, SEXP squares, SEXP scale, SEXP start, SEXP near, SEXP settings,
                       SEXP power, SEXP least, SEXP threads)
{
    const place_graph graph = read_graph(ARG(start), ARG(near));
    const size_t places = graph.places;
    const double *given = read_matrix_rows(ARG(sums), places);
    const size_t flips = matrix_columns(sums), chunks = (places + PLACE_CHUNK - 1) / PLACE_CHUNK;
    const double subjects = read_doubles(ARG(scale), 2)[0], factor = REAL(scale)[1];
    const double *square = Rf_isNull(squares) ? NULL : read_doubles(ARG(squares), places);
    const correction by = read_correction(ARG(settings), ARG(power), places);
    const double *lowest = read_doubles(ARG(least), places);
    const worker worker = read_worker(ARG(threads));
    double *maps = scratch(places * flips);
    if (flips > 0) memcpy(maps, given, places * flips * sizeof(double));
    SEXP result = PROTECT(NAMED_LIST("reached", "largest"));
    double *reached = put_doubles(result, 0, places), *largest = put_doubles(result, 1, flips);
    memset(reached, 0, places * sizeof(double));
    map_room *rooms = new_map_rooms(places, worker.threads);
    size_t at_once = items_at_once(PAUSE_VALUES, (double) (PLACE_CHUNK * flips), worker.threads);
    for (size_t first = 0; first < chunks; first += at_once) {
        const size_t last = group_end(first, at_once, chunks);
        PARALLEL_FOR(worker.threads)
        for (size_t chunk = first; chunk < last; chunk++) {
            const size_t from = PLACE_CHUNK * chunk, to = group_end(from, PLACE_CHUNK, places);
            for (size_t flip = 0; flip < flips; flip++) {
                double *map = maps + places * flip;
                for (size_t i = from; i < to; i++) {
                    const double sum = map[i], mean = sum / subjects;
                    map[i] = square ? mean * sqrt(subjects - 1.0) /
                                          sqrt(square[i] / subjects - mean * mean)
                                    : sum * factor;
                    reached[i] += (by.both ? fabs(map[i]) : map[i]) >= lowest[i];
                }
            }
        }
        worker.pause();
    }
    const double pause = by.kind == CORRECT_TFCE ? PAUSE_ENHANCED : PAUSE_VALUES;
    at_once = items_at_once(pause, (double) places, worker.threads);
    for (size_t first = 0; first < flips; first += at_once) {
        const size_t last = group_end(first, at_once, flips);
        PARALLEL_PIECES(worker.threads, 1)
        for (size_t flip = first; flip < last; flip++)
            largest[flip] = corrected_largest(maps + places * flip, &graph, &by,
                                              rooms + thread_number());
        worker.pause();
    }
    UNPROTECT(1);
    return result;
}
