/* H of the expected kernels of different stimuli, from the kernels of all trials. */

#include "entry.h"

/* k and l: symmetric kernels of all trials of the two sides, whose trials are the fastest. m: for
   each stimulus a matrix of trials_x by trials_y, the weights of the pairs of trials that may be
   multiplied. */
typedef struct {
    const double *k, *l, *m;
    size_t stimuli, trials_x, trials_y;
} trial_kernels;

/* Let K_ij, L_ij be the blocks of two stimuli, M_i the weights, a_i and b_i the sums of their rows
   and columns. Over different stimuli,
     sums[0] = sum K_ij o (M_i L_ij M_j'),  sums[1] = sum (K_ij a_j)' M_i (L_ik b_k),
     sums[2] = sum (a_i' K_ij a_j) (b_k' L_kl b_l).
   partial: scratch of TRIAL_PARTS a stimulus; room: trial_room() a thread. */
#define TRIAL_PARTS 5

static size_t trial_room(const trial_kernels *t)
{
    return 2 * t->trials_x * t->trials_y + 2 * (t->trials_x + t->trials_y);
}

typedef struct {
    const trial_kernels *t;
    const double *a, *b;
    double *partial, *room;
} sum_job;

/* out[r] = sum over s of block[s + r * stride] * weight[s]: a block of a symmetric kernel times a
   vector, row by row of the block. */
static void block_times(const double *block, size_t stride, size_t rows, size_t columns,
                        const double *weight, double *out)
{
    for (size_t r = 0; r < rows; r++) {
        const double *row = block + r * stride;
        double sum = 0.0;
        for (size_t s = 0; s < columns; s++) sum += row[s] * weight[s];
        out[r] = sum;
    }
}

/* left (p x q) = M_i L_ij and right (p x q) = K_ij M_j; the sum of their products. */
static double block_products(const double *k, size_t stride_k, const double *l, size_t stride_l,
                             const double *mi, const double *mj, size_t p, size_t q, double *left,
                             double *right)
{
    double sum = 0.0;
    for (size_t e = 0; e < p * q; e++) left[e] = 0.0;
    for (size_t v = 0; v < q; v++) {
        block_times(k, stride_k, p, p, mj + v * p, right + v * p);
        for (size_t u = 0; u < q; u++) {
            const double weight = l[v + u * stride_l];
            for (size_t r = 0; r < p; r++) left[r + v * p] += mi[r + u * p] * weight;
        }
    }
    for (size_t e = 0; e < p * q; e++) sum += left[e] * right[e];
    return sum;
}

static double dot(const double *a, const double *b, size_t length)
{
    double sum = 0.0;
    for (size_t i = 0; i < length; i++) sum += a[i] * b[i];
    return sum;
}

static double weighted_dot(const double *a, const double *m, const double *b, size_t p, size_t q)
{
    double sum = 0.0;
    for (size_t u = 0; u < q; u++) sum += b[u] * dot(a, m + u * p, p);
    return sum;
}

/* All pairs of stimulus i with others. */
static void one_stimulus(void *job, size_t i)
{
    const sum_job *s = job;
    const trial_kernels *t = s->t;
    const size_t n = t->stimuli, p = t->trials_x, q = t->trials_y;
    const double *mi = t->m + i * p * q;
    double *left = s->room + thread_number() * trial_room(t), *right = left + p * q;
    double *ka = right + p * q, *lb = ka + p, *sum_a = lb + q, *sum_b = sum_a + p;
    double both = 0.0, own = 0.0, blocks = 0.0;
    for (size_t r = 0; r < p; r++) sum_a[r] = 0.0;
    for (size_t u = 0; u < q; u++) sum_b[u] = 0.0;
    for (size_t j = 0; j < n; j++) {
        if (j == i) continue;
        const double *k = t->k + j * p + i * p * (n * p), *l = t->l + j * q + i * q * (n * q);
        block_times(k, n * p, p, p, s->a + j * p, ka);
        block_times(l, n * q, q, q, s->b + j * q, lb);
        for (size_t r = 0; r < p; r++) sum_a[r] += ka[r];
        for (size_t u = 0; u < q; u++) sum_b[u] += lb[u];
        own += weighted_dot(ka, mi, lb, p, q);
        blocks += dot(s->a + i * p, ka, p) * dot(s->b + i * q, lb, q);
        /* the pair (j, i) has the same */
        if (j > i)
            both += block_products(k, n * p, l, n * q, mi, t->m + j * p * q, p, q, left, right);
    }
    double *parts = s->partial + i * TRIAL_PARTS;
    parts[0] = 2.0 * both;
    parts[1] = weighted_dot(sum_a, mi, sum_b, p, q) - own;
    parts[2] = dot(s->a + i * p, sum_a, p);
    parts[3] = dot(s->b + i * q, sum_b, q);
    parts[4] = blocks;
}

/* The three sums above. m: a column for each stimulus. */
SEXP repalign_trial_kernel_sums(SEXP k, SEXP l, SEXP m, SEXP threads)
{
    const double *values = read_matrix(ARG(m));
    const size_t stimuli = matrix_columns(m), rows = matrix_rows(k);
    if (stimuli == 0 || rows % stimuli != 0 || matrix_rows(l) % stimuli != 0)
        argument_error("m", "have a column a stimulus");
    const size_t p = rows / stimuli, q = matrix_rows(l) / stimuli;
    const trial_kernels t = {read_matrix_size(ARG(k), rows, rows),
                             read_matrix_size(ARG(l), q * stimuli, q * stimuli), values, stimuli,
                             p, q};
    read_matrix_rows(ARG(m), p * q);
    const worker by = read_worker(ARG(threads));
    /* the sums of the rows and columns of the weights */
    double *a = zeroed_bytes(rows * sizeof(double)), *b = scratch(q * stimuli);
    for (size_t u = 0; u < q * stimuli; u++) {
        double *of_rows = a + u / q * p, sum = 0.0;
        for (size_t r = 0; r < p; r++) {
            of_rows[r] += values[r + u * p];
            sum += values[r + u * p];
        }
        b[u] = sum;
    }
    SEXP result = PROTECT(new_doubles(3));
    double *sums = REAL(result), total_a = 0.0, total_b = 0.0;
    sum_job job = {&t, a, b, scratch(stimuli * TRIAL_PARTS),
                   scratch((size_t) by.threads * trial_room(&t))};
    /* a chunk is one stimulus here */
    run_chunks(stimuli, by, one_stimulus, &job);
    sums[0] = sums[1] = sums[2] = 0.0;
    for (size_t i = 0; i < stimuli; i++) {
        const double *parts = job.partial + i * TRIAL_PARTS;
        sums[0] += parts[0];
        sums[1] += parts[1];
        total_a += parts[2];
        total_b += parts[3];
        sums[2] += 2.0 * parts[4] - 4.0 * parts[2] * parts[3];
    }
    sums[2] += total_a * total_b;
    UNPROTECT(1);
    return result;
}
