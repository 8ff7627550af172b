/* The number that a pattern of bits stands for. */
#ifndef REPALIGN_BITS_H
#define REPALIGN_BITS_H

#include <stdint.h>
#include <string.h>

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
