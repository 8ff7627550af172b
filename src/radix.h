/* Passes of a stable radix sort on several threads, for ranks and for Kendall's tau. */
#ifndef REPALIGN_RADIX_H
#define REPALIGN_RADIX_H

#include <stddef.h>
#include <stdint.h>

#include "chunks.h"

/* A sortable key in the upper half, an index or a second key in the lower one. */
typedef uint64_t sort_cell;

#define LOWER_HALF ((sort_cell) 0xffffffffu)

/* The bits of the digit that a pass sorts by: 11, whose counts fit the first cache, so that three
   passes make 32 bits; for few cells 8, as going through the counts would take longer than going
   through the cells. */
int digit_bits(size_t length);

/* Room for the counts of digits. */
size_t radix_counts(size_t length);

/* The cells of `from` into `to`, in the order of the digit that starts at bit `shift`; cells with
   the same digit stay in their order. counts: scratch. */
void radix_pass(const sort_cell *from, sort_cell *to, size_t length, int shift, size_t *counts,
                worker by);

#endif
