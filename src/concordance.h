/* Concordant less discordant pairs of one vector with many others, which share their length. */
#ifndef REPALIGN_CONCORDANCE_H
#define REPALIGN_CONCORDANCE_H

#include <stddef.h>

#include "threads.h"

/* level: of the first vector, never falling; columns: length x count, levels from 1 to `levels`
   of the others in its order. What is tied on a side counts as 0. counts: levels + 1 a thread.
   The kernel of RSA (kendall.h) sorts one long vector on several threads; this one is for many
   short vectors. */
void concordance(const int *level, const int *columns, size_t length, size_t count, size_t levels,
                 worker by, int *counts, double *out);

#endif
