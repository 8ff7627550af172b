/* Delete-one-stimulus values of sums over neuron pairs. With a stimulus i deleted
   and the rest centred again, every pair's term is a polynomial in the two entries
   of row i whose coefficients are sums over all rows, so nothing is recomputed.

   x (n x qx) and y (n x qy) are centred; N = n - 1 >= 4 for the corrected ones.
   Results have n + 1 rows: row 0 with nothing deleted, row i + 1 without stimulus i. */

#include "blas.h"
#include "estimator.h"
#include "entry.h"

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

/* All samples: the values of row 0. */
static void put_full(const deletions *d, const full_sums *f, double *naive, double *corrected)
{
    *naive = estimate(d->naive, f->c2, 0.0, 0.0);
    *corrected = estimate_linear(d->corrected, f->c2, f->dd, f->st);
}

/* c without row i is c - (n / (n - 1)) u v; every remaining row moves by k u, k v: expand
   (phi + k u)^2 (psi + k v)^2. */
static void put_deleted(const deletions *d, const full_sums *f, const row_sums *r, double *naive,
                        double *corrected)
{
    const double k = 1.0 / (d->n - 1.0), shrink = d->n / (d->n - 1.0);
    const double shrink4 = shrink * shrink * shrink * shrink;
    const double c2 = f->c2 - 2.0 * shrink * r->cuv + shrink * shrink * r->u2v2;
    const double dd = f->dd + 2.0 * k * (r->ev + r->fu) +
                      k * k * (r->sv2 + r->tu2 + 4.0 * r->cuv) +
                      (d->n * k * k * k * k - shrink4) * r->u2v2;
    const double st = f->st - shrink * (r->sv2 + r->tu2) + shrink * shrink * r->u2v2;
    *naive = estimate(d->naive_rest, c2, 0.0, 0.0);
    *corrected = estimate_linear(d->corrected_rest, c2, dd, st);
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

/* Column pairs between two pauses. */
#define PAUSE_PAIRS 64

/* Totals weighted by `weights`. */
SEXP repalign_loo_weighted(SEXP x, SEXP y, SEXP weights)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y);
    const double *w = read_matrix_size(ARG(weights), qx, qy);
    double *squares_x = scratch(n * qx), *squares_y = scratch(n * qy);
    double *first = scratch(n * qx), *second = scratch(n * qy), *cross = scratch(qx * qy);
    double *sums = scratch(most(qx, qy)), *weighted = scratch(most(qx, qy));
    double *cuv = zeroed_bytes(6 * n * sizeof(double)), *ev = cuv + n, *fu = cuv + 2 * n;
    double *sv2 = cuv + 3 * n, *tu2 = cuv + 4 * n, *u2v2 = cuv + 5 * n;
    full_sums full = {0.0, 0.0, 0.0};
    square_entries(left, n * qx, squares_x);
    square_entries(right, n * qy, squares_y);

    /* c u v */
    blas_gemm('T', 'N', qx, qy, n, 1.0, left, n, right, n, 0.0, cross, qx);
    check_interrupt();
    for (size_t p = 0; p < qx * qy; p++) {
        const double product = w[p] * cross[p];
        full.c2 += product * cross[p];
        cross[p] = product;
    }
    blas_gemm('N', 'N', n, qy, qx, 1.0, left, n, cross, qx, 0.0, second, n);
    check_interrupt();
    add_row_products(second, right, n, qy, cuv);

    /* u^2 v^2, sum phi^2 psi^2 and (sum phi^2 psi) v share one product */
    blas_gemm('N', 'N', n, qy, qx, 1.0, squares_x, n, w, qx, 0.0, second, n);
    check_interrupt();
    add_row_products(second, squares_y, n, qy, u2v2);
    full.dd = sum_blocked(u2v2, n);
    for (size_t b = 0; b < qy; b++) sums[b] = dot_blocked(second + b * n, right + b * n, n);
    add_row_multiples(right, sums, n, qy, ev);

    blas_gemm('N', 'T', n, qx, qy, 1.0, squares_y, n, w, qx, 0.0, first, n);
    check_interrupt();
    for (size_t a = 0; a < qx; a++) sums[a] = dot_blocked(first + a * n, left + a * n, n);
    add_row_multiples(left, sums, n, qx, fu);

    /* s v^2, t u^2 and s t */
    column_squares(left, n, qx, sums);
    blas_gemv('T', qx, qy, w, sums, weighted);
    add_row_multiples(squares_y, weighted, n, qy, sv2);
    column_squares(right, n, qy, sums);
    full.st = dot_blocked(weighted, sums, qy);
    blas_gemv('N', qx, qy, w, sums, weighted);
    add_row_multiples(squares_x, weighted, n, qx, tu2);

    const deletions plan = plan_deletions(n);
    const two_estimates result = new_estimates(n + 1, 1);
    put_full(&plan, &full, result.naive, result.corrected);
    for (size_t i = 0; i < n; i++) {
        const row_sums row = {cuv[i], ev[i], fu[i], sv2[i], tu2[i], u2v2[i]};
        put_deleted(&plan, &full, &row, result.naive + i + 1, result.corrected + i + 1);
    }
    return result.list;
}

/* For each column of x the sum over all columns of y, times weights; weights NULL: of 1. Needed are
   g = y c' and h = y e' with c = w o x'y, e = w o (x o x)'y: through c and e when there are weights
   or that is smaller, else through y y'. l: the sums of squares of the rows of y; with weights one
   column for each column of x. */
SEXP repalign_loo_columns(SEXP x, SEXP y, SEXP weights)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), qx = matrix_columns(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const size_t qy = matrix_columns(y);
    const double *w = read_optional(ARG(weights), qx, qy);
    double *squares_x = scratch(n * qx), *g = scratch(n * qx), *h = scratch(n * qx);
    double *l = zeroed_bytes((w ? n * qx : n) * sizeof(double));
    square_entries(left, n * qx, squares_x);
    if (w) {
        double *squares_y = scratch(n * qy);
        square_entries(right, n * qy, squares_y);
        blas_gemm('N', 'T', n, qx, qy, 1.0, squares_y, n, w, qx, 0.0, l, n);
    } else {
        add_row_products(right, right, n, qy, l);
    }
    if (w || n > qy) {
        double *c = scratch(qx * qy), *e = scratch(qx * qy);
        blas_gemm('T', 'N', qx, qy, n, 1.0, left, n, right, n, 0.0, c, qx);
        check_interrupt();
        blas_gemm('T', 'N', qx, qy, n, 1.0, squares_x, n, right, n, 0.0, e, qx);
        check_interrupt();
        for (size_t p = 0; w && p < qx * qy; p++) {
            c[p] *= w[p];
            e[p] *= w[p];
        }
        blas_gemm('N', 'T', n, qx, qy, 1.0, right, n, c, qx, 0.0, g, n);
        check_interrupt();
        blas_gemm('N', 'T', n, qx, qy, 1.0, right, n, e, qx, 0.0, h, n);
    } else {
        double *inner = scratch(n * n);
        blas_syrk_upper('N', n, qy, right, n, 0.0, inner, n);
        check_interrupt();
        blas_symm_left(n, qx, inner, n, left, n, g, n);
        check_interrupt();
        blas_symm_left(n, qx, inner, n, squares_x, n, h, n);
    }
    check_interrupt();
    const deletions plan = plan_deletions(n);
    const two_estimates result = new_estimates(n + 1, qx);
    for (size_t a = 0; a < qx; a++) {
        const double *u = left + a * n, *u2 = squares_x + a * n, *ga = g + a * n, *ha = h + a * n;
        const double *la = w ? l + a * n : l;
        const double s = sum_blocked(u2, n), f = dot_blocked(u, la, n), t = sum_blocked(la, n);
        const full_sums full = {dot_blocked(u, ga, n), dot_blocked(u2, la, n), s * t};
        double *naive = result.naive + a * (n + 1), *corrected = result.corrected + a * (n + 1);
        put_full(&plan, &full, naive, corrected);
        for (size_t i = 0; i < n; i++) {
            const row_sums row = {u[i] * ga[i], ha[i],      f * u[i],
                                  s * la[i],    t * u2[i], u2[i] * la[i]};
            put_deleted(&plan, &full, &row, naive + i + 1, corrected + i + 1);
        }
    }
    return result.list;
}

/* For each pair of a column of x (ix) and one of y (iy). */
SEXP repalign_loo_pairs(SEXP x, SEXP y, SEXP ix, SEXP iy)
{
    const double *left = read_matrix(ARG(x));
    const size_t n = matrix_rows(x);
    const double *right = read_matrix_rows(ARG(y), n);
    const int *of_x = read_zero_based(ARG(ix), matrix_columns(x));
    const size_t pairs = (size_t) XLENGTH(ix);
    const int *of_y = read_from_zero(ARG(iy), pairs, matrix_columns(y));
    const deletions plan = plan_deletions(n);
    const two_estimates result = new_estimates(n + 1, pairs);
    PROTECT(result.list);
    for (size_t p = 0; p < pairs; p++) {
        const double *phi = left + (size_t) of_x[p] * n, *psi = right + (size_t) of_y[p] * n;
        double *naive = result.naive + p * (n + 1), *corrected = result.corrected + p * (n + 1);
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
        const full_sums full = {c * c, dd, s * t};
        put_full(&plan, &full, naive, corrected);
        for (size_t i = 0; i < n; i++) {
            const double u = phi[i], v = psi[i];
            const row_sums row = {c * u * v, e * v, f * u, s * v * v, t * u * u, u * u * v * v};
            put_deleted(&plan, &full, &row, naive + i + 1, corrected + i + 1);
        }
        if (p % PAUSE_PAIRS == 0) check_interrupt();
    }
    UNPROTECT(1);
    return result.list;
}

/* Totals from two centred Gram matrices. Zero-diagonal sums for the corrected values; the naive
   ones keep the diagonal, and there the row sums vanish because the matrices are centred. */
SEXP repalign_loo_gram(SEXP k, SEXP l)
{
    const double *left = read_matrix(ARG(k));
    const size_t n = matrix_rows(k);
    read_matrix_size(ARG(k), n, n);
    const double *right = read_matrix_size(ARG(l), n, n);
    double *r = scratch(n), *q = scratch(n), *m = scratch(n), *cross = scratch(n);
    double sum_k = 0.0, sum_l = 0.0, sum_m = 0.0, rq = 0.0, diagonal_sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *ki = left + i * n, *li = right + i * n;
        r[i] = sum_blocked(ki, n) - ki[i];
        q[i] = sum_blocked(li, n) - li[i];
        m[i] = dot_blocked(ki, li, n) - ki[i] * li[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double *ki = left + i * n, *li = right + i * n;
        cross[i] = dot_blocked(ki, q, n) - ki[i] * q[i] + dot_blocked(li, r, n) - li[i] * r[i];
        sum_k += r[i];
        sum_l += q[i];
        sum_m += m[i];
        rq += r[i] * q[i];
        diagonal_sum += ki[i] * li[i];
    }
    const deletions plan = plan_deletions(n);
    const two_estimates result = new_estimates(n + 1, 1);
    result.naive[0] = estimate(plan.naive, sum_m + diagonal_sum, 0.0, 0.0);
    result.corrected[0] = estimate(plan.corrected, sum_m, rq, sum_k * sum_l);
    for (size_t i = 0; i < n; i++) {
        const double kl = left[i + i * n] * right[i + i * n];
        result.naive[i + 1] =
            estimate(plan.naive_rest, sum_m + diagonal_sum - 2.0 * m[i] - kl, m[i], kl);
        result.corrected[i + 1] = estimate(plan.corrected_rest, sum_m - 2.0 * m[i],
                                           rq - r[i] * q[i] - cross[i] + m[i],
                                           (sum_k - 2.0 * r[i]) * (sum_l - 2.0 * q[i]));
    }
    return result.list;
}
