/* R's LAPACK behind plain C types: see lapack.h. */

#include "lapack.h"

#include <string.h>

#include "entry.h"

#include <R_ext/Lapack.h>

static int leading(size_t ld) { return ld > 0 ? (int) ld : 1; }

/* Calls a routine with the scratch that it wants, and before for its length, where that is 0. */
#define WITH_LENGTH(length, call)                                      \
    do {                                                               \
        double queried = 1.0, *work = &queried;                        \
        if ((length) == 0) {                                           \
            (length) = -1;                                             \
            call;                                                      \
            (length) = queried < 1.0 ? 1 : (int) queried;              \
        }                                                              \
        work = scratch((size_t) (length));                             \
        call;                                                          \
    } while (0)

#define WITH_WORK(call)                                                \
    do {                                                               \
        int length = 0;                                                \
        WITH_LENGTH(length, call);                                     \
    } while (0)

/* ---- singular values */

/* Divide and conquer wants several k x k of scratch, counted in a BLAS integer. */
#define LARGEST_DIVIDED 20000

void decompose(int vectors, size_t m, size_t n, const double *a, double *s, double *u, double *vt,
               int *room)
{
    if (m == 0 || n == 0) return;
    const void *before = vmaxget();
    const char *job = vectors ? "S" : "N";
    const size_t k = least(m, n);
    int im = (int) m, in = (int) n, ld_a = leading(m), ld_u = leading(m), ld_vt = leading(k);
    int info = 1, *iwork = int_scratch(8 * k);
    double unused = 0.0, *copy = scratch(m * n);
    if (!vectors) u = vt = &unused;
    if (k <= LARGEST_DIVIDED) {
        memcpy(copy, a, m * n * sizeof(double));
        WITH_LENGTH(*room, F77_CALL(dgesdd)(job, &im, &in, copy, &ld_a, s, u, &ld_u, vt, &ld_vt,
                                            work, room, iwork, &info FCONE));
    }
    /* divide and conquer fails for the rare matrix; QR iterations are slower, and surer */
    if (info != 0) {
        memcpy(copy, a, m * n * sizeof(double));
        WITH_WORK(F77_CALL(dgesvd)(job, job, &im, &in, copy, &ld_a, s, u, &ld_u, vt, &ld_vt, work,
                                   &length, &info FCONE FCONE));
    }
    vmaxset(before);
    if (info != 0) entry_error("the singular value decomposition failed (%d)", info);
    check_interrupt();
}

/* ---- other factors */

void lapack_qr(size_t m, size_t n, double *a, double *tau)
{
    const void *before = vmaxget();
    int im = (int) m, in = (int) n, ld = leading(m), info = 0;
    WITH_WORK(F77_CALL(dgeqrf)(&im, &in, a, &ld, tau, work, &length, &info));
    vmaxset(before);
}

void lapack_form_q(size_t m, size_t k, double *a, const double *tau)
{
    const void *before = vmaxget();
    int im = (int) m, ik = (int) k, ld = leading(m), info = 0;
    WITH_WORK(F77_CALL(dorgqr)(&im, &ik, &ik, a, &ld, tau, work, &length, &info));
    vmaxset(before);
}

void lapack_apply_q(size_t m, size_t columns, size_t k, const double *a, const double *tau,
                    double *c)
{
    const void *before = vmaxget();
    int im = (int) m, in = (int) columns, ik = (int) k, ld = leading(m), info = 0;
    /* dormqr changes a while it runs, and puts it back */
    WITH_WORK(F77_CALL(dormqr)("L", "N", &im, &in, &ik, (double *) a, &ld, (double *) tau, c, &ld,
                               work, &length, &info FCONE FCONE));
    vmaxset(before);
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

int lapack_leading_vector(size_t n, double *a, double *vector)
{
    const void *before = vmaxget();
    int in = (int) n, ld = leading(n), found = 0, support[2], info = 0, places = (int) (10 * n);
    int *iwork = int_scratch(10 * n);
    double none = 0.0, tolerance = 0.0, *values = scratch(n);
    WITH_WORK(F77_CALL(dsyevr)("V", "I", "L", &in, a, &ld, &none, &none, &in, &in, &tolerance,
                               &found, values, vector, &ld, support, work, &length, iwork, &places,
                               &info FCONE FCONE FCONE));
    vmaxset(before);
    return info;
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

double lapack_upper_condition(size_t n, const double *r)
{
    const void *before = vmaxget();
    int in = (int) n, ld = leading(n), info = 0, *counts = int_scratch(n);
    double inverse = 0.0, *work = scratch(3 * n);
    F77_CALL(dtrcon)("1", "U", "N", &in, r, &ld, &inverse, work, counts, &info FCONE FCONE FCONE);
    vmaxset(before);
    return inverse > 0.0 ? 1.0 / inverse : INFINITY;
}
