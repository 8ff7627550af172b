/* What the searches for neighbours compare: see knn_space.h. */

#include "knn_space.h"

#include <float.h>
#include <math.h>

#include "loops.h"

/* Sorted values nearer than this share of the row's largest value are tied. */
#define TIE_SHARE 1e-12

/* Squared distances below this share of the squared norms lose digits by centring. */
#define NEAR_DUPLICATE 1e-8

/* Rounding units by which a row of d numbers may be off after scaling to unit length: its
   norm is a sum of d terms, whose roundings add up like a random walk. */
#define UNIT_ROUNDING(d) ((8.0 + sqrt((double) (d))) * DBL_EPSILON)

size_t knn_others(knn_clusters c, size_t n, size_t i)
{
    return c.others ? (size_t) c.others[i] : n - 1;
}

static inline double squared_difference(const double *a, const double *b, size_t d)
{
    const size_t half = d / 2;
    double s0 = 0.0, s1 = 0.0;
    SUM_AT_ONCE(s0, s1)
    for (size_t i = 0; i < half; i++) {
        const double first = a[i] - b[i], second = a[i + half] - b[i + half];
        s0 += first * first;
        s1 += second * second;
    }
    const double last = d % 2 ? a[d - 1] - b[d - 1] : 0.0;
    return s0 + s1 + last * last;
}

double knn_value_of_key(const knn_space *s, double key)
{
    if (s->value == KNN_DOT) return key;
    if (key < 0.0) key = 0.0;
    return s->value == KNN_UNIT ? 0.5 * key : sqrt(key);
}

double knn_key_of_value(const knn_space *s, double value)
{
    if (s->value == KNN_DOT) return value;
    return s->value == KNN_UNIT ? 2.0 * value : value * value;
}

static double raw_squared_difference(const knn_space *s, size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t a = 0; a < s->d; a++) {
        const double *column = s->raw + a * s->n;
        const double difference = (column[i] - column[j]) * s->raw_scale;
        sum += difference * difference;
    }
    return sum;
}

double knn_direct_value(const knn_space *s, size_t i, size_t j)
{
    const double *a = s->rows + i * s->d, *b = s->rows + j * s->d;
    if (s->value == KNN_DOT) return -dot_blocked(a, b, s->d);
    return knn_value_of_key(s, squared_difference(a, b, s->d));
}

/* Centring moves distances by less than the tolerance of ties,
   so the order needs no such care (and could not pay for it: columns are read across). */
static double final_value(const knn_space *s, size_t i, candidate c)
{
    if (!s || !s->raw) return c.value;
    const size_t j = (size_t) c.id;
    if (c.value * c.value > NEAR_DUPLICATE * (s->norms[i] + s->norms[j])) return c.value;
    return sqrt(raw_squared_difference(s, i, j));
}

double knn_bound_width(const knn_space *s, size_t i, size_t j)
{
    const double size = s->value == KNN_DOT ? s->factor[i] * s->factor[j]
                                            : s->norms[i] + s->norms[j];
    return 2.0 * (s->margin * size + s->slack);
}

double knn_product_factor(const knn_space *s) { return s->value == KNN_DOT ? -1.0 : -2.0; }

tie_rule knn_tie_rule(const knn_space *s, double largest)
{
    tie_rule rule = {TIE_SHARE * largest, 0.0, 0.0};
    if (s && s->value == KNN_UNIT) {
        const double rounding = UNIT_ROUNDING(s->d);
        rule.root = sqrt(2.0) * rounding;
        rule.floor = 0.5 * rounding * rounding;
    }
    return rule;
}

void knn_describe_row(knn_space *s, size_t i, double square)
{
    s->norms[i] = square;
    if (s->value == KNN_DOT) {
        s->bias[i] = -s->margin * sqrt(square);
        s->factor[i] = sqrt(square);
        s->offset[i] = 0.0;
    } else {
        s->bias[i] = s->offset[i] = (1.0 - s->margin) * square;
        s->factor[i] = 1.0;
    }
}

void knn_write_row(const knn_space *s, size_t i, knn_lists out, size_t row, const candidate *c,
                   const int *joined)
{
    for (size_t r = 0; r < out.k; r++) {
        out.idx[row + r * out.stride] = c[r].id + 1;
        out.dist[row + r * out.stride] = final_value(s, i, c[r]);
        if (out.joined) out.joined[row + r * out.stride] = joined[r];
    }
}

/* An inner product of d terms is exact to d rounding units of the product of the norms,
   whatever the order of its sums; the rest is for norms, sums and the direct value. */
void knn_describe_rows(knn_space *s)
{
    s->margin = (2.0 * (double) s->d + 8.0) * DBL_EPSILON;
    s->slack = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        const double *row = s->rows + i * s->d;
        knn_describe_row(s, i, dot_blocked(row, row, s->d));
    }
}
