/* Singular value decompositions: see svd.h. */

#include "svd.h"

#include <string.h>

#include "lapack.h"

/* Divide and conquer wants several k x k of scratch, counted in a BLAS integer. */
#define LARGEST_DIVIDED 20000

static int is_divided(size_t m, size_t n) { return (m < n ? m : n) <= LARGEST_DIVIDED; }

size_t svd_work(int vectors, size_t m, size_t n)
{
    const size_t plain = lapack_svd_qr_work(vectors, m, n);
    const size_t divided = is_divided(m, n) ? lapack_svd_work(vectors, m, n) : 0;
    return divided > plain ? divided : plain;
}

int svd(int vectors, const double *a, size_t m, size_t n, double *s, double *u, double *vt,
        svd_scratch z)
{
    double unused = 0.0;
    if (!vectors) u = vt = &unused;
    if (is_divided(m, n)) {
        memcpy(z.copy, a, m * n * sizeof(double));
        if (lapack_svd(vectors, m, n, z.copy, s, u, vt, z.work, lapack_svd_work(vectors, m, n),
                       z.iwork) == 0)
            return 0;
    }
    /* it fails for the rare matrix; plain QR iterations are slower and surer */
    memcpy(z.copy, a, m * n * sizeof(double));
    return lapack_svd_qr(vectors, m, n, z.copy, s, u, vt, z.work,
                         lapack_svd_qr_work(vectors, m, n));
}
