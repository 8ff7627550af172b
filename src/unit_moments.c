/* H values of neuron pairs from moments of units: see unit_moments.h. */

#include "unit_moments.h"

#include <math.h>

#include "entry.h"
#include "loops.h"

/* Stimuli in clusters: rows in the order of their clusters, where each cluster starts (units + 1
   of them), and its size. */
typedef struct {
    size_t n, units;
    const int *order;
    const size_t *start;
    const double *size;
} cluster_layout;

/* Two n x q matrices of the same stimuli. */
typedef struct {
    const double *x, *y;
    size_t qx, qy;
} response_pair;

/* Scratch: rows of both sides (n lanes each), moments (units lanes each) and estimates
   (units + 1 lanes each). */
typedef struct {
    double *rows_x, *rows_y, *p, *mean_x, *mean_y, *naive, *corrected;
} moment_scratch;

/* Sums over units: of p, p^2, pxy, py, px, xy, (xy)^2, x^2 y, x y^2, x, y, x^2 and y^2. */
typedef struct {
    double g, pp, f, u, v, c, d, ea, eb, sx, sy, ux, uy;
} power_sums;

/* The same for all lanes, side by side. */
typedef struct {
    double g[PAIR_LANES], pp[PAIR_LANES], f[PAIR_LANES], u[PAIR_LANES], v[PAIR_LANES],
        c[PAIR_LANES], d[PAIR_LANES], ea[PAIR_LANES], eb[PAIR_LANES], sx[PAIR_LANES],
        sy[PAIR_LANES], ux[PAIR_LANES], uy[PAIR_LANES];
} power_lanes;

/* Sums over members: of the products, and of both responses. */
typedef struct {
    double xy[PAIR_LANES], x[PAIR_LANES], y[PAIR_LANES];
} member_lanes;

ALWAYS_INLINE power_sums powers_of(double p, double x, double y)
{
    const double xy = x * y;
    const power_sums s = {p,  p * p,  p * xy, p * y, p * x, xy,   xy * xy,
                          x * xy, xy * y, x,     y,     x * x, y * y};
    return s;
}

ALWAYS_INLINE void add_powers(power_lanes *s, size_t b, power_sums one)
{
    s->g[b] += one.g;
    s->pp[b] += one.pp;
    s->f[b] += one.f;
    s->u[b] += one.u;
    s->v[b] += one.v;
    s->c[b] += one.c;
    s->d[b] += one.d;
    s->ea[b] += one.ea;
    s->eb[b] += one.eb;
    s->sx[b] += one.sx;
    s->sy[b] += one.sy;
    s->ux[b] += one.ux;
    s->uy[b] += one.uy;
}

/* The sums of a lane without one unit. */
ALWAYS_INLINE power_sums powers_left(const power_lanes *s, size_t b, power_sums one)
{
    const power_sums left = {s->g[b] - one.g,   s->pp[b] - one.pp, s->f[b] - one.f,
                             s->u[b] - one.u,   s->v[b] - one.v,   s->c[b] - one.c,
                             s->d[b] - one.d,   s->ea[b] - one.ea, s->eb[b] - one.eb,
                             s->sx[b] - one.sx, s->sy[b] - one.sy, s->ux[b] - one.ux,
                             s->uy[b] - one.uy};
    return left;
}

ALWAYS_INLINE double corrected_of(power_sums s, double units)
{
    const double t1 = s.g * s.g - s.pp;
    const double t2 = s.g * (s.sx * s.sy - s.c) - s.sx * s.u - s.sy * s.v + 2.0 * s.f;
    const double t3 = (s.sx * s.sx - s.ux) * (s.sy * s.sy - s.uy) -
                      4.0 * (s.sx * s.sy * s.c - s.sx * s.eb - s.sy * s.ea + s.d) +
                      2.0 * (s.c * s.c - s.d);
    return (t1 - (2.0 * t2 - t3 / (units - 3.0)) / (units - 2.0)) / (units * (units - 1.0));
}

ALWAYS_INLINE double naive_of(double xy, double x, double y, double members)
{
    const double mean = (xy - x * y / members) / members;
    return mean * mean;
}

/* Adds up all units, and gives the estimates with nothing deleted; returns the number of
   members. */
static inline double add_units(const unit_moments *m, power_lanes *powers, member_lanes *sums,
                               double *naive, double *corrected)
{
    const double units = (double) m->units;
    double members = 0.0;
    for (size_t u = 0; u < m->units; u++) {
        const double *p = m->p + u * PAIR_LANES, *x = m->x + u * PAIR_LANES;
        const double *y = m->y + u * PAIR_LANES, size = m->size[u];
        members += size;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            add_powers(powers, b, powers_of(p[b], x[b], y[b]));
            sums->xy[b] += size * p[b];
            sums->x[b] += size * x[b];
            sums->y[b] += size * y[b];
        }
    }
    const power_sums none = {0};
    for (size_t b = 0; b < PAIR_LANES; b++) {
        naive[b] = naive_of(sums->xy[b], sums->x[b], sums->y[b], members);
        corrected[b] = corrected_of(powers_left(powers, b, none), units);
    }
    return members;
}

/* Values of all lanes: row 0 with nothing deleted, row u + 1 without unit u, or row 0 alone
   (deletions = 0). */
static void unit_estimates(const unit_moments *m, int deletions, double *naive, double *corrected)
{
    power_lanes powers = {0};
    member_lanes sums = {0};
    const double members = add_units(m, &powers, &sums, naive, corrected);
    const double units = (double) m->units;
    for (size_t u = 0; deletions && u < m->units; u++) {
        const double *p = m->p + u * PAIR_LANES, *x = m->x + u * PAIR_LANES;
        const double *y = m->y + u * PAIR_LANES, size = m->size[u];
        double *naive_u = naive + (u + 1) * PAIR_LANES;
        double *corrected_u = corrected + (u + 1) * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            const power_sums left = powers_left(&powers, b, powers_of(p[b], x[b], y[b]));
            corrected_u[b] = corrected_of(left, units - 1.0);
            naive_u[b] = naive_of(sums.xy[b] - size * p[b], sums.x[b] - size * x[b],
                                  sums.y[b] - size * y[b], members - size);
        }
    }
}

ALWAYS_INLINE double corrected_of_some(power_sums s, double units)
{
    return units < 4.0 ? NAN : corrected_of(s, units);
}

void present_estimates(const unit_moments *m, const double *present, int deletions,
                       double *corrected)
{
    power_lanes powers = {0};
    double units[PAIR_LANES] = {0.0};
    for (size_t u = 0; u < m->units; u++) {
        const size_t at = u * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            add_powers(&powers, b, powers_of(m->p[at + b], m->x[at + b], m->y[at + b]));
            units[b] += present[at + b];
        }
    }
    const power_sums none = {0};
    for (size_t b = 0; b < PAIR_LANES; b++)
        corrected[b] = corrected_of_some(powers_left(&powers, b, none), units[b]);
    for (size_t u = 0; deletions && u < m->units; u++) {
        const size_t at = u * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            const power_sums one = powers_of(m->p[at + b], m->x[at + b], m->y[at + b]);
            corrected[at + PAIR_LANES + b] =
                corrected_of_some(powers_left(&powers, b, one), units[b] - present[at + b]);
        }
    }
}

/* rows: one-based codes 1 .. units, each of which occurs. Fills the three arrays. */
static cluster_layout lay_out_clusters(const int *codes, size_t n, size_t units, int *order,
                                       size_t *start, double *size)
{
    for (size_t u = 0; u <= units; u++) start[u] = 0;
    for (size_t i = 0; i < n; i++) start[codes[i]]++;
    for (size_t u = 0; u < units; u++) {
        size[u] = (double) start[u + 1];
        start[u + 1] += start[u];
    }
    for (size_t i = 0; i < n; i++) order[start[codes[i] - 1]++] = (int) i;
    /* each start has moved to the next one */
    for (size_t u = units; u > 0; u--) start[u] = start[u - 1];
    start[0] = 0;
    const cluster_layout layout = {n, units, order, start, size};
    return layout;
}

/* Column column[b] of x (n x q) in lane b, by clusters, and its means over them. The lanes from
   `width` on repeat the last column. */
static void load_lanes(cluster_layout c, const double *x, const int *column, size_t width,
                       double *rows, double *means)
{
    for (size_t b = 0; b < PAIR_LANES; b++) {
        const double *from = x + (size_t) column[b < width ? b : width - 1] * c.n;
        for (size_t u = 0; u < c.units; u++) {
            double sum = 0.0;
            for (size_t i = c.start[u]; i < c.start[u + 1]; i++) {
                const double value = from[c.order[i]];
                rows[i * PAIR_LANES + b] = value;
                sum += value;
            }
            means[u * PAIR_LANES + b] = sum / c.size[u];
        }
    }
}

/* Means of products over clusters, lane by lane. */
static void multiply_lanes(cluster_layout c, const double *x, const double *y, double *p)
{
    for (size_t u = 0; u < c.units; u++) {
        double sums[PAIR_LANES] = {0.0};
        for (size_t i = c.start[u]; i < c.start[u + 1]; i++)
            for (size_t b = 0; b < PAIR_LANES; b++)
                sums[b] += x[i * PAIR_LANES + b] * y[i * PAIR_LANES + b];
        for (size_t b = 0; b < PAIR_LANES; b++) p[u * PAIR_LANES + b] = sums[b] / c.size[u];
    }
}

static void estimate_lanes(cluster_layout c, moment_scratch z, int deletions)
{
    const unit_moments moments = {c.units, c.size, z.p, z.mean_x, z.mean_y};
    unit_estimates(&moments, deletions, z.naive, z.corrected);
}

/* Columns first, first + 1, ... of y in the lanes; how many there are. */
static size_t load_block(cluster_layout c, response_pair r, size_t first, moment_scratch z)
{
    int column[PAIR_LANES];
    const size_t left = r.qy - first, width = left < PAIR_LANES ? left : PAIR_LANES;
    for (size_t b = 0; b < width; b++) column[b] = (int) (first + b);
    load_lanes(c, r.y, column, width, z.rows_y, z.mean_y);
    return width;
}

/* One column of x, by clusters, with its means in all lanes. */
static void load_column(cluster_layout c, response_pair r, size_t column, moment_scratch z)
{
    const double *from = r.x + column * c.n;
    for (size_t u = 0; u < c.units; u++) {
        double sum = 0.0;
        for (size_t i = c.start[u]; i < c.start[u + 1]; i++) {
            z.rows_x[i] = from[c.order[i]];
            sum += z.rows_x[i];
        }
        for (size_t b = 0; b < PAIR_LANES; b++) z.mean_x[u * PAIR_LANES + b] = sum / c.size[u];
    }
}

/* Means over clusters of the products of that column and each lane of y. */
static void multiply_column(cluster_layout c, const double *x, const double *y, double *p)
{
    for (size_t u = 0; u < c.units; u++) {
        double sums[PAIR_LANES] = {0.0};
        for (size_t i = c.start[u]; i < c.start[u + 1]; i++) {
            AT_ONCE
            for (size_t b = 0; b < PAIR_LANES; b++) sums[b] += x[i] * y[i * PAIR_LANES + b];
        }
        for (size_t b = 0; b < PAIR_LANES; b++) p[u * PAIR_LANES + b] = sums[b] / c.size[u];
    }
}

/* The values of column a of x with the columns of y that are in the lanes. */
static void estimate_column(cluster_layout c, response_pair r, size_t a, int deletions,
                            moment_scratch z)
{
    load_column(c, r, a, z);
    multiply_column(c, z.rows_x, z.rows_y, z.p);
    estimate_lanes(c, z, deletions);
}

/* The value of every neuron pair: qx x qy. */
static void unit_terms(cluster_layout c, response_pair r, moment_scratch z, pause_function pause,
                       double *naive, double *corrected)
{
    for (size_t first = 0; first < r.qy; first += PAIR_LANES) {
        const size_t width = load_block(c, r, first, z);
        for (size_t a = 0; a < r.qx; a++) {
            estimate_column(c, r, a, 0, z);
            for (size_t b = 0; b < width; b++) {
                naive[a + (first + b) * r.qx] = z.naive[b];
                corrected[a + (first + b) * r.qx] = z.corrected[b];
            }
            pause();
        }
    }
}

/* Adds the sum over lanes, times weights at distances of `stride` (NULL: 1), row by row. */
static void add_lanes(const double *lanes, size_t rows, size_t width, const double *weight,
                      size_t stride, double *sums)
{
    for (size_t u = 0; u < rows; u++) {
        double total = 0.0;
        for (size_t b = 0; b < width; b++)
            total += (weight ? weight[b * stride] : 1.0) * lanes[u * PAIR_LANES + b];
        sums[u] += total;
    }
}

static void zero(double *a, size_t length)
{
    for (size_t i = 0; i < length; i++) a[i] = 0.0;
}

/* For each column of x the sum over all columns of y, times weights (qx x qy; NULL: of 1):
   (units + 1) x qx. */
static void unit_columns(cluster_layout c, response_pair r, const double *w, moment_scratch z,
                         pause_function pause, double *naive, double *corrected)
{
    const size_t rows = c.units + 1;
    zero(naive, rows * r.qx);
    zero(corrected, rows * r.qx);
    for (size_t first = 0; first < r.qy; first += PAIR_LANES) {
        const size_t width = load_block(c, r, first, z);
        for (size_t a = 0; a < r.qx; a++) {
            const double *weight = w ? w + a + first * r.qx : NULL;
            estimate_column(c, r, a, 1, z);
            add_lanes(z.naive, rows, width, weight, r.qx, naive + a * rows);
            add_lanes(z.corrected, rows, width, weight, r.qx, corrected + a * rows);
            pause();
        }
    }
}

/* Totals weighted by w (qx x qy): units + 1 values, or the first alone. w NULL: weights of 1. */
static void unit_weighted(cluster_layout c, response_pair r, const double *w, int deletions,
                          moment_scratch z, pause_function pause, double *naive, double *corrected)
{
    const size_t rows = deletions ? c.units + 1 : 1;
    zero(naive, rows);
    zero(corrected, rows);
    for (size_t first = 0; first < r.qy; first += PAIR_LANES) {
        const size_t width = load_block(c, r, first, z);
        for (size_t a = 0; a < r.qx; a++) {
            const double *weight = w ? w + a + first * r.qx : NULL;
            estimate_column(c, r, a, deletions, z);
            add_lanes(z.naive, rows, width, weight, r.qx, naive);
            add_lanes(z.corrected, rows, width, weight, r.qx, corrected);
            pause();
        }
    }
}

/* For each of some pairs of a column of x and one of y, counted from zero: (units + 1) x pairs. */
static void unit_pairs(cluster_layout c, response_pair r, const int *ix, const int *iy,
                       size_t pairs, moment_scratch z, pause_function pause, double *naive,
                       double *corrected)
{
    const size_t rows = c.units + 1;
    for (size_t first = 0; first < pairs; first += PAIR_LANES) {
        const size_t left = pairs - first, width = left < PAIR_LANES ? left : PAIR_LANES;
        load_lanes(c, r.x, ix + first, width, z.rows_x, z.mean_x);
        load_lanes(c, r.y, iy + first, width, z.rows_y, z.mean_y);
        multiply_lanes(c, z.rows_x, z.rows_y, z.p);
        estimate_lanes(c, z, 1);
        for (size_t b = 0; b < width; b++) {
            for (size_t u = 0; u < rows; u++) {
                naive[u + (first + b) * rows] = z.naive[u * PAIR_LANES + b];
                corrected[u + (first + b) * rows] = z.corrected[u * PAIR_LANES + b];
            }
        }
        pause();
    }
}

/* ---- entry points

   clusters: a code from 1 to the number of clusters for each row, and each of them occurs. Results
   are list(naive, stimulus), with a row for nothing deleted and one for each cluster. */

/* Responses of both sides, the clusters of their rows, and room to work. */
typedef struct {
    cluster_layout layout;
    response_pair responses;
    moment_scratch scratch;
} clustered;

static cluster_layout read_clusters(SEXP clusters, const char *name, size_t n)
{
    const int *codes = read_indices(clusters, name, n, n);
    size_t units = 0;
    for (size_t i = 0; i < n; i++)
        if ((size_t) codes[i] > units) units = (size_t) codes[i];
    const cluster_layout layout =
        lay_out_clusters(codes, n, units, int_scratch(n), size_scratch(units + 1), scratch(units));
    for (size_t u = 0; u < units; u++)
        if (layout.size[u] == 0.0) argument_error(name, "have every code up to the largest");
    return layout;
}

static clustered read_clustered(SEXP x, SEXP y, SEXP clusters)
{
    clustered d;
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    d.responses = (response_pair){left, right, matrix_columns(x), matrix_columns(y)};
    d.layout = read_clusters(ARG(clusters), n);
    const size_t rows = n * PAIR_LANES, units = (d.layout.units + 1) * PAIR_LANES;
    d.scratch = (moment_scratch){scratch(rows),  scratch(rows),  scratch(units), scratch(units),
                                 scratch(units), scratch(units), scratch(units)};
    return d;
}

/* The term of every pair of a column of x and one of y, nothing deleted. */
SEXP repalign_unit_terms(SEXP x, SEXP y, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const two_estimates result = new_estimates(d.responses.qx, d.responses.qy);
    PROTECT(result.list);
    unit_terms(d.layout, d.responses, d.scratch, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. */
SEXP repalign_unit_columns(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const double *w = read_optional(ARG(weights), d.responses.qx, d.responses.qy);
    const two_estimates result = new_estimates(d.layout.units + 1, d.responses.qx);
    PROTECT(result.list);
    unit_columns(d.layout, d.responses, w, d.scratch, check_interrupt, result.naive,
                 result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* The sum over all pairs of columns, times weights; weights NULL: of 1, and nothing deleted. */
SEXP repalign_unit_weighted(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const double *w = read_optional(ARG(weights), d.responses.qx, d.responses.qy);
    const int deletions = w != NULL;
    const two_estimates result = new_estimates(deletions ? d.layout.units + 1 : 1, 1);
    PROTECT(result.list);
    unit_weighted(d.layout, d.responses, w, deletions, d.scratch, check_interrupt, result.naive,
                  result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_unit_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const int *a = read_zero_based(ARG(ix), d.responses.qx);
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *b = read_from_zero(ARG(iy), pairs, d.responses.qy);
    const two_estimates result = new_estimates(d.layout.units + 1, pairs);
    PROTECT(result.list);
    unit_pairs(d.layout, d.responses, a, b, pairs, d.scratch, check_interrupt, result.naive,
               result.corrected);
    UNPROTECT(1);
    return result.list;
}
