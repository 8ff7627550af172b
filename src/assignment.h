/* One-to-one matching of agents and tasks: the optimal one, and the greedy one. */
#ifndef REPALIGN_ASSIGNMENT_H
#define REPALIGN_ASSIGNMENT_H

#include <stddef.h>

#include "pause.h"

#define UNMATCHED (-1)

/* price, distance: `tasks` doubles each. agent_of, order, reached_from: `tasks` ints each;
   task_of, waiting: `agents` ints each. */
typedef struct {
    double *price, *distance;
    int *agent_of, *order, *reached_from, *task_of, *waiting;
} assignment_scratch;

/* Least total cost with every agent matched to another task, agents <= tasks.
   cost: tasks x agents, column-major. The result is task_of[agent]. */
void assign_least(const double *cost, size_t agents, size_t tasks, assignment_scratch z,
                  pause_function pause);

/* Pairs taken from the best on: entries in the given order (one-based, column-major in
   rows x columns), each taken unless its row or column is. row_of, column_of: one a column
   and one a row. */
void assign_greedy(const int *order, size_t rows, size_t columns, int *row_of, int *column_of);

#endif
