/* Column statistics, centring and sums: see matrix.h. */

#include "matrix.h"

#include <float.h>
#include <math.h>

#include "entry.h"
#include "loops.h"

/* Sums run in blocks of so many numbers. */
#define SUM_BLOCK 512

/* Columns between two pauses. */
#define PAUSE_COLUMNS 64

/* Long sums are kept in two or four variables, s0, s1, ..., of which each adds up every second or
   fourth term: an addition need not wait for the one before, and the order is fixed. */

/* x - x is zero for finite x and NaN otherwise; adding many of them keeps the NaN,
   and the loop has no branch. */
int all_finite(const double *x, size_t length)
{
    double p0 = 0.0, p1 = 0.0, p2 = 0.0, p3 = 0.0;
    size_t i = 0;
    for (; i + 4 <= length; i += 4) {
        p0 += x[i] - x[i];
        p1 += x[i + 1] - x[i + 1];
        p2 += x[i + 2] - x[i + 2];
        p3 += x[i + 3] - x[i + 3];
    }
    for (; i < length; i++) p0 += x[i] - x[i];
    return p0 + p1 + p2 + p3 == 0.0;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* What one pass over a column tells. sum: of the differences from one value. */
typedef struct {
    double low, high, sum;
} column_pass;

/* Both halves at once, as in centered_squares(). */
static inline column_pass pass_over(const double *x, size_t n, double from)
{
    const size_t half = n / 2;
    const double *y = x + half, last = x[n - 1];
    double low = from, high = from, sum = 0.0;
    double low_y = last, high_y = last, sum_y = n % 2 ? last - from : 0.0;
    OPENMP(simd reduction(+ : sum, sum_y) reduction(min : low, low_y) reduction(max : high, high_y))
    for (size_t i = 0; i < half; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        sum += x[i] - from;
        low_y = y[i] < low_y ? y[i] : low_y;
        high_y = y[i] > high_y ? y[i] : high_y;
        sum_y += y[i] - from;
    }
    const column_pass pass = {low < low_y ? low : low_y, high > high_y ? high : high_y,
                              sum + sum_y};
    return pass;
}

/* Sum of squares of a centred column. Both halves at once: an addition need not wait for the one
   before. */
static inline double centered_squares(const double *x, size_t n, double mean, double scale)
{
    const size_t half = n / 2;
    const double *y = x + half, last = n % 2 ? (x[n - 1] - mean) * scale : 0.0;
    double s0 = 0.0, s1 = 0.0;
    SUM_AT_ONCE(s0, s1)
    for (size_t i = 0; i < half; i++) {
        const double a = (x[i] - mean) * scale, b = (y[i] - mean) * scale;
        s0 += a * a;
        s1 += b * b;
    }
    return s0 + s1 + last * last;
}

/* The mean of a column whose sum is too large for a double: entries are scaled before they are
   added. Infinite entries and NaN remain in the result. */
static double huge_mean(const double *column, size_t n)
{
    int exponent;
    frexp((double) n, &exponent);
    const double share = ldexp(1.0, -exponent), rest = ldexp(1.0, exponent) / (double) n;
    double sum = 0.0, left = 0.0; /* what rounding left over */
    for (size_t i = 0; i < n; i++) sum += column[i] * share;
    const double mean = sum * rest;
    for (size_t i = 0; i < n; i++) left += (column[i] - mean) * share;
    return mean + left * rest;
}

/* The smallest of some values, how often it stands there, and the next one. */
typedef struct {
    double value, next, count;
} least_value;

static inline void meet(least_value *least, double value)
{
    if (value < least->value) {
        least->next = least->value;
        least->value = value;
        least->count = 1.0;
    } else if (value == least->value) {
        least->count++;
    } else if (value < least->next) {
        least->next = value;
    }
}

/* A column of five or more with a larger share of the variance of all than this decides the scores
   alone. Of lognormal gains (standard deviation 0.5 of the logarithm) it is a neuron in 0.1% of
   sets of 5, and in none of 10 or more; with 1 in 11%, 4% of 10, and 0.1% of 100
   (bench/input.R). */
#define DOMINANT_SHARE 0.9
#define LEAST_COLUMNS 5

/* A whole number in so many cells is no response if it is farther from all other values than this
   many times their range, and than this distance. 0 (silent units) and the largest numbers of so
   many bits (saturated values) are responses. */
#define LEAST_CODED 3.0
#define CODED_RANGES 2.0
#define CODED_DISTANCE 8.0
#define MOST_BITS 16

/* Is the value at this end of all values a code? sign: -1 if the end is that of the values times
   -1. */
static int is_code(const least_value *end, const least_value *other, double sign)
{
    const double range = -other->value - end->next, value = sign * end->value;
    if (end->count < LEAST_CODED || end->value != floor(end->value) || !(range > 0.0)) return 0;
    for (int bits = 0; bits <= MOST_BITS; bits++) {
        if (value == ldexp(1.0, bits) - 1.0) return 0;
    }
    return end->next - end->value > fmax(CODED_RANGES * range, CODED_DISTANCE);
}

/* What shows columns that are no neurons, and codes of missing values; NaN are left out. The ends
   are of all columns that vary. */
typedef struct {
    least_value ends[2];
    double total, most;     /* sums of squares: of all centred columns, and the largest of one */
    double dominant, share; /* the column that has it, and its share */
    double code;            /* 1 or -1: at the low or at the high end is a code; 0: at none */
} odd_columns;

static const odd_columns none_odd = {
    {{INFINITY, INFINITY, 0.0}, {INFINITY, INFINITY, 0.0}}, 0.0, -1.0, 0.0, 0.0, 0.0};

/* number: of the column, from 1. */
static void look_at_column(odd_columns *odd, const double *column, size_t n, size_t number,
                           column_pass pass)
{
    least_value *low = &odd->ends[0], *high = &odd->ends[1];
    double squares = 0.0;
    if (isfinite(pass.sum)) {
        squares = centered_squares(column, n, *column + pass.sum / (double) n, 1.0);
    } else {
        /* of the other values, where there are NaN */
        double sum = 0.0, count = 0.0;
        pass.low = INFINITY;
        pass.high = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (isnan(column[i])) continue;
            pass.low = fmin(pass.low, column[i]);
            pass.high = fmax(pass.high, column[i]);
            sum += column[i];
            count++;
        }
        for (size_t i = 0; i < n; i++) {
            const double left = column[i] - sum / count;
            if (!isnan(left)) squares += left * left;
        }
    }
    odd->total += squares;
    if (squares > odd->most) {
        odd->most = squares;
        odd->dominant = (double) number;
    }
    /* most columns reach neither end of all columns so far */
    if (!(pass.low < pass.high) || (pass.low > low->next && -pass.high > high->next)) return;
    for (size_t i = 0; i < n; i++) {
        if (column[i] <= low->next) meet(low, column[i]);
        if (-column[i] <= high->next) meet(high, -column[i]);
    }
}

static void judge_odd(odd_columns *odd)
{
    odd->share = odd->most / odd->total;
    if (is_code(&odd->ends[0], &odd->ends[1], 1.0)) odd->code = 1.0;
    else if (is_code(&odd->ends[1], &odd->ends[0], -1.0)) odd->code = -1.0;
}

/* next: what is asked for while this is done (see FETCH_BLOCK). */
static void center_and_fetch(const double *from, size_t length, double mean, double scale,
                             const double *next, double *to)
{
    for (size_t start = 0; start < length; start += FETCH_BLOCK) {
        const size_t stop = fetch_end(start, length);
        fetch(next + start, stop - start);
        AT_ONCE
        for (size_t i = start; i < stop; i++) to[i] = (from[i] - mean) * scale;
    }
}

void center_column(const double *from, size_t length, double mean, double scale, double *to)
{
    center_and_fetch(from, length, mean, scale, from, to);
}

void load_rows(const centered_view *v, size_t i0, size_t rows, double *out)
{
    for (size_t j = 0; j < v->d; j++) {
        const double *from = v->x + j * v->n + i0, *next = j + 1 < v->d ? from + v->n : from;
        center_and_fetch(from, rows, v->mean[j], v->inverse_scale, next, out + j * rows);
    }
}

void load_columns(const centered_view *v, size_t j0, size_t columns, double *out)
{
    centered_view part = *v;
    part.x = v->x + j0 * v->n;
    part.mean = v->mean + j0;
    part.d = columns;
    load_rows(&part, 0, v->n, out);
}

double sum_blocked(const double *a, size_t length)
{
    double total = 0.0;
    for (size_t start = 0; start < length; start += SUM_BLOCK) {
        size_t stop = start + SUM_BLOCK < length ? start + SUM_BLOCK : length;
        double block = 0.0;
        for (size_t i = start; i < stop; i++) block += a[i];
        total += block;
    }
    return total;
}

double dot_blocked(const double *a, const double *b, size_t length)
{
    double total = 0.0;
    for (size_t start = 0; start < length; start += SUM_BLOCK) {
        size_t stop = start + SUM_BLOCK < length ? start + SUM_BLOCK : length;
        /* four running sums: the additions need not wait for each other */
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        size_t i = start;
        for (; i + 4 <= stop; i += 4) {
            s0 += a[i] * b[i];
            s1 += a[i + 1] * b[i + 1];
            s2 += a[i + 2] * b[i + 2];
            s3 += a[i + 3] * b[i + 3];
        }
        for (; i < stop; i++) s0 += a[i] * b[i];
        total += (s0 + s1) + (s2 + s3);
    }
    return total;
}

double squares_upper(const double *a, size_t n)
{
    double off = 0.0, diagonal = 0.0;
    for (size_t j = 0; j < n; j++) {
        off += dot_blocked(a + j * n, a + j * n, j);
        diagonal += a[j + j * n] * a[j + j * n];
    }
    return 2.0 * off + diagonal;
}

void mirror_upper(double *a, size_t n)
{
    /* in tiles, so that the strided side stays in cache */
    const size_t tile = 32;
    for (size_t jb = 0; jb < n; jb += tile)
        for (size_t ib = 0; ib <= jb; ib += tile)
            for (size_t j = jb; j < n && j < jb + tile; j++)
                for (size_t i = ib; i < j && i < ib + tile; i++) a[j + i * n] = a[i + j * n];
}

void mirror_lower(double *a, size_t n)
{
    const size_t tile = 32;
    for (size_t jb = 0; jb < n; jb += tile)
        for (size_t ib = jb; ib < n; ib += tile)
            for (size_t j = jb; j < n && j < jb + tile; j++)
                for (size_t i = ib > j ? ib : j + 1; i < n && i < ib + tile; i++)
                    a[j + i * n] = a[i + j * n];
}

void transpose(const double *from, size_t rows, size_t columns, double *to)
{
    const size_t tile = 32;
    for (size_t jb = 0; jb < columns; jb += tile)
        for (size_t ib = 0; ib < rows; ib += tile)
            for (size_t j = jb; j < columns && j < jb + tile; j++)
                for (size_t i = ib; i < rows && i < ib + tile; i++)
                    to[j + i * columns] = from[i + j * rows];
}

void square_entries(const double *a, size_t length, double *out)
{
    for (size_t i = 0; i < length; i++) out[i] = a[i] * a[i];
}

double power_near_one(double largest)
{
    int exponent;
    frexp(largest, &exponent);
    if (exponent > 1000) exponent = 1000;
    if (exponent < -1000) exponent = -1000;
    return ldexp(1.0, -exponent);
}

double squares_of_column(const centered_view *v, size_t j)
{
    return centered_squares(v->x + j * v->n, v->n, v->mean[j], v->inverse_scale);
}

SEXP repalign_all_finite(SEXP x)
{
    if (!Rf_isReal(x)) argument_error("x", "hold doubles");
    return Rf_ScalarLogical(all_finite(REAL(x), (size_t) XLENGTH(x)));
}

static int has_dominant(const odd_columns *odd, size_t d)
{
    return d >= LEAST_COLUMNS && odd->share > DOMINANT_SHARE;
}

/* list(means, largest, size, finite, odd): of the columns; the largest absolute entry of the
   centred matrix, without columns whose entries are equal but for rounding, and of the matrix
   itself; are all entries finite? Where they are not, the other numbers mean nothing. And is
   anything odd in the columns (see repalign_odd_columns())?

   Means are exact to the rounding of the differences between entries (a constant column gets its
   own value, so that it centres to exact zeros), in one pass over the memory. Differences from the
   first entry are added: in the sum of a column far from zero, the digits in which its entries
   differ would be lost. */
SEXP repalign_column_stats(SEXP x)
{
    const double *values = read_matrix(ARG(x));
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    if (n == 0) argument_error("x", "have rows");
    SEXP result = PROTECT(NAMED_LIST("means", "largest", "size", "finite", "odd"));
    double *means = put_doubles(result, 0, d), largest = 0.0, size = 0.0;
    odd_columns odd = none_odd;
    int finite = 1;
    for (size_t j = 0; j < d; j++) {
        const double *column = values + j * n;
        const column_pass pass = pass_over(column, n, *column);
        look_at_column(&odd, column, n, j + 1, pass);
        size = larger(size, larger(pass.high, -pass.low));
        double mean = *column + pass.sum / (double) n;
        if (isfinite(pass.sum) && pass.low == pass.high) mean = pass.low;
        else if (!isfinite(mean)) mean = huge_mean(column, n);
        if (!isfinite(mean)) finite = 0;
        if (!are_equal(pass.low, pass.high))
            largest = larger(largest, larger(pass.high - mean, mean - pass.low));
        means[j] = mean;
    }
    judge_odd(&odd);
    *put_doubles(result, 1, 1) = largest;
    *put_doubles(result, 2, 1) = size;
    SET_VECTOR_ELT(result, 3, Rf_ScalarLogical(finite));
    SET_VECTOR_ELT(result, 4, Rf_ScalarLogical(odd.code != 0.0 || has_dominant(&odd, d)));
    UNPROTECT(1);
    return result;
}

/* What note_distance_matrix() takes for 1. */
#define DIAGONAL_ROUNDING 1e-8

/* May nothing be asked of x but its values: a matrix of doubles without names, and not square with
   a diagonal that begins like those of distances or similarities? */
static int is_bare(SEXP x)
{
    if (TYPEOF(x) != REALSXP || OBJECT(x) || !Rf_isMatrix(x)) return 0;
    const size_t n = matrix_rows(x), d = matrix_columns(x);
    if (n < 2 || d < 1 || !Rf_isNull(Rf_getAttrib(x, R_DimNamesSymbol))) return 0;
    const double first = *REAL(x);
    return n != d || (first != 0.0 && fabs(first - 1.0) > DIAGONAL_ROUNDING);
}

/* list(x, y) of column statistics, if there is nothing to ask about two matrices of as many rows:
   all entries are finite, and so are their differences, which are not all 0. NULL otherwise. */
SEXP repalign_bare_pair(SEXP x, SEXP y)
{
    if (!is_bare(x) || !is_bare(y) || matrix_rows(x) != matrix_rows(y)) return R_NilValue;
    SEXP result = PROTECT(NAMED_LIST("x", "y")), sides[] = {x, y};
    int usual = 1;
    for (int k = 0; k < 2 && usual; k++) {
        SEXP stats = repalign_column_stats(sides[k]);
        SET_VECTOR_ELT(result, k, stats);
        const double largest = *REAL(VECTOR_ELT(stats, 1));
        usual = *LOGICAL(VECTOR_ELT(stats, 3)) && largest > 0.0 && largest <= DBL_MAX;
    }
    UNPROTECT(1);
    return usual ? result : R_NilValue;
}

/* What is odd in columns of n rows of x: c(code, its cells, the lowest and the highest of all other
   values), then c(dominant column, its share), each NULL where there is none. */
SEXP repalign_odd_columns(SEXP x, SEXP rows)
{
    const size_t length = count_doubles(ARG(x)), n = read_count(ARG(rows), 1, length);
    const size_t d = length / n;
    odd_columns odd = none_odd;
    for (size_t j = 0; j < d; j++) {
        const double *column = REAL(x) + j * n;
        look_at_column(&odd, column, n, j + 1, pass_over(column, n, *column));
    }
    judge_odd(&odd);
    SEXP result = PROTECT(NAMED_LIST("code", "dominant"));
    if (odd.code != 0.0) {
        const least_value *end = &odd.ends[odd.code < 0.0], *other = &odd.ends[odd.code > 0.0];
        double *code = put_doubles(result, 0, 4);
        code[0] = odd.code * end->value;
        code[1] = end->count;
        code[2] = odd.code > 0.0 ? end->next : other->value;
        code[3] = odd.code > 0.0 ? -other->value : -end->next;
    }
    if (has_dominant(&odd, d)) {
        double *dominant = put_doubles(result, 1, 2);
        dominant[0] = odd.dominant;
        dominant[1] = odd.share;
    }
    UNPROTECT(1);
    return result;
}

SEXP repalign_center(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    SEXP result = PROTECT(new_matrix(v.n, v.d));
    load_rows(&v, 0, v.n, REAL(result));
    UNPROTECT(1);
    return result;
}

/* Sum of all squares of the centred x. */
SEXP repalign_centered_squares(SEXP x, SEXP means, SEXP scale)
{
    const centered_view v = read_view(ARG(x), ARG(means), ARG(scale));
    double total = 0.0;
    for (size_t j = 0; j < v.d; j++) {
        total += squares_of_column(&v, j);
        if (j % PAUSE_COLUMNS == 0) check_interrupt();
    }
    return Rf_ScalarReal(total);
}

SEXP repalign_dot(SEXP a, SEXP b)
{
    if (!Rf_isReal(a)) argument_error("a", "hold doubles");
    const size_t length = (size_t) XLENGTH(a);
    return Rf_ScalarReal(dot_blocked(REAL(a), read_doubles(ARG(b), length), length));
}
