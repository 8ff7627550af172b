/* R's LAPACK behind plain C types: see lapack.h. */

#include "repalign.h"
#include "lapack.h"

#include <R_ext/Lapack.h>

static int leading(size_t ld) { return ld > 0 ? (int) ld : 1; }

static size_t smaller_side(size_t m, size_t n) { return m < n ? m : n; }

static size_t whole(double queried) { return queried < 1.0 ? 1 : (size_t) queried; }

static int svd(int vectors, size_t m, size_t n, double *a, double *s, double *u, double *vt,
               double *work, int work_length, int *iwork)
{
    const char *job = vectors ? "S" : "N";
    int im = (int) m, in = (int) n, ld_a = leading(m), ld_u = leading(m), info = 0;
    int ld_vt = leading(smaller_side(m, n));
    F77_CALL(dgesdd)(job, &im, &in, a, &ld_a, s, u, &ld_u, vt, &ld_vt, work, &work_length, iwork,
                     &info FCONE);
    return info;
}

size_t lapack_svd_work(int vectors, size_t m, size_t n)
{
    double queried = 0.0, unused = 0.0;
    int none = 0;
    svd(vectors, m, n, &unused, &unused, &unused, &unused, &queried, -1, &none);
    return whole(queried);
}

int lapack_svd(int vectors, size_t m, size_t n, double *a, double *s, double *u, double *vt,
               double *work, size_t work_length, int *iwork)
{
    return svd(vectors, m, n, a, s, u, vt, work, (int) work_length, iwork);
}

static int svd_qr(int vectors, size_t m, size_t n, double *a, double *s, double *u, double *vt,
                  double *work, int work_length)
{
    const char *job = vectors ? "S" : "N";
    int im = (int) m, in = (int) n, ld_a = leading(m), ld_u = leading(m), info = 0;
    int ld_vt = leading(smaller_side(m, n));
    F77_CALL(dgesvd)(job, job, &im, &in, a, &ld_a, s, u, &ld_u, vt, &ld_vt, work, &work_length,
                     &info FCONE FCONE);
    return info;
}

size_t lapack_svd_qr_work(int vectors, size_t m, size_t n)
{
    double queried = 0.0, unused = 0.0;
    svd_qr(vectors, m, n, &unused, &unused, &unused, &unused, &queried, -1);
    return whole(queried);
}

int lapack_svd_qr(int vectors, size_t m, size_t n, double *a, double *s, double *u, double *vt,
                  double *work, size_t work_length)
{
    return svd_qr(vectors, m, n, a, s, u, vt, work, (int) work_length);
}

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

int lapack_cholesky(size_t n, double *a)
{
    int in = (int) n, ld = leading(n), info = 0;
    F77_CALL(dpotrf)("U", &in, a, &ld, &info FCONE);
    return info;
}

int lapack_invert_upper(size_t n, double *a)
{
    int in = (int) n, ld = leading(n), info = 0;
    F77_CALL(dtrtri)("U", "N", &in, a, &ld, &info FCONE FCONE);
    return info;
}
