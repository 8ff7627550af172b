/* H values of neuron pairs from responses to several trials: see trial_moments.h. */

#include "trial_moments.h"

#include <string.h>

#include "entry.h"
#include "loops.h"
#include "run_moments.h"
#include "unit_moments.h"

/* Products between two pauses. */
#define PAUSE_PRODUCTS 200000000.0

static size_t block_count(const trial_sample *s)
{
    return (s->y.columns + PAIR_LANES - 1) / PAIR_LANES;
}

static size_t rows_of(const trial_sample *s) { return s->stimuli * s->events; }

/* What a block of columns of y has in its lanes: its sums, its counts (masked), and of each
   stimulus the total sum, the total count (masked) and the sum of sums times counts of x (not
   masked). */
typedef struct {
    double *sums, *counts, *total, *trials, *crossed;
} lane_block;

static size_t block_length(const trial_sample *s)
{
    return PAIR_LANES * (2 * rows_of(s) + 3 * s->stimuli);
}

static lane_block block_at(const trial_sample *s, const double *lanes, size_t block)
{
    double *at = (double *) lanes + block * block_length(s);
    const size_t rows = rows_of(s) * PAIR_LANES, stimuli = s->stimuli * PAIR_LANES;
    const lane_block b = {at, at + rows, at + 2 * rows, at + 2 * rows + stimuli,
                          at + 2 * rows + 2 * stimuli};
    return b;
}

/* Scratch of a thread: moments and presence of units, estimates, and what runs need. */
typedef struct {
    double *p, *x, *y, *present, *values, *runs;
} thread_scratch;

/* How many doubles a sample needs as scratch for each thread, and for all of them together. */
static size_t trial_scratch_length(const trial_sample *s)
{
    return PAIR_LANES * (5 * s->units + 1) + (s->runs ? run_scratch_length(s) : 0);
}

/* Room to work: `lanes` for all threads, `own` for each thread. */
typedef struct {
    double *lanes, *own;
} trial_room;

/* The lanes are filled from the columns of y; those beyond the last column repeat it. */
static trial_room make_room(const trial_sample *s, worker by)
{
    const size_t blocks = s->runs ? 0 : block_count(s), rows = rows_of(s);
    const trial_room room = {scratch(blocks * block_length(s)),
                             scratch((size_t) by.threads * trial_scratch_length(s))};
    PARALLEL_FOR(by.threads)
    for (size_t k = 0; k < blocks * PAIR_LANES; k++) {
        const lane_block l = block_at(s, room.lanes, k / PAIR_LANES);
        const size_t column = least(k, s->y.columns - 1), b = k % PAIR_LANES;
        const double *y = s->y.sums + column * rows;
        const double *ny = s->masked ? s->y.counts + column * rows : s->y.counts;
        for (size_t i = 0; i < s->stimuli; i++) {
            double total = 0.0, trials = 0.0, crossed = 0.0;
            for (size_t r = i * s->events; r < (i + 1) * s->events; r++) {
                l.sums[r * PAIR_LANES + b] = y[r];
                l.counts[r * PAIR_LANES + b] = ny[r];
                total += y[r];
                trials += ny[r];
                if (!s->masked) crossed += s->x.counts[r] * y[r];
            }
            l.total[i * PAIR_LANES + b] = total;
            l.trials[i * PAIR_LANES + b] = trials;
            l.crossed[i * PAIR_LANES + b] = crossed;
        }
    }
    by.pause();
    return room;
}

static thread_scratch scratch_of_thread(const trial_sample *s, double *own)
{
    double *at = own + thread_number() * trial_scratch_length(s);
    const size_t lanes = s->units * PAIR_LANES;
    return (thread_scratch) {at, at + lanes, at + 2 * lanes, at + 3 * lanes, at + 4 * lanes,
                             at + 5 * lanes + PAIR_LANES};
}

/* Sums over the events of a stimulus, of x in all lanes with y lane by lane: of the products, of
   their counts, of sums of x times counts of y, and the reverse. */
typedef struct {
    double xy[PAIR_LANES], both[PAIR_LANES], xn[PAIR_LANES], ny[PAIR_LANES];
} event_sums;

/* share: 1 in the lanes whose neuron may share noise with that of x. */
typedef struct {
    const double *sums, *counts;
    double share[PAIR_LANES];
    int any;
} x_column;

/* Where all columns of a side have the same trials, counts are those of the stimulus. */
static inline void sum_events(const trial_sample *s, const x_column *c, lane_block l, size_t i,
                              event_sums *e)
{
    const size_t from = i * s->events;
    double both = 0.0, xn = 0.0, xy[PAIR_LANES] = {0.0};
    for (size_t r = from; c->any && r < from + s->events; r++) {
        const double x = c->sums[r], *y = l.sums + r * PAIR_LANES;
        both += c->counts[r] * s->y.counts[r];
        xn += x * s->y.counts[r];
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) xy[b] += x * y[b];
    }
    for (size_t b = 0; b < PAIR_LANES; b++) {
        e->xy[b] = xy[b];
        e->both[b] = both;
        e->xn[b] = xn;
        e->ny[b] = l.crossed[i * PAIR_LANES + b];
    }
}

static inline void sum_masked_events(const trial_sample *s, const x_column *c, lane_block l,
                                     size_t i, event_sums *e)
{
    const size_t from = i * s->events;
    const event_sums none = {{0.0}, {0.0}, {0.0}, {0.0}};
    *e = none;
    for (size_t r = from; c->any && r < from + s->events; r++) {
        const double x = c->sums[r], n = c->counts[r];
        const double *y = l.sums + r * PAIR_LANES, *ny = l.counts + r * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            e->xy[b] += x * y[b];
            e->both[b] += n * ny[b];
            e->xn[b] += x * ny[b];
            e->ny[b] += n * y[b];
        }
    }
}

/* Means over the members of a stimulus, added up in lanes for its unit, and then the means over the
   stimuli of a unit that have members. */
static inline void add_moments(const trial_sample *s, const x_column *c, lane_block l,
                               thread_scratch z)
{
    event_sums e;
    memset(z.p, 0, 4 * s->units * PAIR_LANES * sizeof(double));
    for (size_t u = 0; u < s->units; u++) {
        const size_t at = u * PAIR_LANES;
        double *p = z.p + at, *x = z.x + at, *y = z.y + at, *present = z.present + at;
        for (size_t i = s->start[u]; i < s->start[u + 1]; i++) {
            const double *sum = l.total + i * PAIR_LANES, *number = l.trials + i * PAIR_LANES;
            double total = 0.0, trials = 0.0;
            for (size_t r = i * s->events; r < (i + 1) * s->events; r++) {
                total += c->sums[r];
                trials += c->counts[r];
            }
            if (s->masked) sum_masked_events(s, c, l, i, &e);
            else sum_events(s, c, l, i, &e);
            AT_ONCE
            for (size_t b = 0; b < PAIR_LANES; b++) {
                const double members = trials * number[b] - c->share[b] * e.both[b];
                const double weight = members > 0.0 ? 1.0 / members : 0.0;
                p[b] += (total * sum[b] - c->share[b] * e.xy[b]) * weight;
                x[b] += (total * number[b] - c->share[b] * e.xn[b]) * weight;
                y[b] += (sum[b] * trials - c->share[b] * e.ny[b]) * weight;
                present[b] += members > 0.0 ? 1.0 : 0.0;
            }
        }
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            const double weight = present[b] > 0.0 ? 1.0 / present[b] : 0.0;
            p[b] *= weight;
            x[b] *= weight;
            y[b] *= weight;
            present[b] = present[b] > 0.0 ? 1.0 : 0.0;
        }
    }
}

static x_column column_of(const trial_sample *s, size_t a, size_t block)
{
    const size_t from = a * rows_of(s);
    x_column c = {s->x.sums + from, s->x.counts + (s->masked ? from : 0), {0.0}, 0};
    for (size_t b = 0; b < PAIR_LANES; b++) {
        const size_t j = block * PAIR_LANES + b;
        if (j >= s->y.columns || s->x.session[a] != s->y.session[j]) continue;
        c.share[b] = 1.0;
        c.any = 1;
    }
    return c;
}

/* Values of column a of x with the columns of a block of y: z.values, rows of PAIR_LANES. */
static void estimate_block(const trial_sample *s, size_t a, size_t block, int deletions,
                           const double *lanes, thread_scratch z)
{
    if (s->runs) {
        const size_t first = block * PAIR_LANES, left = s->y.columns - first;
        for (size_t b = 0; b < PAIR_LANES && b < left; b++)
            run_estimates(s, a, first + b, deletions, z.runs, z.values + b, PAIR_LANES);
        return;
    }
    const x_column c = column_of(s, a, block);
    const unit_moments moments = {s->units, z.p, z.x, z.y};
    add_moments(s, &c, block_at(s, lanes, block), z);
    present_estimates(&moments, z.present, deletions, z.values);
}

static size_t block_width(const trial_sample *s, size_t block)
{
    const size_t left = s->y.columns - block * PAIR_LANES;
    return left < PAIR_LANES ? left : PAIR_LANES;
}

/* Items (columns of x, or pairs) between two pauses. */
static size_t items_of(const trial_sample *s, double blocks, worker by)
{
    const double work = blocks * PAIR_LANES * (double) s->stimuli * ((double) s->events + 20.0);
    return items_at_once(PAUSE_PRODUCTS, work * (s->runs ? (double) s->events : 1.0), by.threads);
}

/* ---- entry points

   sample: a list of x and y (sums: a row for each event of each stimulus, a column for each
   neuron), counts_x and counts_y (of the same size, or both a single column), session_x and
   session_y (codes; neurons of equal codes may share noise), units (a code for each stimulus, 1 ..
   B in increasing order) and runs. A result has a row for nothing deleted and one for each unit. */

static trial_side read_trial_side(SEXP sample, const char *sums, const char *counts,
                                  const char *session, size_t rows)
{
    SEXP values = read_element(ARG(sample), sums), number = read_element(ARG(sample), counts);
    const trial_side side = {
        read_matrix_rows(values, sums, rows), read_matrix_rows(number, counts, rows),
        read_indices(read_element(ARG(sample), session), session, matrix_columns(values), INT_MAX),
        matrix_columns(values)};
    if (matrix_columns(number) != 1 && matrix_columns(number) != side.columns)
        argument_error(counts, "have one column, or as many as the responses");
    return side;
}

static trial_sample read_sample(SEXP sample)
{
    SEXP codes = read_element(ARG(sample), "units");
    const size_t stimuli = (size_t) Rf_xlength(codes);
    const int *units = read_indices(codes, "units", stimuli, INT_MAX);
    const size_t rows = matrix_rows(read_element(ARG(sample), "x"));
    if (stimuli == 0 || rows % stimuli != 0) argument_error("units", "have a code a stimulus");
    size_t *start = size_scratch(stimuli + 1);
    trial_sample s = {read_trial_side(sample, "x", "counts_x", "session_x", rows),
                      read_trial_side(sample, "y", "counts_y", "session_y", rows),
                      stimuli, rows / stimuli, 0, start, 0,
                      read_flag(read_element(ARG(sample), "runs"), "runs")};
    for (size_t i = 0; i < stimuli; i++) {
        if ((size_t) units[i] != s.units && (size_t) units[i] != s.units + 1)
            argument_error("units", "be codes in increasing order");
        if ((size_t) units[i] == s.units + 1) start[s.units++] = i;
    }
    start[s.units] = stimuli;
    if (s.runs && s.units != stimuli) argument_error("units", "be single stimuli of runs");
    const size_t masks_x = matrix_columns(read_element(ARG(sample), "counts_x"));
    const size_t masks_y = matrix_columns(read_element(ARG(sample), "counts_y"));
    s.masked = masks_x == s.x.columns && masks_y == s.y.columns;
    if (!s.masked && (masks_x != 1 || masks_y != 1))
        argument_error("counts_y", "have columns as `counts_x` has");
    return s;
}

/* The value of every neuron pair, nothing deleted. */
SEXP repalign_trial_terms(SEXP sample, SEXP threads)
{
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    const size_t qx = s.x.columns, blocks = block_count(&s);
    const size_t at_once = items_of(&s, (double) blocks, by);
    SEXP result = PROTECT(new_matrix(qx, s.y.columns));
    double *out = REAL(result);
    const trial_room room = make_room(&s, by);
    for (size_t first = 0; first < qx; first += at_once) {
        const size_t last = group_end(first, at_once, qx);
        PARALLEL_FOR(by.threads)
        for (size_t a = first; a < last; a++) {
            const thread_scratch z = scratch_of_thread(&s, room.own);
            for (size_t block = 0; block < blocks; block++) {
                estimate_block(&s, a, block, 0, room.lanes, z);
                for (size_t b = 0; b < block_width(&s, block); b++)
                    out[a + (block * PAIR_LANES + b) * qx] = z.values[b];
            }
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* For each column of x the sum over the columns of y, times weights (NULL: of 1; a pair of weight 0
   does not count, whatever its value). */
SEXP repalign_trial_columns(SEXP sample, SEXP weights, SEXP deletions, SEXP threads)
{
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    const int all = read_flag(ARG(deletions));
    const size_t qx = s.x.columns, qy = s.y.columns, rows = all ? s.units + 1 : 1;
    const double *w = read_optional(ARG(weights), qx, qy);
    const size_t blocks = block_count(&s), at_once = items_of(&s, (double) blocks, by);
    SEXP result = PROTECT(new_matrix(rows, qx));
    double *out = REAL(result);
    memset(out, 0, rows * qx * sizeof(double));
    const trial_room room = make_room(&s, by);
    for (size_t first = 0; first < qx; first += at_once) {
        const size_t last = group_end(first, at_once, qx);
        PARALLEL_FOR(by.threads)
        for (size_t a = first; a < last; a++) {
            const thread_scratch z = scratch_of_thread(&s, room.own);
            for (size_t j = 0; j < qy; j++) {
                const size_t b = j % PAIR_LANES;
                if (b == 0) estimate_block(&s, a, j / PAIR_LANES, all, room.lanes, z);
                const double weight = w ? w[a + j * qx] : 1.0;
                if (weight == 0.0) continue;
                for (size_t u = 0; u < rows; u++)
                    out[a * rows + u] += weight * z.values[u * PAIR_LANES + b];
            }
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_trial_pairs(SEXP sample, SEXP ix, SEXP iy, SEXP deletions, SEXP threads)
{
    const trial_sample s = read_sample(sample);
    const worker by = read_worker(ARG(threads));
    const int *of_x = read_zero_based(ARG(ix), s.x.columns);
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *of_y = read_from_zero(ARG(iy), pairs, s.y.columns);
    const int all = read_flag(ARG(deletions));
    const size_t rows = all ? s.units + 1 : 1, at_once = items_of(&s, 1.0, by);
    SEXP result = PROTECT(new_matrix(rows, pairs));
    double *out = REAL(result);
    const trial_room room = make_room(&s, by);
    for (size_t first = 0; first < pairs; first += at_once) {
        const size_t last = group_end(first, at_once, pairs);
        PARALLEL_FOR(by.threads)
        for (size_t p = first; p < last; p++) {
            const thread_scratch z = scratch_of_thread(&s, room.own);
            const size_t column = (size_t) of_y[p], block = column / PAIR_LANES;
            estimate_block(&s, (size_t) of_x[p], block, all, room.lanes, z);
            for (size_t u = 0; u < rows; u++)
                out[u + p * rows] = z.values[u * PAIR_LANES + column % PAIR_LANES];
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}

/* The Gram matrices of the rows of each stimulus over all columns: events^2 x stimuli. */
SEXP repalign_event_grams(SEXP rows, SEXP events, SEXP threads)
{
    const double *values = read_matrix(ARG(rows));
    const size_t height = matrix_rows(rows), count = read_count(ARG(events), 1, height);
    const size_t columns = matrix_columns(rows), size = count * count;
    if (height % count != 0) argument_error("events", "divide the rows");
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(size, height / count));
    double *grams = REAL(result);
    memset(grams, 0, size * (height / count) * sizeof(double));
    PARALLEL_FOR(by.threads)
    for (size_t i = 0; i < height / count; i++)
        for (size_t column = 0; column < columns; column++) {
            const double *x = values + column * height + i * count;
            for (size_t e = 0; e < count; e++) {
                double *to = grams + i * size + e * count;
                for (size_t f = 0; f < count; f++) to[f] += x[e] * x[f];
            }
        }
    by.pause();
    UNPROTECT(1);
    return result;
}
