/* Passes of a stable radix sort on several threads, for ranks and for Kendall's tau. */
#ifndef REPALIGN_RADIX_H
#define REPALIGN_RADIX_H

#include <stddef.h>
#include <stdint.h>

#include "chunks.h"

/* A sortable key in the upper half, an index or a second key in the lower one. */
typedef uint64_t sort_cell;

#define LOWER_HALF ((sort_cell) 0xffffffffu)

/* A pass sorts by a digit of 11 bits: the counts of all digits fit the first cache, and three
   passes make 32 bits. */
#define DIGIT_BITS 11

/* Room for the counts of digits. */
size_t radix_counts(size_t length);

/* The cells of `from` into `to`, in the order of the digit that starts at bit `shift`; cells with
   the same digit stay in their order. counts: scratch. */
void radix_pass(const sort_cell *from, sort_cell *to, size_t length, int shift, size_t *counts,
                worker by);

#endif
