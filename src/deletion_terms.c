/* The corrected sums of all neuron pairs, split by neuron and without each stimulus: what the
   jackknife variance of a corrected CKA has for its main parts. */

#include <string.h>

#include "blas.h"
#include "estimator.h"
#include "entry.h"

/* Centred data (n x d) with the sums of their squares over rows (k) and columns (s). */
typedef struct {
    const double *x;
    size_t d;
    double *k, *s;
} deletion_side;

/* Scratch: `square` is n x n for Gram matrices and a.d x b.d otherwise, but at least of the larger
   number of neurons; `other` n x that number; rows: 3 n. */
typedef struct {
    double *square, *other, *rows;
} deletion_scratch;

/* Do Gram matrices take the place of the products of neurons? */
static int is_wide(deletion_side a, deletion_side b, size_t n) { return a.d > n || b.d > n; }

/* gram = x x' of one side, and the sums of the other. */
static void gram_sums(deletion_side own, deletion_side other, size_t n, double *gram,
                      double *turned, double *of_other)
{
    blas_syrk_upper('N', n, own.d, own.x, n, 0.0, gram, n);
    blas_symm_left(n, other.d, gram, n, other.x, n, turned, n);
    for (size_t j = 0; j < other.d; j++)
        of_other[j] = dot_blocked(turned + j * n, other.x + j * n, n);
}

/* Adds x (x'weights) to `out`; squares: for each column the sum of its squares times `weights`. */
static void add_weighed(deletion_side a, size_t n, const double *weights, double *out,
                        double *squares)
{
    for (size_t j = 0; j < a.d; j++) {
        const double *x = a.x + j * n;
        const double with = dot_blocked(x, weights, n);
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            out[i] += with * x[i];
            sum += x[i] * x[i] * weights[i];
        }
        squares[j] = sum;
    }
}

/* terms: of each neuron the sum of c^2, which becomes that of its terms. */
static void finish_neurons(deletion_side a, size_t n, const double *squares, double other_total,
                           double *terms)
{
    const estimator corrected = corrected_estimator((double) n);
    for (size_t j = 0; j < a.d; j++)
        terms[j] = estimate_linear(corrected, terms[j], squares[j], a.s[j] * other_total);
}

/* The terms of neuron pairs (estimator.h) added up: over the pairs of each neuron of a (of_a) and
   of b (of_b), and over all pairs without each stimulus. First the sums of c^2 by neurons, and by
   stimuli the sums of the products of the entries of both kernels; by Gram matrices these are the
   products of b's Gram matrix turned by a. */
static void deletion_terms(deletion_side a, deletion_side b, size_t n, deletion_scratch z,
                           double *of_a, double *of_b, double *stimuli)
{
    double *products = z.rows, *own = z.rows + n, *others = z.rows + 2 * n;
    const int wide = is_wide(a, b, n);
    const deletion_side turning = wide ? a : b;
    memset(products, 0, n * sizeof(double));
    memset(of_a, 0, a.d * sizeof(double));
    if (wide) {
        gram_sums(b, a, n, z.square, z.other, of_a);
    } else {
        blas_gemm('T', 'N', a.d, b.d, n, 1.0, a.x, n, b.x, n, 0.0, z.square, a.d);
        blas_gemm('N', 'N', n, b.d, a.d, 1.0, a.x, n, z.square, a.d, 0.0, z.other, n);
    }
    for (size_t j = 0; j < turning.d; j++) {
        const double *t = z.other + j * n, *x = turning.x + j * n;
        for (size_t i = 0; i < n; i++) products[i] += t[i] * x[i];
    }
    for (size_t j = 0; !wide && j < b.d; j++) {
        const double *c = z.square + j * a.d;
        for (size_t l = 0; l < a.d; l++) of_a[l] += c[l] * c[l];
        of_b[j] = dot_blocked(c, c, a.d);
    }
    check_interrupt();
    if (wide) gram_sums(a, b, n, z.square, z.other, of_b);
    check_interrupt();
    for (size_t i = 0; i < n; i++) {
        own[i] = a.k[i] * b.k[i];
        products[i] -= own[i];
    }
    const double total_a = sum_blocked(a.k, n), total_b = sum_blocked(b.k, n);
    memset(others, 0, n * sizeof(double));
    /* what the neurons of both sides need lies where the products of neurons were */
    add_weighed(a, n, b.k, others, z.square);
    finish_neurons(a, n, z.square, total_b, of_a);
    add_weighed(b, n, a.k, others, z.square);
    finish_neurons(b, n, z.square, total_a, of_b);
    /* row sums of centred kernels without their diagonals are those of the diagonals with the
       other sign */
    const estimator left = corrected_estimator((double) n - 1.0);
    const double all = sum_blocked(products, n), all_own = sum_blocked(own, n);
    for (size_t i = 0; i < n; i++) {
        const double rows = all_own - own[i] - (2.0 * own[i] - others[i]) + products[i];
        const double totals = (total_a - 2.0 * a.k[i]) * (total_b - 2.0 * b.k[i]);
        stimuli[i] = estimate(left, all - 2.0 * products[i], rows, totals);
    }
}

/* Without stimulus u and without the diagonal, a row of the kernel of a centred column phi adds up
   to -phi_i (phi_i + phi_u). */
/* The terms of neurons with themselves: of each neuron, and added up without each stimulus.
   rows: 3 n. */
static void own_terms(deletion_side a, size_t n, double *rows, double *neurons, double *stimuli)
{
    double *by_size = rows, *fourth = rows + n, *third = rows + 2 * n;
    memset(rows, 0, 3 * n * sizeof(double));
    const estimator corrected = corrected_estimator((double) n);
    double all_squares = 0.0, all_fourth = 0.0;
    for (size_t j = 0; j < a.d; j++) {
        const double *x = a.x + j * n, s = a.s[j];
        double cubes = 0.0, fours = 0.0;
        for (size_t i = 0; i < n; i++) {
            const double square = x[i] * x[i];
            by_size[i] += square * s;
            fourth[i] += square * square;
            cubes += square * x[i];
            fours += square * square;
        }
        for (size_t i = 0; i < n; i++) third[i] += cubes * x[i];
        neurons[j] = estimate_linear(corrected, s * s, fours, s * s);
        all_squares += s * s;
        all_fourth += fours;
    }
    const estimator left = corrected_estimator((double) n - 1.0);
    for (size_t i = 0; i < n; i++) {
        const double products = all_squares - 2.0 * by_size[i] + 2.0 * fourth[i] - all_fourth;
        const double sums = all_fourth + 2.0 * third[i] + by_size[i] - 4.0 * fourth[i];
        stimuli[i] = estimate(left, products, sums,
                              all_squares - 4.0 * by_size[i] + 4.0 * fourth[i]);
    }
}

static deletion_side read_side(SEXP x, const char *name, size_t n)
{
    const deletion_side a = {read_matrix_rows(x, name, n), matrix_columns(x),
                             zeroed_bytes(n * sizeof(double)), scratch(matrix_columns(x))};
    for (size_t j = 0; j < a.d; j++) {
        const double *column = a.x + j * n;
        for (size_t i = 0; i < n; i++) a.k[i] += column[i] * column[i];
        a.s[j] = dot_blocked(column, column, n);
    }
    return a;
}

/* list(x, y, stimuli) of centred x and y, or with y NULL, of x with itself, list(x, own, stimuli,
   own_stimuli): see deletion_terms(). */
SEXP repalign_deletion_terms(SEXP x, SEXP y)
{
    read_matrix(ARG(x));
    const int self = Rf_isNull(y);
    const size_t n = matrix_rows(x);
    if (n < 5) argument_error("x", "have at least 5 rows");
    const deletion_side a = read_side(ARG(x), n), b = self ? a : read_side(ARG(y), n);
    const size_t most = a.d > b.d ? a.d : b.d;
    const size_t square = is_wide(a, b, n) ? n * n : a.d * b.d;
    const deletion_scratch z = {scratch(square > most ? square : most), scratch(n * most),
                                scratch(3 * n)};
    const char *of_two[] = {"x", "y", "stimuli", ""};
    const char *of_one[] = {"x", "own", "stimuli", "own_stimuli", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, self ? of_one : of_two));
    double *of_a = put_doubles(result, 0, a.d), *of_b = put_doubles(result, 1, b.d);
    deletion_terms(a, b, n, z, of_a, of_b, put_doubles(result, 2, n));
    if (self) own_terms(a, n, z.rows, of_b, put_doubles(result, 3, n));
    UNPROTECT(1);
    return result;
}
