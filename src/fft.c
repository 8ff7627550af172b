/* Fourier transforms of lengths with small factors: see fft.h. */

#include "fft.h"

#include <math.h>

#include "loops.h"

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

/* A butterfly: inputs k at distance `from` of each other, outputs j at distance `to`, each
   output turned by its twiddle factor cos - i sin. */
typedef struct {
    const double *re, *im;
    double *out_re, *out_im;
    size_t from, to;
    const double *cosine, *sine;
} butterfly;

#define IN(k, part) b->part[(k) * b->from + w]

/* The first factor is 1. */
#define STORE_FIRST(value_re, value_im)                              \
    do {                                                             \
        b->out_re[w] = (value_re);                                   \
        b->out_im[w] = (value_im);                                   \
    } while (0)

#define STORE(j, value_re, value_im)                                 \
    do {                                                             \
        const double vr_ = (value_re), vi_ = (value_im);             \
        b->out_re[(j) * b->to + w] = vr_ * b->cosine[j] + vi_ * b->sine[j]; \
        b->out_im[(j) * b->to + w] = vi_ * b->cosine[j] - vr_ * b->sine[j]; \
    } while (0)

static inline void butterfly2(const butterfly *b)
{
    AT_ONCE
    for (size_t w = 0; w < FFT_WIDTH; w++) {
        const double r0 = IN(0, re), i0 = IN(0, im), r1 = IN(1, re), i1 = IN(1, im);
        STORE_FIRST(r0 + r1, i0 + i1);
        STORE(1, r0 - r1, i0 - i1);
    }
}

static inline void butterfly3(const butterfly *b)
{
    const double half_root = 0.86602540378443864676;
    AT_ONCE
    for (size_t w = 0; w < FFT_WIDTH; w++) {
        const double r0 = IN(0, re), i0 = IN(0, im), r1 = IN(1, re), i1 = IN(1, im);
        const double r2 = IN(2, re), i2 = IN(2, im);
        const double sr = r1 + r2, si = i1 + i2;
        const double mr = r0 - 0.5 * sr, mi = i0 - 0.5 * si;
        const double tr = half_root * (i1 - i2), ti = half_root * (r2 - r1);
        STORE_FIRST(r0 + sr, i0 + si);
        STORE(1, mr + tr, mi + ti);
        STORE(2, mr - tr, mi - ti);
    }
}

static inline void butterfly4(const butterfly *b)
{
    AT_ONCE
    for (size_t w = 0; w < FFT_WIDTH; w++) {
        const double r0 = IN(0, re), i0 = IN(0, im), r1 = IN(1, re), i1 = IN(1, im);
        const double r2 = IN(2, re), i2 = IN(2, im), r3 = IN(3, re), i3 = IN(3, im);
        const double ar = r0 + r2, ai = i0 + i2, br = r0 - r2, bi = i0 - i2;
        const double er = r1 + r3, ei = i1 + i3, fr = i1 - i3, fi = r3 - r1;
        STORE_FIRST(ar + er, ai + ei);
        STORE(1, br + fr, bi + fi);
        STORE(2, ar - er, ai - ei);
        STORE(3, br - fr, bi - fi);
    }
}

static inline void butterfly5(const butterfly *b)
{
    const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
    const double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    AT_ONCE
    for (size_t w = 0; w < FFT_WIDTH; w++) {
        const double r0 = IN(0, re), i0 = IN(0, im);
        const double ar = IN(1, re) + IN(4, re), ai = IN(1, im) + IN(4, im);
        const double br = IN(2, re) + IN(3, re), bi = IN(2, im) + IN(3, im);
        const double er = IN(1, im) - IN(4, im), ei = IN(4, re) - IN(1, re);
        const double fr = IN(2, im) - IN(3, im), fi = IN(3, re) - IN(2, re);
        const double mr = r0 + c1 * ar + c2 * br, mi = i0 + c1 * ai + c2 * bi;
        const double nr = r0 + c2 * ar + c1 * br, ni = i0 + c2 * ai + c1 * bi;
        const double ur = s1 * er + s2 * fr, ui = s1 * ei + s2 * fi;
        const double vr = s2 * er - s1 * fr, vi = s2 * ei - s1 * fi;
        STORE_FIRST(r0 + ar + br, i0 + ai + bi);
        STORE(1, mr + ur, mi + ui);
        STORE(2, nr + vr, ni + vi);
        STORE(3, nr - vr, ni - vi);
        STORE(4, mr - ur, mi - ui);
    }
}

/* Any radix, by its definition; roots of unity of the radix from the plan's table. */
static inline void butterfly_any(const butterfly *b, size_t radix, const fft_plan *plan)
{
    const size_t step = plan->n / radix;
    for (size_t j = 0; j < radix; j++) {
        double sum_re[FFT_WIDTH] = {0}, sum_im[FFT_WIDTH] = {0};
        for (size_t k = 0; k < radix; k++) {
            const double co = plan->cosine[(j * k) % radix * step];
            const double si = plan->sine[(j * k) % radix * step];
            AT_ONCE
            for (size_t w = 0; w < FFT_WIDTH; w++) {
                sum_re[w] += IN(k, re) * co + IN(k, im) * si;
                sum_im[w] += IN(k, im) * co - IN(k, re) * si;
            }
        }
        AT_ONCE
        for (size_t w = 0; w < FFT_WIDTH; w++) STORE(j, sum_re[w], sum_im[w]);
    }
}

static inline void run_pass(const fft_pass *s, const fft_plan *plan)
{
    const size_t m = s->length / s->radix, step = s->stride * FFT_WIDTH;
    for (size_t p = 0; p < m; p++) {
        double c[LARGEST_FACTOR], d[LARGEST_FACTOR];
        for (size_t j = 0; j < s->radix; j++) {
            c[j] = plan->cosine[p * j * s->stride];
            d[j] = plan->sine[p * j * s->stride];
        }
        for (size_t q = 0; q < s->stride; q++) {
            const size_t in = (q + s->stride * p) * FFT_WIDTH;
            const size_t out = (q + s->stride * s->radix * p) * FFT_WIDTH;
            const butterfly b = {s->re + in, s->im + in, s->out_re + out, s->out_im + out,
                                 step * m, step, c, d};
            switch (s->radix) {
            case 2: butterfly2(&b); break;
            case 3: butterfly3(&b); break;
            case 4: butterfly4(&b); break;
            case 5: butterfly5(&b); break;
            default: butterfly_any(&b, s->radix, plan);
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

