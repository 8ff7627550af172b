/* One-to-one matching of agents and tasks: the optimal one, and the greedy one. */

#include <math.h>
#include <string.h>

#include "entry.h"

#define UNMATCHED (-1)

/* price, distance: `tasks` doubles each. agent_of, order, reached_from: `tasks` ints each;
   task_of, waiting: `agents` ints each. */
typedef struct {
    double *price, *distance;
    int *agent_of, *order, *reached_from, *task_of, *waiting;
} assignment_scratch;

/* Cost entries read between two interrupt checks: some ten milliseconds. */
#define PAUSE_ENTRIES 16777216

/* Bids an agent may make in one round, on average, before paths take over. */
#define BIDS_PER_AGENT 8

typedef struct {
    const double *cost;
    size_t agents, tasks;
    assignment_scratch z;
    pause_function pause;
    size_t read;
} problem;

static void count_reading(problem *p)
{
    p->read += p->tasks;
    if (p->read < PAUSE_ENTRIES) return;
    p->read = 0;
    p->pause();
}

static const double *costs_of(const problem *p, int agent)
{
    return p->cost + (size_t) agent * p->tasks;
}

typedef struct {
    double first_cost, second_cost;
    int first, second;
} two_best;

/* The two tasks that cost the agent least at the present prices. */
static two_best cheapest(problem *p, int agent)
{
    const double *cost = costs_of(p, agent), *price = p->z.price;
    two_best b = {cost[0] - price[0], INFINITY, 0, 0};
    for (size_t j = 1; j < p->tasks; j++) {
        const double c = cost[j] - price[j];
        if (c >= b.second_cost) continue;
        if (c < b.first_cost) {
            b.second_cost = b.first_cost;
            b.second = b.first;
            b.first_cost = c;
            b.first = (int) j;
        } else {
            b.second_cost = c;
            b.second = (int) j;
        }
    }
    count_reading(p);
    return b;
}

/* One round of bids: each waiting agent takes its cheapest task and lowers the price by
   what it gains over the second one; the agent it displaces bids at once. An agent that
   gains nothing takes the second task, and the displaced one waits for the next round.
   Returns how many wait then. */
static size_t bid(problem *p, size_t waiting)
{
    assignment_scratch z = p->z;
    size_t next = 0, kept = 0, budget = BIDS_PER_AGENT * p->agents;
    while (next < waiting && budget > 0) {
        const int agent = z.waiting[next++];
        budget--;
        const two_best b = cheapest(p, agent);
        int task = b.first;
        const double lowered = z.price[task] - (b.second_cost - b.first_cost);
        /* rounding can leave the price as it was: no gain either */
        const int gains = lowered < z.price[task];
        if (gains) z.price[task] = lowered;
        else if (z.agent_of[task] != UNMATCHED) task = b.second;
        const int displaced = z.agent_of[task];
        z.agent_of[task] = agent;
        z.task_of[agent] = task;
        if (displaced == UNMATCHED) continue;
        z.task_of[displaced] = UNMATCHED;
        if (gains) z.waiting[--next] = displaced;
        else z.waiting[kept++] = displaced;
    }
    while (next < waiting) z.waiting[kept++] = z.waiting[next++];
    return kept;
}

/* The list of tasks falls into those done [0, low), those at the least distance [low, up)
   and the others. */
typedef struct {
    size_t low, up, settled;
    double least;
} frontier;

static void move_to_frontier(int *order, size_t k, frontier *f)
{
    const int task = order[k];
    order[k] = order[f->up];
    order[f->up++] = task;
}

/* Gathers all tasks at the least distance; an unmatched one among them ends the search. */
static int next_level(problem *p, frontier *f)
{
    int *order = p->z.order;
    const double *distance = p->z.distance;
    f->settled = f->low;
    f->least = distance[order[f->up]];
    f->up++;
    for (size_t k = f->up; k < p->tasks; k++) {
        const double here = distance[order[k]];
        if (here > f->least) continue;
        if (here < f->least) {
            f->least = here;
            f->up = f->low;
        }
        move_to_frontier(order, k, f);
    }
    for (size_t k = f->low; k < f->up; k++)
        if (p->z.agent_of[order[k]] == UNMATCHED) return order[k];
    return UNMATCHED;
}

/* Shortens distances by way of one task of the frontier. */
static int relax(problem *p, frontier *f)
{
    assignment_scratch z = p->z;
    const int from = z.order[f->low++], agent = z.agent_of[from];
    const double *cost = costs_of(p, agent);
    const double detour = cost[from] - z.price[from] - f->least;
    count_reading(p);
    for (size_t k = f->up; k < p->tasks; k++) {
        const int task = z.order[k];
        const double by_way = cost[task] - z.price[task] - detour;
        if (by_way >= z.distance[task]) continue;
        z.distance[task] = by_way;
        z.reached_from[task] = agent;
        if (by_way > f->least) continue;
        if (z.agent_of[task] == UNMATCHED) return task;
        move_to_frontier(z.order, k, f);
    }
    return UNMATCHED;
}

/* Matches one more agent, along a shortest path to an unmatched task. */
static void augment(problem *p, int start)
{
    assignment_scratch z = p->z;
    const double *cost = costs_of(p, start);
    for (size_t j = 0; j < p->tasks; j++) {
        z.distance[j] = cost[j] - z.price[j];
        z.reached_from[j] = start;
        z.order[j] = (int) j;
    }
    frontier f = {0, 0, 0, 0.0};
    int end = UNMATCHED;
    while (end == UNMATCHED) end = f.low == f.up ? next_level(p, &f) : relax(p, &f);
    for (size_t k = 0; k < f.settled; k++)
        z.price[z.order[k]] += z.distance[z.order[k]] - f.least;
    int agent;
    do {
        agent = z.reached_from[end];
        z.agent_of[end] = agent;
        const int before = z.task_of[agent];
        z.task_of[agent] = end;
        end = before;
    } while (agent != start);
}

/* Optimal matching of the narrower side of a matrix: least total, or largest with `gains`.
   Returns for each row its column (one-based), 0 for none. */
SEXP repalign_assign(SEXP values, SEXP gains)
{
    const double *entries = read_matrix(ARG(values));
    const size_t rows = matrix_rows(values), columns = matrix_columns(values);
    if (rows == 0 || columns == 0) argument_error("values", "not be empty");
    if (!all_finite(entries, rows * columns)) argument_error("values", "be finite");
    const size_t agents = least(rows, columns), tasks = most(rows, columns);
    const double sign = read_flag(ARG(gains)) ? -1.0 : 1.0;
    /* a column for each agent, the narrower side; gains are costs turned round */
    double *cost = scratch(agents * tasks);
    const size_t next_task = rows == tasks ? 1 : rows, next_agent = rows == tasks ? rows : 1;
    for (size_t i = 0; i < agents; i++)
        for (size_t j = 0; j < tasks; j++)
            cost[j + i * tasks] = sign * entries[i * next_agent + j * next_task];
    const assignment_scratch z = {scratch(tasks),     scratch(tasks),      int_scratch(tasks),
                                  int_scratch(tasks), int_scratch(tasks),  int_scratch(agents),
                                  int_scratch(agents)};
    problem p = {cost, agents, tasks, z, check_interrupt, 0};
    for (size_t j = 0; j < tasks; j++) {
        z.price[j] = 0.0;
        z.agent_of[j] = UNMATCHED;
    }
    for (size_t i = 0; i < agents; i++) {
        z.task_of[i] = UNMATCHED;
        z.waiting[i] = (int) i;
    }
    size_t waiting = agents;
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) rows));
    /* with a single task there is no second best to bid against */
    for (int round = 0; round < 2 && tasks > 1; round++) waiting = bid(&p, waiting);
    for (size_t i = 0; i < waiting; i++) augment(&p, z.waiting[i]);
    const int *column_of = rows == tasks ? z.agent_of : z.task_of;
    for (size_t i = 0; i < rows; i++) INTEGER(result)[i] = column_of[i] + 1;
    UNPROTECT(1);
    return result;
}

/* The same with pairs taken in the given order of the entries of a rows x columns matrix, from the
   best on, each unless its row or column is taken. */
SEXP repalign_assign_greedy(SEXP order, SEXP rows, SEXP columns)
{
    const size_t m = read_count(ARG(rows), 0, INT_MAX), n = read_count(ARG(columns), 0, INT_MAX);
    const int *entries = read_indices(ARG(order), m * n, m * n);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) m));
    int *column_of = INTEGER(result), *is_taken = zeroed_bytes(n * sizeof(int));
    memset(column_of, 0, m * sizeof(int));
    size_t left = least(m, n);
    for (size_t k = 0; k < m * n && left > 0; k++) {
        const size_t entry = (size_t) entries[k] - 1, i = entry % m, j = entry / m;
        if (column_of[i] != 0 || is_taken[j]) continue;
        column_of[i] = (int) j + 1;
        is_taken[j] = 1;
        left--;
    }
    UNPROTECT(1);
    return result;
}
