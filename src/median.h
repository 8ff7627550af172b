/* The range and the median of a vector. */
#ifndef REPALIGN_MEDIAN_H
#define REPALIGN_MEDIAN_H

#include <stddef.h>

#include "pause.h"

/* Smallest and largest value; length at least 1. */
void value_range(const double *v, size_t length, double *low, double *high);

/* Median of values, which are reordered. */
double median_value(double *values, size_t length, pause_function pause);

#endif
