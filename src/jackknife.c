/* Delete-one-stimulus values of sums over neuron pairs. With a stimulus i deleted
   and the rest centred again, every pair's term is a polynomial in the two entries
   of row i whose coefficients are sums over all rows, so nothing is recomputed.

   x (n x qx) and y (n x qy) are centred; N = n - 1 >= 4 for the corrected ones.
   Results have n + 1 rows: row 0 with nothing deleted, row i + 1 without stimulus i. */

#include "blas.h"
#include "estimator.h"
#include "entry.h"

/* Totals weighted by w (qx x qy). Scratch: squares_x, first (n x qx), squares_y,
   second (n x qy), cross (qx x qy), sums (2 max(qx, qy)), rows (6 n). */
typedef struct {
    double *squares_x, *squares_y, *first, *second, *cross, *sums, *rows;
} weighted_scratch;

/* For each column of x the sum over all columns of y, times weights (qx x qy; NULL: of 1):
   results (n + 1) x qx.
   Scratch: squares_x (n x qx), g, h (n x qx), inner (column_inner_length), and with weights
   squares_y (n x qy) and l (n x qx), without them l (n). */
typedef struct {
    double *squares_x, *g, *h, *inner, *l, *squares_y;
} column_scratch;

/* The sums over rows that the polynomial needs, added up over the column pairs in question. */
typedef struct {
    double c2;    /* sum of c^2, c = sum_j phi psi */
    double dd;    /* sum of sum_j phi^2 psi^2 */
    double st;    /* sum of s t */
} full_sums;

typedef struct {
    double cuv;   /* sum of c u v, with u, v the entries of row i */
    double ev;    /* sum of (sum_j phi^2 psi) v */
    double fu;    /* sum of (sum_j phi psi^2) u */
    double sv2;   /* sum of s v^2 */
    double tu2;   /* sum of t u^2 */
    double u2v2;  /* sum of u^2 v^2 */
} row_sums;

/* The estimators with all samples, and with one less. */
typedef struct {
    double n;
    estimator naive, corrected, naive_rest, corrected_rest;
} deletions;

static deletions plan_deletions(size_t n)
{
    const double all = (double) n;
    const deletions d = {all, naive_estimator(all), corrected_estimator(all),
                         naive_estimator(all - 1.0), corrected_estimator(all - 1.0)};
    return d;
}

static double full_naive(const deletions *d, const full_sums *f)
{
    return estimate(d->naive, f->c2, 0.0, 0.0);
}

static double full_corrected(const deletions *d, const full_sums *f)
{
    return estimate_linear(d->corrected, f->c2, f->dd, f->st);
}

/* c without row i is c - (n / (n - 1)) u v. */
static double deleted_c2(const full_sums *f, const row_sums *r, double shrink)
{
    return f->c2 - 2.0 * shrink * r->cuv + shrink * shrink * r->u2v2;
}

static double deleted_naive(const deletions *d, const full_sums *f, const row_sums *r)
{
    return estimate(d->naive_rest, deleted_c2(f, r, d->n / (d->n - 1.0)), 0.0, 0.0);
}

static double deleted_corrected(const deletions *d, const full_sums *f, const row_sums *r)
{
    const double k = 1.0 / (d->n - 1.0), shrink = d->n / (d->n - 1.0);
    const double shrink4 = shrink * shrink * shrink * shrink;
    /* every remaining row moves by k u, k v: expand (phi + k u)^2 (psi + k v)^2 */
    double dd = f->dd + 2.0 * k * (r->ev + r->fu) + k * k * (r->sv2 + r->tu2 + 4.0 * r->cuv) +
                (d->n * k * k * k * k - shrink4) * r->u2v2;
    double st = f->st - shrink * (r->sv2 + r->tu2) + shrink * shrink * r->u2v2;
    return estimate_linear(d->corrected_rest, deleted_c2(f, r, shrink), dd, st);
}

/* One column pair. naive, corrected: n + 1 values. */
static void loo_one_pair(const double *phi, const double *psi, size_t n, double *naive, double *corrected)
{
    double c = 0.0, dd = 0.0, e = 0.0, f = 0.0, s = 0.0, t = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double u = phi[i], v = psi[i], uv = u * v;
        c += uv;
        dd += uv * uv;
        e += u * uv;
        f += uv * v;
        s += u * u;
        t += v * v;
    }
    const deletions plan = plan_deletions(n);
    const full_sums full = {c * c, dd, s * t};
    naive[0] = full_naive(&plan, &full);
    corrected[0] = full_corrected(&plan, &full);
    for (size_t i = 0; i < n; i++) {
        const double u = phi[i], v = psi[i];
        row_sums row = {c * u * v, e * v, f * u, s * v * v, t * u * u, u * u * v * v};
        naive[i + 1] = deleted_naive(&plan, &full, &row);
        corrected[i + 1] = deleted_corrected(&plan, &full, &row);
    }
}

/* Zero-diagonal sums for the corrected values; the naive ones keep the diagonal,
   and there the row sums vanish because k and l are centred. */
/* From centred Gram matrices: totals over all pairs. scratch: 4 n. */
static void loo_from_grams(const double *k, const double *l, size_t n, double *scratch,
                           double *naive, double *corrected)
{
    double *r = scratch, *q = scratch + n, *m = scratch + 2 * n, *cross = scratch + 3 * n;
    double sum_k = 0.0, sum_l = 0.0, sum_m = 0.0, rq = 0.0, diagonal_sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *ki = k + i * n, *li = l + i * n;
        r[i] = sum_blocked(ki, n) - ki[i];
        q[i] = sum_blocked(li, n) - li[i];
        m[i] = dot_blocked(ki, li, n) - ki[i] * li[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double *ki = k + i * n, *li = l + i * n;
        cross[i] = dot_blocked(ki, q, n) - ki[i] * q[i] + dot_blocked(li, r, n) - li[i] * r[i];
        sum_k += r[i];
        sum_l += q[i];
        sum_m += m[i];
        rq += r[i] * q[i];
        diagonal_sum += ki[i] * li[i];
    }
    const deletions plan = plan_deletions(n);
    naive[0] = estimate(plan.naive, sum_m + diagonal_sum, 0.0, 0.0);
    corrected[0] = estimate(plan.corrected, sum_m, rq, sum_k * sum_l);
    for (size_t i = 0; i < n; i++) {
        const double kl = k[i + i * n] * l[i + i * n];
        naive[i + 1] = estimate(plan.naive_rest, sum_m + diagonal_sum - 2.0 * m[i] - kl, m[i], kl);
        corrected[i + 1] = estimate(plan.corrected_rest, sum_m - 2.0 * m[i],
                                    rq - r[i] * q[i] - cross[i] + m[i],
                                    (sum_k - 2.0 * r[i]) * (sum_l - 2.0 * q[i]));
    }
}

static void column_squares(const double *x, size_t n, size_t q, double *sums)
{
    for (size_t a = 0; a < q; a++) sums[a] = dot_blocked(x + a * n, x + a * n, n);
}

/* Row i's part of sum over columns of left_ia right_ia, added to out[i]. */
static void add_row_products(const double *left, const double *right, size_t n, size_t q,
                             double *out)
{
    for (size_t a = 0; a < q; a++)
        for (size_t i = 0; i < n; i++) out[i] += left[i + a * n] * right[i + a * n];
}

static void add_row_multiples(const double *x, const double *factor, size_t n, size_t q,
                              double *out)
{
    for (size_t a = 0; a < q; a++)
        for (size_t i = 0; i < n; i++) out[i] += factor[a] * x[i + a * n];
}

/* Weighted sum of squares of the cross products; leaves w o cross in cross. */
static double weigh_cross(const double *w, size_t length, double *cross)
{
    double c2 = 0.0;
    for (size_t p = 0; p < length; p++) {
        const double weighted = w[p] * cross[p];
        c2 += weighted * cross[p];
        cross[p] = weighted;
    }
    return c2;
}

typedef struct {
    double *cuv, *ev, *fu, *sv2, *tu2, *u2v2;
} row_columns;

static void zero(double *a, size_t length)
{
    for (size_t i = 0; i < length; i++) a[i] = 0.0;
}

static row_columns zero_columns(double *rows, size_t n)
{
    const row_columns r = {rows,         rows + n,     rows + 2 * n,
                           rows + 3 * n, rows + 4 * n, rows + 5 * n};
    zero(rows, 6 * n);
    return r;
}

static void delete_rows(const full_sums *full, row_columns r, size_t n, double *naive,
                        double *corrected)
{
    const deletions plan = plan_deletions(n);
    naive[0] = full_naive(&plan, full);
    corrected[0] = full_corrected(&plan, full);
    for (size_t i = 0; i < n; i++) {
        row_sums row = {r.cuv[i], r.ev[i], r.fu[i], r.sv2[i], r.tu2[i], r.u2v2[i]};
        naive[i + 1] = deleted_naive(&plan, full, &row);
        corrected[i + 1] = deleted_corrected(&plan, full, &row);
    }
}

static void loo_weighted(const double *x, const double *y, size_t n, size_t qx, size_t qy,
                         const double *w, weighted_scratch z, pause_function pause, double *naive,
                         double *corrected)
{
    double *sums = z.sums, *weighted = z.sums + (qx > qy ? qx : qy);
    const row_columns r = zero_columns(z.rows, n);
    square_entries(x, n * qx, z.squares_x);
    square_entries(y, n * qy, z.squares_y);
    full_sums full = {0.0, 0.0, 0.0};

    /* c u v */
    blas_gemm('T', 'N', qx, qy, n, 1.0, x, n, y, n, 0.0, z.cross, qx);
    pause();
    full.c2 = weigh_cross(w, qx * qy, z.cross);
    blas_gemm('N', 'N', n, qy, qx, 1.0, x, n, z.cross, qx, 0.0, z.second, n);
    pause();
    add_row_products(z.second, y, n, qy, r.cuv);

    /* u^2 v^2, sum phi^2 psi^2 and (sum phi^2 psi) v share one product */
    blas_gemm('N', 'N', n, qy, qx, 1.0, z.squares_x, n, w, qx, 0.0, z.second, n);
    pause();
    add_row_products(z.second, z.squares_y, n, qy, r.u2v2);
    full.dd = sum_blocked(r.u2v2, n);
    for (size_t b = 0; b < qy; b++) sums[b] = dot_blocked(z.second + b * n, y + b * n, n);
    add_row_multiples(y, sums, n, qy, r.ev);

    blas_gemm('N', 'T', n, qx, qy, 1.0, z.squares_y, n, w, qx, 0.0, z.first, n);
    pause();
    for (size_t a = 0; a < qx; a++) sums[a] = dot_blocked(z.first + a * n, x + a * n, n);
    add_row_multiples(x, sums, n, qx, r.fu);

    /* s v^2, t u^2 and s t */
    column_squares(x, n, qx, sums);
    blas_gemv('T', qx, qy, w, sums, weighted);
    add_row_multiples(z.squares_y, weighted, n, qy, r.sv2);
    column_squares(y, n, qy, sums);
    full.st = dot_blocked(weighted, sums, qy);
    blas_gemv('N', qx, qy, w, sums, weighted);
    add_row_multiples(z.squares_x, weighted, n, qx, r.tu2);

    delete_rows(&full, r, n, naive, corrected);
}

static size_t column_inner_length(size_t n, size_t qx, size_t qy, int weighted)
{
    return weighted || n > qy ? 2 * qx * qy : n * n;
}

static void multiply_entries(const double *w, size_t length, double *a)
{
    for (size_t p = 0; w && p < length; p++) a[p] *= w[p];
}

/* g = y c' and h = y e' with c = w o x'y, e = w o (x o x)'y: through c and e when there are
   weights or that is smaller, else through y y'. */
static void cross_images(const double *x, const double *y, size_t n, size_t qx, size_t qy,
                         const double *w, column_scratch z, pause_function pause)
{
    if (w || n > qy) {
        double *c = z.inner, *e = z.inner + qx * qy;
        blas_gemm('T', 'N', qx, qy, n, 1.0, x, n, y, n, 0.0, c, qx);
        pause();
        blas_gemm('T', 'N', qx, qy, n, 1.0, z.squares_x, n, y, n, 0.0, e, qx);
        pause();
        multiply_entries(w, qx * qy, c);
        multiply_entries(w, qx * qy, e);
        blas_gemm('N', 'T', n, qx, qy, 1.0, y, n, c, qx, 0.0, z.g, n);
        pause();
        blas_gemm('N', 'T', n, qx, qy, 1.0, y, n, e, qx, 0.0, z.h, n);
    } else {
        blas_syrk_upper('N', n, qy, y, n, 0.0, z.inner, n);
        pause();
        blas_symm_left(n, qx, z.inner, n, x, n, z.g, n);
        pause();
        blas_symm_left(n, qx, z.inner, n, z.squares_x, n, z.h, n);
    }
    pause();
}

/* l: the sums of squares of the rows of y; with weights one column for each column of x. */
static void square_sums(const double *y, size_t n, size_t qx, size_t qy, const double *w,
                        column_scratch z)
{
    if (w) {
        square_entries(y, n * qy, z.squares_y);
        blas_gemm('N', 'T', n, qx, qy, 1.0, z.squares_y, n, w, qx, 0.0, z.l, n);
    } else {
        zero(z.l, n);
        add_row_products(y, y, n, qy, z.l);
    }
}

static void loo_columns(const double *x, const double *y, size_t n, size_t qx, size_t qy,
                        const double *w, column_scratch z, pause_function pause, double *naive,
                        double *corrected)
{
    const deletions plan = plan_deletions(n);
    square_entries(x, n * qx, z.squares_x);
    square_sums(y, n, qx, qy, w, z);
    cross_images(x, y, n, qx, qy, w, z, pause);
    for (size_t a = 0; a < qx; a++) {
        const double *u = x + a * n, *u2 = z.squares_x + a * n, *g = z.g + a * n, *h = z.h + a * n;
        const double *l = w ? z.l + a * n : z.l;
        const double s = sum_blocked(u2, n), f = dot_blocked(u, l, n), t = sum_blocked(l, n);
        full_sums full = {dot_blocked(u, g, n), dot_blocked(u2, l, n), s * t};
        double *naive_a = naive + a * (n + 1), *corrected_a = corrected + a * (n + 1);
        naive_a[0] = full_naive(&plan, &full);
        corrected_a[0] = full_corrected(&plan, &full);
        for (size_t i = 0; i < n; i++) {
            row_sums row = {u[i] * g[i], h[i],       f * u[i],
                            s * l[i],    t * u2[i], u2[i] * l[i]};
            naive_a[i + 1] = deleted_naive(&plan, &full, &row);
            corrected_a[i + 1] = deleted_corrected(&plan, &full, &row);
        }
    }
}

/* Column pairs between two pauses. */
#define PAUSE_PAIRS 64

SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y), most = qx > qy ? qx : qy;
    const double *w = read_matrix_size(ARG(weights), qx, qy);
    const weighted_scratch z = {scratch(n * qx), scratch(n * qy), scratch(n * qx),
                                scratch(n * qy), scratch(qx * qy), scratch(2 * most),
                                scratch(6 * n)};
    const two_estimates result = new_estimates(n + 1, 1);
    PROTECT(result.list);
    loo_weighted(left, right, n, qx, qy, w, z, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. */
SEXP repalign_loo_columns(SEXP x, SEXP y, SEXP weights)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y);
    const double *w = read_optional(ARG(weights), qx, qy);
    const column_scratch z = {scratch(n * qx),
                              scratch(n * qx),
                              scratch(n * qx),
                              scratch(column_inner_length(n, qx, qy, w != NULL)),
                              scratch(w ? n * qx : n),
                              w ? scratch(n * qy) : NULL};
    const two_estimates result = new_estimates(n + 1, qx);
    PROTECT(result.list);
    loo_columns(left, right, n, qx, qy, w, z, check_interrupt, result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const int *a = read_zero_based(ARG(ix), matrix_columns(x));
    const size_t pairs = (size_t) XLENGTH(ix), rows = n + 1;
    const int *b = read_from_zero(ARG(iy), pairs, matrix_columns(y));
    const two_estimates result = new_estimates(rows, pairs);
    PROTECT(result.list);
    for (size_t p = 0; p < pairs; p++) {
        loo_one_pair(left + (size_t) a[p] * n, right + (size_t) b[p] * n, n,
                     result.naive + p * rows, result.corrected + p * rows);
        if (p % PAUSE_PAIRS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result.list;
}

/* Totals from two centred Gram matrices. */
SEXP repalign_loo_gram(SEXP k, SEXP l)
{
    const double *left = read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    read_matrix_size(ARG(k), n, n);
    const double *right = read_matrix_size(ARG(l), n, n);
    const two_estimates result = new_estimates(n + 1, 1);
    PROTECT(result.list);
    loo_from_grams(left, right, n, scratch(4 * n), result.naive, result.corrected);
    UNPROTECT(1);
    return result.list;
}
