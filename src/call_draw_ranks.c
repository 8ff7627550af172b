/* Entry point of similarities of ranked RDMs with weights of stimuli. */

#include "draw_ranks.h"

#include <stdint.h>

#include "entry.h"

/* rdms: list(order, tied, first, second, group, outer), one-based; with sums of components also
   list(components, weights, ends). */
static ranked_rdms read_rdms(SEXP rdms, size_t n, size_t draws)
{
    const SEXP order = read_element(rdms, "rdms", "order");
    const SEXP tied = read_element(rdms, "rdms", "tied");
    const SEXP first = read_element(rdms, "rdms", "first");
    const SEXP group = read_element(rdms, "rdms", "group");
    const size_t length = (size_t) XLENGTH(first), data = (size_t) XLENGTH(group);
    ranked_rdms r = {.length = length, .data = data, .n = n};
    r.order = read_zero_based(order, "order", length);
    if (matrix_rows(order) != length) argument_error("order", "have a row for each pair");
    const size_t columns = matrix_columns(order);
    if (TYPEOF(tied) != LGLSXP || XLENGTH(tied) != XLENGTH(order))
        argument_error("tied", "be logical and as long as `order`");
    if (data < 1 || data > columns) argument_error("group", "be for the first columns");
    r.models = columns - data;
    const SEXP ends = read_element(rdms, "rdms", "ends");
    r.sums = (size_t) XLENGTH(ends);
    if (r.sums > 0) {
        const SEXP components = read_element(rdms, "rdms", "components");
        r.terms = matrix_columns(components);
        r.components = read_matrix_size(components, "components", length, r.terms);
        r.weights = read_matrix_size(read_element(rdms, "rdms", "weights"), "weights", r.terms,
                                     draws);
        r.ends = read_index(ends, "ends", r.terms);
    }
    r.tied = LOGICAL(tied);
    r.first = read_zero_based(first, "first", n);
    r.second = read_zero_based(read_element(rdms, "rdms", "second"), "second", n);
    r.group = read_zero_based(group, "group", data);
    for (size_t i = 0; i < data; i++)
        if ((size_t) r.group[i] >= r.groups) r.groups = (size_t) r.group[i] + 1;
    r.outer = (rank_outer) read_count(read_element(rdms, "rdms", "outer"), "outer", 1, TAU_B);
    return r;
}

/* Doubled ranks of pools are sorted as numbers of 32 bits, and taus add up weights as integers. */
static void check_sums(ranked_rdms r, rank_draws draws)
{
    for (size_t t = 0; t < draws.draws; t++) {
        double stimuli = 0.0, low = 0.0, high = 0.0;
        for (size_t i = 0; i < r.n; i++) stimuli += draws.w[t * r.n + i];
        for (size_t i = 0; i < r.data && draws.low; i++) {
            low += draws.low[t * r.data + i];
            high += draws.high[t * r.data + i];
        }
        const double most = low > high ? low : high;
        if (stimuli * stimuli * (most > 1.0 ? most : 1.0) >= (double) UINT32_MAX)
            entry_error("there are too many stimuli and RDMs for ranks of pooled RDMs");
    }
}

static draw_scratch *new_draw_scratch(ranked_rdms r, int threads)
{
    draw_scratch *all = zeroed_bytes((size_t) threads * sizeof(draw_scratch));
    for (int k = 0; k < threads; k++) {
        all[k].doubles = scratch(rank_doubles(r));
        all[k].sort = (rank_scratch) {(sort_cell *) scratch(r.length),
                                      (sort_cell *) scratch(r.length),
                                      size_scratch(radix_counts(r.length)),
                                      size_scratch(chunk_count(r.length) + 1)};
        all[k].places = int_scratch(r.length);
        all[k].levels = int_scratch(is_tau(r) ? r.length * r.data : 0);
        all[k].tree = int_scratch(is_tau(r) ? weight_tree_size(r.length) : 0);
        all[k].data = zeroed_bytes(r.data * sizeof(ranked_rdm));
        all[k].order = (value_order) {int_scratch(r.length), int_scratch(r.length)};
    }
    return all;
}

/* w: weights of stimuli, a draw a column; low, high, test: of RDMs, low and high NULL where no
   ceiling is asked for. list(table, lower, upper). */
SEXP repalign_draw_ranks(SEXP rdms, SEXP w, SEXP low, SEXP high, SEXP test, SEXP threads)
{
    begin_entry(__func__);
    read_matrix(ARG(w));
    const size_t draws = matrix_columns(w);
    const ranked_rdms r = read_rdms(rdms, matrix_rows(w), draws);
    rank_draws given = {REAL(w), NULL, NULL, read_matrix_size(ARG(test), r.data, draws), draws};
    if (!Rf_isNull(low)) {
        given.low = read_matrix_size(ARG(low), r.data, draws);
        given.high = read_matrix_size(ARG(high), r.data, draws);
    }
    check_sums(r, given);
    const worker by = read_worker(ARG(threads));
    SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
    double *table = put_matrix(result, 0, r.data * (r.models + r.sums), draws);
    double *lower = put_matrix(result, 1, r.data, draws);
    double *upper = put_matrix(result, 2, r.data, draws);
    draw_ranks(r, given, new_draw_scratch(r, by.threads), table, lower, upper, by);
    UNPROTECT(1);
    return result;
}
