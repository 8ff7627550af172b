#include "fft.h"

#include <math.h>

#define LARGEST_FACTOR 13
#define TWO_PI 6.283185307179586476925286766559

int fft_is_smooth(size_t n)
{
    for (size_t p = 2; p <= LARGEST_FACTOR; p++)
        while (n > 1 && n % p == 0) n /= p;
    return n == 1;
}

size_t fft_smooth_length(size_t n)
{
    while (!fft_is_smooth(n)) n++;
    return n;
}

static void factorize(size_t n, fft_plan *plan)
{
    static const size_t radices[] = {4, 2, 3, 5, 7, 11, 13};
    plan->n_factors = 0;
    for (size_t i = 0; i < sizeof radices / sizeof radices[0]; i++)
        while (n % radices[i] == 0 && n > 1) {
            plan->factors[plan->n_factors++] = radices[i];
            n /= radices[i];
        }
}

void fft_make_plan(size_t n, double *roots, fft_plan *plan)
{
    double *cosine = roots, *sine = roots + n;
    for (size_t k = 0; k < n; k++) {
        const double angle = TWO_PI * (double) k / (double) n;
        cosine[k] = cos(angle);
        sine[k] = sin(angle);
    }
    plan->n = n;
    plan->cosine = cosine;
    plan->sine = sine;
    factorize(n, plan);
}

/* One pass: from sub-transforms of length `length` at distance `stride` to ones of length
   length / radix at distance stride * radix (Stockham's self-sorting order). */
typedef struct {
    const double *re, *im;
    double *out_re, *out_im;
    size_t length, stride, radix;
} fft_pass;

/* Entry (k, q) of the butterfly p on the way in; (j, q) on the way out. */
static size_t from(const fft_pass *s, size_t p, size_t k, size_t q)
{
    return (q + s->stride * (p + s->length / s->radix * k)) * FFT_LANES;
}

static size_t to(const fft_pass *s, size_t p, size_t j, size_t q)
{
    return (q + s->stride * (s->radix * p + j)) * FFT_LANES;
}

/* Output j of a butterfly, (re, im), turned by its twiddle factor cos - i sin. */
#define STORE(j, value_re, value_im)                                 \
    do {                                                             \
        const double vr_ = (value_re), vi_ = (value_im);             \
        y##j##r[w] = vr_ * c[j] + vi_ * d[j];                        \
        y##j##i[w] = vi_ * c[j] - vr_ * d[j];                        \
    } while (0)

#define INPUT(k)                                                     \
    const double *restrict x##k##r = s->re + from(s, p, k, q),       \
                 *restrict x##k##i = s->im + from(s, p, k, q)

#define OUTPUT(j)                                                    \
    double *restrict y##j##r = s->out_re + to(s, p, j, q),           \
           *restrict y##j##i = s->out_im + to(s, p, j, q)

static void butterfly2(const fft_pass *s, size_t p, size_t q, const double *c, const double *d)
{
    INPUT(0); INPUT(1);
    OUTPUT(0); OUTPUT(1);
    for (int w = 0; w < FFT_LANES; w++) {
        STORE(0, x0r[w] + x1r[w], x0i[w] + x1i[w]);
        STORE(1, x0r[w] - x1r[w], x0i[w] - x1i[w]);
    }
}

static void butterfly3(const fft_pass *s, size_t p, size_t q, const double *c, const double *d)
{
    const double half_root = 0.86602540378443864676;
    INPUT(0); INPUT(1); INPUT(2);
    OUTPUT(0); OUTPUT(1); OUTPUT(2);
    for (int w = 0; w < FFT_LANES; w++) {
        const double sr = x1r[w] + x2r[w], si = x1i[w] + x2i[w];
        const double mr = x0r[w] - 0.5 * sr, mi = x0i[w] - 0.5 * si;
        const double tr = half_root * (x1i[w] - x2i[w]), ti = half_root * (x2r[w] - x1r[w]);
        STORE(0, x0r[w] + sr, x0i[w] + si);
        STORE(1, mr + tr, mi + ti);
        STORE(2, mr - tr, mi - ti);
    }
}

static void butterfly4(const fft_pass *s, size_t p, size_t q, const double *c, const double *d)
{
    INPUT(0); INPUT(1); INPUT(2); INPUT(3);
    OUTPUT(0); OUTPUT(1); OUTPUT(2); OUTPUT(3);
    for (int w = 0; w < FFT_LANES; w++) {
        const double ar = x0r[w] + x2r[w], ai = x0i[w] + x2i[w];
        const double br = x0r[w] - x2r[w], bi = x0i[w] - x2i[w];
        const double er = x1r[w] + x3r[w], ei = x1i[w] + x3i[w];
        const double fr = x1i[w] - x3i[w], fi = x3r[w] - x1r[w];
        STORE(0, ar + er, ai + ei);
        STORE(1, br + fr, bi + fi);
        STORE(2, ar - er, ai - ei);
        STORE(3, br - fr, bi - fi);
    }
}

/* Any radix, by its definition; roots of unity of the radix from the plan's table. */
static void butterfly_any(const fft_pass *s, const fft_plan *plan, size_t p, size_t q,
                          const double *c, const double *d)
{
    const size_t r = s->radix, step = plan->n / r;
    for (size_t j = 0; j < r; j++) {
        double sum_re[FFT_LANES] = {0}, sum_im[FFT_LANES] = {0};
        for (size_t k = 0; k < r; k++) {
            const double *restrict xr = s->re + from(s, p, k, q),
                         *restrict xi = s->im + from(s, p, k, q);
            const double co = plan->cosine[(j * k) % r * step], si = plan->sine[(j * k) % r * step];
            for (int w = 0; w < FFT_LANES; w++) {
                sum_re[w] += xr[w] * co + xi[w] * si;
                sum_im[w] += xi[w] * co - xr[w] * si;
            }
        }
        double *restrict yr = s->out_re + to(s, p, j, q), *restrict yi = s->out_im + to(s, p, j, q);
        for (int w = 0; w < FFT_LANES; w++) {
            yr[w] = sum_re[w] * c[j] + sum_im[w] * d[j];
            yi[w] = sum_im[w] * c[j] - sum_re[w] * d[j];
        }
    }
}

static void run_pass(const fft_pass *s, const fft_plan *plan)
{
    const size_t m = s->length / s->radix;
    for (size_t p = 0; p < m; p++) {
        double c[LARGEST_FACTOR], d[LARGEST_FACTOR];
        for (size_t j = 0; j < s->radix; j++) {
            c[j] = plan->cosine[p * j * s->stride];
            d[j] = plan->sine[p * j * s->stride];
        }
        for (size_t q = 0; q < s->stride; q++) {
            switch (s->radix) {
            case 2: butterfly2(s, p, q, c, d); break;
            case 3: butterfly3(s, p, q, c, d); break;
            case 4: butterfly4(s, p, q, c, d); break;
            default: butterfly_any(s, plan, p, q, c, d);
            }
        }
    }
}

int fft_forward(const fft_plan *plan, double *re, double *im, double *work_re, double *work_im)
{
    fft_pass s = {re, im, work_re, work_im, plan->n, 1, 1};
    int in_work = 0;
    for (size_t i = 0; i < plan->n_factors; i++) {
        s.radix = plan->factors[i];
        run_pass(&s, plan);
        in_work = !in_work;
        s.re = in_work ? work_re : re;
        s.im = in_work ? work_im : im;
        s.out_re = in_work ? re : work_re;
        s.out_im = in_work ? im : work_im;
        s.length /= s.radix;
        s.stride *= s.radix;
    }
    return in_work;
}
