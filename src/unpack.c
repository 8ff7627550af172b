/* From packed matrices (packed.h) to whole ones and to other orders of the rows: what the
   permutation null needs. */

#include "entry.h"

/* The whole matrix (n x n): entries, squared when asked for, less means[i] + means[j], plus
   grand. On the diagonal: diagonal - 2 means[i] + grand, or 0 where diagonal is NULL. means
   may be NULL, too: zeros. */
typedef struct {
    const double *entries, *means, *diagonal;
    double grand;
    int square;
} unpacked_source;

typedef struct {
    const unpacked_source *source;
    row_chunks rows;
    double *out;
} unpack_job;

static double mean_at(const unpacked_source *s, size_t i) { return s->means ? s->means[i] : 0.0; }

static void unpack_chunk(void *job, size_t chunk)
{
    const unpack_job *u = job;
    const unpacked_source *s = u->source;
    const size_t n = u->rows.n;
    for (size_t i = u->rows.first[chunk]; i < u->rows.first[chunk + 1]; i++) {
        const double *row = s->entries + packed_start(n, i) - (i + 1);
        const double base = s->grand - mean_at(s, i);
        for (size_t j = i + 1; j < n; j++) {
            const double value = s->square ? row[j] * row[j] : row[j];
            u->out[j + i * n] = value + (base - mean_at(s, j));
        }
    }
}

typedef struct {
    const double *a;
    const int *permutation;
    row_chunks rows;
    double *out;
} relabel_job;

static void relabel_chunk(void *job, size_t chunk)
{
    const relabel_job *r = job;
    const size_t n = r->rows.n;
    for (size_t i = r->rows.first[chunk]; i < r->rows.first[chunk + 1]; i++) {
        const size_t from = (size_t) r->permutation[i];
        double *row = r->out + packed_start(n, i) - (i + 1);
        for (size_t j = i + 1; j < n; j++) {
            const size_t to = (size_t) r->permutation[j];
            const size_t low = from < to ? from : to, high = from < to ? to : from;
            row[j] = r->a[packed_start(n, low) + high - low - 1];
        }
    }
}

/* The whole size x size matrix of packed entries, centred: see unpacked_source. means, diagonal:
   NULL for none. */
SEXP repalign_unpack(SEXP entries, SEXP size, SEXP square, SEXP means, SEXP grand, SEXP diagonal,
                     SEXP threads)
{
    const size_t n = read_count(ARG(size), 2, INT_MAX);
    const double on_diagonal = Rf_isNull(diagonal) ? 0.0 : read_number(ARG(diagonal));
    const unpacked_source source = {read_doubles(ARG(entries), packed_length(n)),
                                    Rf_isNull(means) ? NULL : read_doubles(ARG(means), n),
                                    Rf_isNull(diagonal) ? NULL : &on_diagonal,
                                    read_number(ARG(grand)), read_flag(ARG(square))};
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_matrix(n, n));
    double *out = REAL(result);
    unpack_job job = {&source, new_row_chunks(n), out};
    run_chunks(job.rows.count, by, unpack_chunk, &job);
    mirror_lower(out, n);
    for (size_t i = 0; i < n; i++)
        out[i + i * n] =
            source.diagonal ? on_diagonal - 2.0 * mean_at(&source, i) + source.grand : 0.0;
    UNPROTECT(1);
    return result;
}

/* Packed entries with the rows in another order (one-based). */
SEXP repalign_relabel_packed(SEXP entries, SEXP permutation, SEXP threads)
{
    const size_t n = (size_t) Rf_xlength(permutation), length = packed_length(n);
    if (n < 2) argument_error("permutation", "have at least 2 entries");
    const int *order = read_permutations(ARG(permutation), n);
    const double *values = read_doubles(ARG(entries), length);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(new_doubles(length));
    /* entry (i, j) is entry (p(i), p(j)) of what is given, for a zero-based permutation p */
    relabel_job job = {values, order, new_row_chunks(n), REAL(result)};
    run_chunks(job.rows.count, by, relabel_chunk, &job);
    UNPROTECT(1);
    return result;
}
