/* Entry points of the neighbour search. */

#include "knn_rows.h"
#include "knn_search.h"
#include "neighbour_rows.h"

#include "entry.h"

/* Products of all rows at once where these are few, else of blocks that stay in cache. */
#define ALL_ROWS 512
#define BLOCK_ROWS 256
#define BLOCK_COLUMNS 1024

/* About 32 MB of products, a few hundred whole rows at a time. */
#define PRODUCT_ENTRIES 4194304
#define ROWS_AT_ONCE 256

/* Terms of direct values that take no longer than a pause may. */
#define ROW_TERMS 5e8

/* Starting threads costs more than a search of less work (seen: milliseconds where processors
   are busy). */
#define SMALL_SEARCH 1e6

static candidate *candidates(size_t length)
{
    return (candidate *) R_alloc(length > 0 ? length : 1, sizeof(candidate));
}

/* clusters: a number from 1 to n for each row, or NULL. */
static knn_clusters read_clusters(SEXP clusters, size_t n)
{
    const knn_clusters none = {NULL, NULL};
    if (Rf_isNull(clusters)) return none;
    const int *of = read_indices(ARG(clusters), n, n);
    int *sizes = int_scratch(n), *others = int_scratch(n);
    for (size_t c = 0; c < n; c++) sizes[c] = 0;
    for (size_t i = 0; i < n; i++) sizes[of[i] - 1]++;
    for (size_t i = 0; i < n; i++) others[i] = (int) n - sizes[of[i] - 1];
    const knn_clusters found = {of, others};
    return found;
}

/* rows: NULL, or d x n. raw: the data that the rows are made of, and raw_scale their factor; or
   NULL. */
static knn_space new_space(const double *rows, size_t n, size_t d, knn_value value,
                           const double *raw, double raw_scale)
{
    const knn_clusters none = {NULL, NULL};
    const knn_space s = {rows, n, d, none, value, raw, raw_scale, scratch(n), scratch(n),
                         scratch(n), scratch(n), 0.0, 0.0};
    return s;
}

/* Every row has a candidate; `all`: as many as the lists are long. */
static size_t read_list_length(SEXP k, size_t n, knn_clusters clusters, int all)
{
    if (n < 2) argument_error("rows", "have at least 2 rows");
    size_t fewest = n - 1, most = clusters.others ? 0 : n - 1;
    for (size_t i = 0; clusters.others && i < n; i++) {
        const size_t others = (size_t) clusters.others[i];
        if (others < fewest) fewest = others;
        if (others > most) most = others;
    }
    if (fewest == 0) argument_error("clusters", "name at least 2 clusters");
    return read_count(ARG(k), 1, all ? fewest : most);
}

/* As many threads as given, or one for a small search. */
static worker read_team(SEXP threads, double work)
{
    worker by = read_worker(ARG(threads));
    if (work < SMALL_SEARCH) by.threads = 1;
    return by;
}

/* Pairs that are compared, and terms of direct values. */
static double work_of(const knn_space *s, size_t rows, size_t k)
{
    return (double) rows * ((double) s->n + (double) k * (double) s->d);
}

/* Sets elements 0, 1 and, if ties are to be marked, 2 of the result. */
static knn_lists put_lists(SEXP result, size_t rows, size_t k, int with_joined)
{
    knn_lists out = {k, rows, NULL, NULL, NULL};
    SET_VECTOR_ELT(result, 0, Rf_allocMatrix(INTSXP, (int) rows, (int) k));
    out.idx = INTEGER(VECTOR_ELT(result, 0));
    out.dist = put_matrix(result, 1, rows, k);
    for (size_t r = 0; r < rows * k; r++) {
        out.idx[r] = NA_INTEGER;
        out.dist[r] = NA_REAL;
    }
    if (!with_joined) return out;
    SET_VECTOR_ELT(result, 2, Rf_allocMatrix(LGLSXP, (int) rows, (int) k));
    out.joined = LOGICAL(VECTOR_ELT(result, 2));
    return out;
}

/* sizes: rows and columns of a block of products, or NULL. */
static knn_search_scratch search_scratch(SEXP result, SEXP sizes, size_t n, size_t k, worker by)
{
    const size_t team = (size_t) by.threads, capacity = knn_capacity(n, k);
    const int *given = Rf_isNull(sizes) ? NULL : read_indices(ARG(sizes), 2, INT_MAX);
    const size_t block = given ? (size_t) given[0] : n <= ALL_ROWS ? n : BLOCK_ROWS;
    const size_t chunk = given ? (size_t) given[1] : n <= ALL_ROWS ? n : BLOCK_COLUMNS;
    knn_search_scratch w = {.block = least(block, n), .chunk = least(chunk, n),
                            .capacity = capacity};
    /* the diagonal of a block of rows lies in its first block of columns */
    if (w.chunk < w.block) argument_error("sizes", "have at least as many columns as rows");
    w.lists = candidates(n * capacity);
    w.found = candidates(team * knn_thread_candidates(w.chunk, capacity));
    w.held = size_scratch(n);
    w.limit = scratch(n);
    w.numbers = scratch(team * knn_thread_numbers(w.chunk, capacity));
    w.marks = int_scratch(team * (k + 1));
    w.largest = put_doubles(result, 2, n);
    w.state = put_integers(result, 3, n);
    return w;
}

/* list(idx, dist, largest, state, degenerate): see knn_search(); the last are the numbers of the
   rows that have no direction, and with any of these there is nothing else. how: a
   row_preparation. */
SEXP repalign_knn(SEXP x, SEXP means, SEXP scale, SEXP how, SEXP k, SEXP threads, SEXP sizes,
                  SEXP clusters)
{
    distance_rows rows = {read_view(ARG(x), ARG(means), ARG(scale)), NULL, NULL, 0, NULL, NULL,
                          NULL};
    const centered_view v = rows.view;
    const row_preparation prepared =
        (row_preparation) read_count(ARG(how), 0, ROW_PREPARATIONS - 1);
    const knn_value value = prepared == ROWS_CENTERED ? KNN_EUCLIDEAN
        : prepared == ROWS_SCALED ? KNN_DOT : KNN_UNIT;
    knn_space s = new_space(NULL, v.n, v.d, value, prepared == ROWS_CENTERED ? v.x : NULL,
                            v.inverse_scale);
    s.clusters = read_clusters(clusters, v.n);
    const size_t wanted = read_list_length(k, s.n, s.clusters, 1);
    const worker by = read_team(threads, work_of(&s, s.n, wanted));
    SEXP result = PROTECT(NAMED_LIST("idx", "dist", "largest", "state", "degenerate"));
    int *degenerate = int_scratch(s.n);
    size_t bad = 0;
    if (value == KNN_UNIT) {
        double *factor = scratch(v.n), *mean = scratch(v.n);
        rows.scale = factor;
        rows.mean = mean;
        bad = find_row_facts(v.x, v.n, v.d, prepared == ROWS_CORRELATION, by, factor, mean,
                             degenerate);
    }
    if (bad > 0) put_positions(result, 4, degenerate, s.n, bad);
    else {
        const knn_lists out = put_lists(result, s.n, wanted, 0);
        const knn_search_scratch w = search_scratch(result, sizes, s.n, wanted, by);
        rows.columns = w.block == s.n ? knn_columns(s.n, s.d) : s.d;
        rows.sizes = scratch(s.n);
        /* what the products need is free again when direct values need the rows */
        const void *before = vmaxget();
        rows.block = scratch(s.n * rows.columns);
        rows.panel = scratch(w.block * w.chunk);
        const size_t open = knn_search(&rows, &s, w, out, by);
        vmaxset(before);
        if (open > 0) {
            double *made = scratch(s.n * s.d);
            prepare_neighbour_rows(&v, prepared, made, degenerate, check_interrupt);
            s.rows = made;
            knn_settle_open(&s, w, out, by);
        }
    }
    UNPROTECT(1);
    return result;
}

/* NULL, or an integer for each row: the order of tied neighbours. */
static const int *read_priority(SEXP priority, size_t n)
{
    if (Rf_isNull(priority)) return NULL;
    if (!Rf_isInteger(priority) || (size_t) XLENGTH(priority) != n)
        argument_error("priority", "hold %.0f integers", (double) n);
    return INTEGER(priority);
}

static knn_rows_scratch rows_scratch(size_t n, size_t k, worker by)
{
    const size_t team = (size_t) by.threads;
    const knn_rows_scratch z = {0, NULL, NULL, scratch(team * 2 * n), candidates(team * n),
                                int_scratch(team * (k + 1))};
    return z;
}

/* list(idx, dist, joined) of some rows (one-based): see knn_whole_rows(). */
SEXP repalign_knn_rows(SEXP rows, SEXP value, SEXP raw, SEXP raw_scale, SEXP k, SEXP which,
                       SEXP largest, SEXP priority, SEXP threads, SEXP clusters)
{
    const double *data = read_matrix(ARG(rows));
    const size_t n = matrix_columns(rows), d = matrix_rows(rows);
    knn_space s = new_space(data, n, d,
                            (knn_value) read_count(ARG(value), 0, KNN_VALUES - 1),
                            read_optional(ARG(raw), n, d),
                            read_number(ARG(raw_scale)));
    s.clusters = read_clusters(clusters, n);
    const size_t wanted = read_list_length(k, s.n, s.clusters, 0);
    const int *chosen = read_zero_based(ARG(which), s.n);
    const size_t count = (size_t) XLENGTH(which);
    const double *values = read_doubles(ARG(largest), s.n);
    const worker by = read_team(threads, work_of(&s, count, wanted));
    knn_rows_scratch z = rows_scratch(s.n, wanted, by);
    /* products fit, and direct values of everything take no longer than a pause may */
    const double fit = fmin((double) PRODUCT_ENTRIES / (double) n,
                            ROW_TERMS / ((double) n * (double) d));
    z.block = fit < 1.0 ? 1 : least((size_t) fit, ROWS_AT_ONCE);
    z.gathered = scratch(z.block * s.d);
    z.product = scratch(z.block * s.n);
    SEXP result = PROTECT(NAMED_LIST("idx", "dist", "joined"));
    const knn_lists out = put_lists(result, count, wanted, 1);
    knn_describe_rows(&s);
    knn_whole_rows(&s, chosen, count, values, read_priority(priority, s.n), z, out, by);
    UNPROTECT(1);
    return result;
}

/* The same for all rows of packed distances. */
SEXP repalign_knn_packed(SEXP distances, SEXP size, SEXP k, SEXP priority, SEXP threads,
                         SEXP clusters)
{
    const size_t n = read_count(ARG(size), 2, INT_MAX);
    const knn_clusters apart = read_clusters(clusters, n);
    const size_t wanted = read_list_length(k, n, apart, 0);
    const double *values = read_doubles(ARG(distances), packed_length(n));
    const worker by = read_team(threads, (double) n * (double) n);
    knn_rows_scratch z = rows_scratch(n, wanted, by);
    z.product = scratch((size_t) by.threads * n);
    SEXP result = PROTECT(NAMED_LIST("idx", "dist", "joined"));
    const knn_lists out = put_lists(result, n, wanted, 1);
    knn_packed_rows(values, n, apart, read_priority(priority, n), z, out, by);
    UNPROTECT(1);
    return result;
}
