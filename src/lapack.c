/* R's LAPACK behind plain C types: see lapack.h. */

#include "lapack.h"

#include <string.h>

#include "repalign.h"
#include "threads.h"

#include <R_ext/Lapack.h>

static int leading(size_t ld) { return ld > 0 ? (int) ld : 1; }

static size_t whole(double queried) { return queried < 1.0 ? 1 : (size_t) queried; }

/* ---- singular values */

/* Divide and conquer wants several k x k of scratch, counted in a BLAS integer. */
#define LARGEST_DIVIDED 20000

static int is_divided(size_t m, size_t n) { return least(m, n) <= LARGEST_DIVIDED; }

/* Divide and conquer; a is destroyed. */
static int divided_svd(int vectors, size_t m, size_t n, double *a, double *s, double *u,
                       double *vt, double *work, int work_length, int *iwork)
{
    const char *job = vectors ? "S" : "N";
    int im = (int) m, in = (int) n, ld_a = leading(m), ld_u = leading(m), info = 0;
    int ld_vt = leading(least(m, n));
    F77_CALL(dgesdd)(job, &im, &in, a, &ld_a, s, u, &ld_u, vt, &ld_vt, work, &work_length, iwork,
                     &info FCONE);
    return info;
}

static size_t divided_svd_work(int vectors, size_t m, size_t n)
{
    double queried = 0.0, unused = 0.0;
    int none = 0;
    divided_svd(vectors, m, n, &unused, &unused, &unused, &unused, &queried, -1, &none);
    return whole(queried);
}

/* The same by QR iterations: slower, and surer. */
static int iterated_svd(int vectors, size_t m, size_t n, double *a, double *s, double *u,
                        double *vt, double *work, int work_length)
{
    const char *job = vectors ? "S" : "N";
    int im = (int) m, in = (int) n, ld_a = leading(m), ld_u = leading(m), info = 0;
    int ld_vt = leading(least(m, n));
    F77_CALL(dgesvd)(job, job, &im, &in, a, &ld_a, s, u, &ld_u, vt, &ld_vt, work, &work_length,
                     &info FCONE FCONE);
    return info;
}

static size_t iterated_svd_work(int vectors, size_t m, size_t n)
{
    double queried = 0.0, unused = 0.0;
    iterated_svd(vectors, m, n, &unused, &unused, &unused, &unused, &queried, -1);
    return whole(queried);
}

size_t lapack_svd_work(int vectors, size_t m, size_t n)
{
    const size_t iterated = iterated_svd_work(vectors, m, n);
    const size_t divided = is_divided(m, n) ? divided_svd_work(vectors, m, n) : 0;
    return divided > iterated ? divided : iterated;
}

int lapack_svd(int vectors, size_t m, size_t n, const double *a, double *s, double *u, double *vt,
               svd_scratch z)
{
    double unused = 0.0;
    if (!vectors) u = vt = &unused;
    if (is_divided(m, n)) {
        memcpy(z.copy, a, m * n * sizeof(double));
        const int length = (int) divided_svd_work(vectors, m, n);
        if (divided_svd(vectors, m, n, z.copy, s, u, vt, z.work, length, z.iwork) == 0) return 0;
    }
    /* divide and conquer fails for the rare matrix */
    memcpy(z.copy, a, m * n * sizeof(double));
    return iterated_svd(vectors, m, n, z.copy, s, u, vt, z.work,
                        (int) iterated_svd_work(vectors, m, n));
}

/* ---- other factors */

static void qr(size_t m, size_t n, double *a, double *tau, double *work, int work_length)
{
    int im = (int) m, in = (int) n, ld_a = leading(m), info = 0;
    F77_CALL(dgeqrf)(&im, &in, a, &ld_a, tau, work, &work_length, &info);
}

size_t lapack_qr_work(size_t m, size_t n)
{
    double queried = 0.0, unused = 0.0;
    qr(m, n, &unused, &unused, &queried, -1);
    return whole(queried);
}

void lapack_qr(size_t m, size_t n, double *a, double *tau, double *work, size_t work_length)
{
    qr(m, n, a, tau, work, (int) work_length);
}

static void form_q(size_t m, size_t k, double *a, const double *tau, double *work, int work_length)
{
    int im = (int) m, ik = (int) k, ld = leading(m), info = 0;
    F77_CALL(dorgqr)(&im, &ik, &ik, a, &ld, tau, work, &work_length, &info);
}

size_t lapack_form_q_work(size_t m, size_t k)
{
    double queried = 0.0, unused = 0.0;
    form_q(m, k, &unused, &unused, &queried, -1);
    return whole(queried);
}

void lapack_form_q(size_t m, size_t k, double *a, const double *tau, double *work,
                   size_t work_length)
{
    form_q(m, k, a, tau, work, (int) work_length);
}

static void apply_q(size_t m, size_t columns, size_t k, const double *a, const double *tau,
                    double *c, double *work, int work_length)
{
    int im = (int) m, in = (int) columns, ik = (int) k, ld = leading(m), info = 0;
    /* dormqr changes a while it runs, and puts it back */
    F77_CALL(dormqr)("L", "N", &im, &in, &ik, (double *) a, &ld, (double *) tau, c, &ld, work,
                     &work_length, &info FCONE FCONE);
}

size_t lapack_apply_q_work(size_t m, size_t columns, size_t k)
{
    double queried = 0.0, unused = 0.0;
    apply_q(m, columns, k, &unused, &unused, &unused, &queried, -1);
    return whole(queried);
}

void lapack_apply_q(size_t m, size_t columns, size_t k, const double *a, const double *tau,
                    double *c, double *work, size_t work_length)
{
    apply_q(m, columns, k, a, tau, c, work, (int) work_length);
}

int lapack_tridiagonal_values(size_t n, double *diagonal, double *off)
{
    int in = (int) n, info = 0;
    F77_CALL(dsterf)(&in, diagonal, off, &info);
    return info;
}

int lapack_tridiagonal_vector(size_t n, const double *diagonal, const double *off, double value,
                              double *vector, double *work, int *iwork)
{
    /* one vector, of a matrix that is one block */
    int in = (int) n, count = 1, block = 1, ld = leading(n), failed = 0, info = 0;
    F77_CALL(dstein)(&in, diagonal, off, &count, &value, &block, &in, vector, &ld, work, iwork,
                     &failed, &info);
    return info;
}

static int leading_vector(size_t n, double *a, double *vector, double *values, double *work,
                          int work_length, int *iwork, int iwork_length)
{
    int in = (int) n, ld = leading(n), found = 0, support[2], info = 0;
    double unused = 0.0, tolerance = 0.0;
    F77_CALL(dsyevr)("V", "I", "L", &in, a, &ld, &unused, &unused, &in, &in, &tolerance, &found,
                     values, vector, &ld, support, work, &work_length, iwork, &iwork_length,
                     &info FCONE FCONE FCONE);
    return info;
}

size_t lapack_leading_work(size_t n)
{
    double queried = 0.0, unused = 0.0;
    int iqueried = 0;
    leading_vector(n, &unused, &unused, &unused, &queried, -1, &iqueried, -1);
    return whole(queried);
}

int lapack_leading_vector(size_t n, double *a, double *vector, double *values, double *work,
                          size_t work_length, int *iwork)
{
    return leading_vector(n, a, vector, values, work, (int) work_length, iwork, (int) (10 * n));
}

int lapack_cholesky(size_t n, double *a)
{
    int in = (int) n, ld = leading(n), info = 0;
    F77_CALL(dpotrf)("U", &in, a, &ld, &info FCONE);
    return info;
}

int lapack_cholesky_inverse(size_t n, double *a)
{
    int in = (int) n, ld = leading(n), info = lapack_cholesky(n, a);
    if (info == 0) F77_CALL(dpotri)("U", &in, a, &ld, &info FCONE);
    return info;
}

double lapack_upper_condition(size_t n, const double *r, double *work, int *counts)
{
    int in = (int) n, ld = leading(n), info = 0;
    double inverse = 0.0;
    F77_CALL(dtrcon)("1", "U", "N", &in, r, &ld, &inverse, work, counts, &info FCONE FCONE FCONE);
    return inverse > 0.0 ? 1.0 / inverse : INFINITY;
}
