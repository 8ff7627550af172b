/* How well scores of pairs of models tell groups of models apart, for many ways to label them. */

#include <math.h>
#include <string.h>
#include <limits.h>

#include "entry.h"

/* Ordered pairs of models, the most alike first. level: pairs of equal level are tied, and it never
   falls. value: the similarity; away: the dissimilarity, never negative. first, second: the models
   from 1 on. copies: 2 where both orders of a pair are there and say the same, else 1. */
typedef struct {
    size_t count, models, groups, copies;
    const int *first, *second, *level;
    const double *value, *away;
} scored_pairs;

/* What is found for each group, and for all together: rows of the output. */
enum {
    GROUP_AUPRC,      /* average precision of "both in the group" among pairs from the group */
    GROUP_CONFORMITY, /* share of (pair within, pair across) where within is above: ties are not */
    GROUP_VIOLATIONS, /* triples of a model with one of its group and one of another, the other */
    GROUP_TRIPLES,    /* being more alike; how many triples there are */
    GROUP_SILHOUETTE, /* sum of the silhouettes of the group's models, and of how many */
    GROUP_SILHOUETTES,
    GROUP_ROWS
};
enum { ALL_AUPRC, ALL_AUC, ALL_DPRIME, ALL_ROWS };

/* Pairs walked over between two pauses. */
#define PAUSE_PAIRS 20000000.0

/* A spread or a gap below this share of the largest value is rounding. */
#define NO_SPREAD 1e-12

/* Pairs within and across that came so far, and at the level of now. */
typedef struct {
    size_t within, across, within_now, across_now;
} tally;

typedef struct {
    const scored_pairs *pairs;
    const int *label;
    tally *of_group, *of_model, all; /* of_model: pairs that begin with the model */
    double *precision, *violations;  /* a group each */
    double *away_sum;                /* models x groups, the group the fastest */
    size_t *away_count;
    double all_precision, all_losses; /* losses: pairs across above pairs within, ties half */
    double sum_within, sum_across;
    double *out;
} walk_state;

static double *group_out(const walk_state *s, size_t g) { return s->out + GROUP_ROWS * g; }

static size_t group_of(const walk_state *s, int model) { return (size_t) s->label[model - 1] - 1; }

/* A pair within a group is counted once, in the order of its models. */
static void count_pair(walk_state *s, size_t at)
{
    const int i = s->pairs->first[at], j = s->pairs->second[at];
    const size_t own = group_of(s, i), other = group_of(s, j);
    const int within = own == other;
    tally *group = s->of_group + own, *model = s->of_model + (i - 1);
    if (within) {
        group->within_now += i < j;
        model->within_now++;
        s->all.within_now++;
        s->sum_within += s->pairs->value[at];
    } else {
        group->across_now++;
        model->across_now++;
        s->all.across_now++;
        s->sum_across += s->pairs->value[at];
    }
    const size_t cell = (size_t) (i - 1) * s->pairs->groups + other;
    s->away_sum[cell] += s->pairs->away[at];
    s->away_count[cell]++;
}

static void end_level(tally *t)
{
    t->within += t->within_now;
    t->across += t->across_now;
    t->within_now = t->across_now = 0;
}

/* within_now times the precision so far: the step of recall is divided out at the end */
static double precision_step(const tally *t)
{
    const double now = (double) t->within_now, within = now + (double) t->within;
    return now == 0.0 ? 0.0 : now * within / (within + (double) (t->across + t->across_now));
}

/* Uses what was counted at a level; a second pair of the same group or model finds nothing new. */
static void use_pair(walk_state *s, size_t at)
{
    const int i = s->pairs->first[at];
    const size_t own = group_of(s, i);
    tally *group = s->of_group + own, *model = s->of_model + (i - 1);
    s->precision[own] += precision_step(group);
    s->violations[own] += (double) group->within_now * (double) (group->across + group->across_now);
    end_level(group);
    group_out(s, own)[GROUP_VIOLATIONS] += (double) model->within_now * (double) model->across;
    end_level(model);
}

/* Adds the silhouette of a model to those of its group, 0 if it is the only one, unless its pairs
   do not tell. */
static void add_silhouette(const walk_state *s, size_t model)
{
    const size_t groups = s->pairs->groups, own = (size_t) s->label[model] - 1;
    const double *sum = s->away_sum + model * groups;
    const size_t *count = s->away_count + model * groups;
    double nearest = HUGE_VAL, width = 0.0, *out = group_out(s, own);
    size_t size = 0;
    for (size_t j = 0; j < s->pairs->models; j++) size += s->label[j] == s->label[model];
    for (size_t g = 0; g < groups; g++)
        if (g != own && count[g] > 0) nearest = fmin(nearest, sum[g] / (double) count[g]);
    if (nearest == HUGE_VAL || (size > 1 && count[own] == 0)) return;
    if (size > 1) {
        const double inner = sum[own] / (double) count[own], larger = fmax(inner, nearest);
        const double gap = nearest - inner;
        width = fabs(gap) > NO_SPREAD * larger ? gap / larger : 0.0;
    }
    out[GROUP_SILHOUETTE] += width;
    out[GROUP_SILHOUETTES] += 1.0;
}

/* Difference of the means over the root of the mean of both variances. */
static double dprime(const walk_state *s)
{
    const scored_pairs *p = s->pairs;
    const double within = (double) s->all.within, across = (double) s->all.across;
    const double copies = (double) p->copies;
    if (within < 2.0 * copies || across < 2.0 * copies) return NAN;
    const double mean_within = s->sum_within / within, mean_across = s->sum_across / across;
    double square_within = 0.0, square_across = 0.0;
    for (size_t at = 0; at < p->count; at++) {
        const int same = group_of(s, p->first[at]) == group_of(s, p->second[at]);
        const double off = p->value[at] - (same ? mean_within : mean_across);
        *(same ? &square_within : &square_across) += off * off;
    }
    const double difference = mean_within - mean_across;
    const double gap = fabs(difference) > NO_SPREAD ? difference : 0.0;
    const double spread = sqrt((square_within / (within - copies) +
                                square_across / (across - copies)) / 2.0);
    if (spread > NO_SPREAD) return gap / spread;
    return gap != 0.0 ? copysign(HUGE_VAL, gap) : NAN;
}

/* One labelling: state with all sums at 0. */
static void walk(walk_state *s)
{
    const scored_pairs *p = s->pairs;
    for (size_t from = 0, to; from < p->count; from = to) {
        for (to = from; to < p->count && p->level[to] == p->level[from]; to++) count_pair(s, to);
        for (size_t at = from; at < to; at++) use_pair(s, at);
        s->all_precision += precision_step(&s->all);
        s->all_losses += (double) s->all.within_now *
                         ((double) s->all.across + (double) s->all.across_now / 2.0);
        end_level(&s->all);
    }
    for (size_t g = 0; g < p->groups; g++) {
        const double within = (double) s->of_group[g].within;
        const double pairs = within * (double) s->of_group[g].across;
        group_out(s, g)[GROUP_AUPRC] = pairs > 0.0 ? s->precision[g] / within : NAN;
        group_out(s, g)[GROUP_CONFORMITY] = pairs > 0.0 ? 1.0 - s->violations[g] / pairs : NAN;
    }
    for (size_t i = 0; i < p->models; i++) {
        group_out(s, (size_t) s->label[i] - 1)[GROUP_TRIPLES] +=
            (double) s->of_model[i].within * (double) s->of_model[i].across;
        add_silhouette(s, i);
    }
    const double within = (double) s->all.within, across = (double) s->all.across;
    double *out = s->out + GROUP_ROWS * p->groups;
    const int tells = within * across > 0.0;
    out[ALL_AUPRC] = tells ? s->all_precision / within : NAN;
    out[ALL_AUC] = tells ? 1.0 - s->all_losses / (within * across) : NAN;
    out[ALL_DPRIME] = dprime(s);
}

/* first, second, level, value, away: the pairs as in scored_pairs, both orders of each where
   symmetric; labels: models x labellings, from 1 to groups. (GROUP_ROWS x groups + ALL_ROWS) x
   labellings, NaN where there is none. */
SEXP repalign_group_walk(SEXP first, SEXP second, SEXP level, SEXP value, SEXP away,
                         SEXP symmetric, SEXP labels, SEXP groups, SEXP threads)
{
    const size_t count = count_doubles(ARG(value));
    if (!Rf_isMatrix(labels)) argument_error("labels", "be a matrix");
    const size_t n = matrix_rows(labels);
    const size_t n_groups = read_count(ARG(groups), 1, n);
    const scored_pairs pairs = {count, n, n_groups, read_flag(ARG(symmetric)) ? 2 : 1,
                                read_indices(ARG(first), count, n),
                                read_indices(ARG(second), count, n),
                                read_indices(ARG(level), count, count), REAL(value),
                                read_doubles(ARG(away), count)};
    const int *label = read_index_matrix(ARG(labels), n, n_groups);
    const worker by = read_worker(ARG(threads));
    const size_t labellings = matrix_columns(labels), rows = GROUP_ROWS * n_groups + ALL_ROWS;
    const size_t doubles = n_groups * (2 + n), tallies = n_groups + n, cells = n_groups * n;
    double *sums = scratch((size_t) by.threads * doubles);
    tally *counts = (tally *) R_alloc((size_t) by.threads * tallies, sizeof(tally));
    size_t *away_counts = size_scratch((size_t) by.threads * cells);
    SEXP result = PROTECT(new_matrix(rows, labellings));
    double *out = REAL(result);
    memset(out, 0, rows * labellings * sizeof(double));
    const size_t at_once = items_at_once(PAUSE_PAIRS, (double) count, by.threads);
    for (size_t from = 0; from < labellings; from += at_once) {
        const size_t to = group_end(from, at_once, labellings);
        PARALLEL_FOR(by.threads)
        for (size_t l = from; l < to; l++) {
            double *own = sums + doubles * thread_number();
            tally *own_counts = counts + tallies * thread_number();
            walk_state s = {.pairs = &pairs, .label = label + n * l, .of_group = own_counts,
                            .of_model = own_counts + n_groups, .precision = own,
                            .violations = own + n_groups, .away_sum = own + 2 * n_groups,
                            .away_count = away_counts + cells * thread_number(),
                            .out = out + rows * l};
            memset(own, 0, doubles * sizeof(double));
            memset(own_counts, 0, tallies * sizeof(tally));
            memset(s.away_count, 0, cells * sizeof(size_t));
            walk(&s);
        }
        by.pause();
    }
    UNPROTECT(1);
    return result;
}
