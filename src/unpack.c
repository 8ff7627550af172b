/* Packed matrices written out whole, or in another order of the rows: see unpack.h. */

#include "unpack.h"

#include "matrix.h"

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

void unpack_matrix(const unpacked_source *source, row_chunks rows, worker by, double *out)
{
    unpack_job job = {source, rows, out};
    run_chunks(rows.count, by, unpack_chunk, &job);
    const size_t n = rows.n;
    mirror_lower(out, n);
    for (size_t i = 0; i < n; i++)
        out[i + i * n] =
            source->diagonal ? *source->diagonal - 2.0 * mean_at(source, i) + source->grand : 0.0;
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

void relabel_packed(const double *a, const int *permutation, row_chunks rows, worker by,
                    double *out)
{
    relabel_job job = {a, permutation, rows, out};
    run_chunks(rows.count, by, relabel_chunk, &job);
}
