/* H values of neuron pairs from moments of units: see unit_moments.h. */

#include "unit_moments.h"

#include <math.h>
#include <string.h>

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

/* Two matrices (n x qx, n x qy) of stimuli in clusters, and scratch: rows of both sides (n lanes
   each), moments (units lanes each) and estimates (units + 1 lanes each). */
typedef struct {
    cluster_layout layout;
    const double *x, *y;
    size_t qx, qy;
    double *rows_x, *rows_y, *p, *mean_x, *mean_y, *naive, *corrected;
} clustered;

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

/* Values of all lanes: row 0 with nothing deleted, row u + 1 without unit u, or row 0 alone
   (deletions = 0). */
static void unit_estimates(const clustered *d, int deletions)
{
    power_lanes powers = {0};
    member_lanes sums = {0};
    const double units = (double) d->layout.units, members = (double) d->layout.n;
    for (size_t u = 0; u < d->layout.units; u++) {
        const double *p = d->p + u * PAIR_LANES, *x = d->mean_x + u * PAIR_LANES;
        const double *y = d->mean_y + u * PAIR_LANES, size = d->layout.size[u];
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            add_powers(&powers, b, powers_of(p[b], x[b], y[b]));
            sums.xy[b] += size * p[b];
            sums.x[b] += size * x[b];
            sums.y[b] += size * y[b];
        }
    }
    const power_sums none = {0};
    for (size_t b = 0; b < PAIR_LANES; b++) {
        d->naive[b] = naive_of(sums.xy[b], sums.x[b], sums.y[b], members);
        d->corrected[b] = corrected_of(powers_left(&powers, b, none), units);
    }
    for (size_t u = 0; deletions && u < d->layout.units; u++) {
        const double *p = d->p + u * PAIR_LANES, *x = d->mean_x + u * PAIR_LANES;
        const double *y = d->mean_y + u * PAIR_LANES, size = d->layout.size[u];
        double *naive = d->naive + (u + 1) * PAIR_LANES;
        double *corrected = d->corrected + (u + 1) * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            const power_sums left = powers_left(&powers, b, powers_of(p[b], x[b], y[b]));
            corrected[b] = corrected_of(left, units - 1.0);
            naive[b] = naive_of(sums.xy[b] - size * p[b], sums.x[b] - size * x[b],
                                sums.y[b] - size * y[b], members - size);
        }
    }
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
        corrected[b] = units[b] < 4.0 ? NAN : corrected_of(powers_left(&powers, b, none), units[b]);
    for (size_t u = 0; deletions && u < m->units; u++) {
        const size_t at = u * PAIR_LANES;
        AT_ONCE
        for (size_t b = 0; b < PAIR_LANES; b++) {
            const power_sums one = powers_of(m->p[at + b], m->x[at + b], m->y[at + b]);
            const double left = units[b] - present[at + b];
            corrected[at + PAIR_LANES + b] =
                left < 4.0 ? NAN : corrected_of(powers_left(&powers, b, one), left);
        }
    }
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

/* The values of column a of x with `width` columns of y from `first` on, which are put in the lanes
   with a = 0. */
static size_t estimate_column(const clustered *d, size_t first, size_t a, int deletions)
{
    const cluster_layout c = d->layout;
    const size_t width = least(d->qy - first, PAIR_LANES);
    int column[PAIR_LANES];
    for (size_t b = 0; b < width; b++) column[b] = (int) (first + b);
    if (a == 0) load_lanes(c, d->y, column, width, d->rows_y, d->mean_y);
    const double *from = d->x + a * c.n, *y = d->rows_y;
    for (size_t u = 0; u < c.units; u++) {
        double sum = 0.0, sums[PAIR_LANES] = {0.0};
        for (size_t i = c.start[u]; i < c.start[u + 1]; i++) {
            const double value = from[c.order[i]];
            sum += value;
            AT_ONCE
            for (size_t b = 0; b < PAIR_LANES; b++) sums[b] += value * y[i * PAIR_LANES + b];
        }
        for (size_t b = 0; b < PAIR_LANES; b++) {
            d->mean_x[u * PAIR_LANES + b] = sum / c.size[u];
            d->p[u * PAIR_LANES + b] = sums[b] / c.size[u];
        }
    }
    unit_estimates(d, deletions);
    check_interrupt();
    return width;
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

/* ---- entry points

   clusters: a code from 1 to the number of clusters for each row, and each of them occurs. Results
   are list(naive, stimulus), with a row for nothing deleted and one for each cluster. */

static cluster_layout read_clusters(SEXP clusters, const char *name, size_t n)
{
    const int *codes = read_indices(clusters, name, n, n);
    size_t units = 0;
    for (size_t i = 0; i < n; i++) units = most(units, (size_t) codes[i]);
    int *order = int_scratch(n);
    size_t *start = zeroed_bytes((units + 1) * sizeof(size_t));
    double *size = scratch(units);
    for (size_t i = 0; i < n; i++) start[codes[i]]++;
    for (size_t u = 0; u < units; u++) {
        if (start[u + 1] == 0) argument_error(name, "have every code up to the largest");
        size[u] = (double) start[u + 1];
    }
    for (size_t u = 0; u < units; u++) start[u + 1] += start[u];
    for (size_t i = 0; i < n; i++) order[start[codes[i] - 1]++] = (int) i;
    /* each start has moved to the next one */
    for (size_t u = units; u > 0; u--) start[u] = start[u - 1];
    start[0] = 0;
    return (cluster_layout) {n, units, order, start, size};
}

static clustered read_clustered(SEXP x, SEXP y, SEXP clusters)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const cluster_layout layout = read_clusters(ARG(clusters), n);
    const size_t rows = n * PAIR_LANES, units = (layout.units + 1) * PAIR_LANES;
    return (clustered) {layout, left, right, matrix_columns(x), matrix_columns(y), scratch(rows),
                        scratch(rows), scratch(units), scratch(units), scratch(units),
                        scratch(units), scratch(units)};
}

/* The term of every pair of a column of x and one of y, nothing deleted. */
SEXP repalign_unit_terms(SEXP x, SEXP y, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const two_estimates result = new_estimates(d.qx, d.qy);
    PROTECT(result.list);
    for (size_t first = 0; first < d.qy; first += PAIR_LANES)
        for (size_t a = 0; a < d.qx; a++) {
            const size_t width = estimate_column(&d, first, a, 0);
            for (size_t b = 0; b < width; b++) {
                result.naive[a + (first + b) * d.qx] = d.naive[b];
                result.corrected[a + (first + b) * d.qx] = d.corrected[b];
            }
        }
    UNPROTECT(1);
    return result.list;
}

/* The sums over columns of y, times weights w (qx x qy; NULL: of 1): `rows` values, for each column
   of x where `each`, or of all. */
static SEXP sum_columns(const clustered *d, const double *w, size_t rows, int each)
{
    const size_t columns = each ? d->qx : 1;
    const two_estimates result = new_estimates(rows, columns);
    PROTECT(result.list);
    memset(result.naive, 0, rows * columns * sizeof(double));
    memset(result.corrected, 0, rows * columns * sizeof(double));
    for (size_t first = 0; first < d->qy; first += PAIR_LANES)
        for (size_t a = 0; a < d->qx; a++) {
            const double *weight = w ? w + a + first * d->qx : NULL;
            const size_t width = estimate_column(d, first, a, rows > 1), to = each ? a * rows : 0;
            add_lanes(d->naive, rows, width, weight, d->qx, result.naive + to);
            add_lanes(d->corrected, rows, width, weight, d->qx, result.corrected + to);
        }
    UNPROTECT(1);
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. */
SEXP repalign_unit_columns(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    return sum_columns(&d, read_optional(ARG(weights), d.qx, d.qy), d.layout.units + 1, 1);
}

/* The sum over all pairs of columns, times weights; weights NULL: of 1, and nothing deleted. */
SEXP repalign_unit_weighted(SEXP x, SEXP y, SEXP weights, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const double *w = read_optional(ARG(weights), d.qx, d.qy);
    return sum_columns(&d, w, w ? d.layout.units + 1 : 1, 0);
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_unit_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy, SEXP clusters)
{
    const clustered d = read_clustered(x, y, clusters);
    const cluster_layout c = d.layout;
    const int *of_x = read_zero_based(ARG(ix), d.qx);
    const size_t pairs = (size_t) XLENGTH(ix), rows = c.units + 1;
    const int *of_y = read_from_zero(ARG(iy), pairs, d.qy);
    const two_estimates result = new_estimates(rows, pairs);
    PROTECT(result.list);
    for (size_t first = 0; first < pairs; first += PAIR_LANES) {
        const size_t width = least(pairs - first, PAIR_LANES);
        load_lanes(c, d.x, of_x + first, width, d.rows_x, d.mean_x);
        load_lanes(c, d.y, of_y + first, width, d.rows_y, d.mean_y);
        for (size_t u = 0; u < c.units; u++) {
            double sums[PAIR_LANES] = {0.0};
            for (size_t i = c.start[u]; i < c.start[u + 1]; i++)
                for (size_t b = 0; b < PAIR_LANES; b++)
                    sums[b] += d.rows_x[i * PAIR_LANES + b] * d.rows_y[i * PAIR_LANES + b];
            for (size_t b = 0; b < PAIR_LANES; b++) d.p[u * PAIR_LANES + b] = sums[b] / c.size[u];
        }
        unit_estimates(&d, 1);
        for (size_t b = 0; b < width; b++)
            for (size_t u = 0; u < rows; u++) {
                result.naive[u + (first + b) * rows] = d.naive[u * PAIR_LANES + b];
                result.corrected[u + (first + b) * rows] = d.corrected[u * PAIR_LANES + b];
            }
        check_interrupt();
    }
    UNPROTECT(1);
    return result.list;
}
