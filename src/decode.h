/* Numbers of files: raw bytes to doubles, blocks of rows out of a file, and the depth of JSON. */
#ifndef REPALIGN_DECODE_H
#define REPALIGN_DECODE_H

#include <stddef.h>
#include <stdio.h>

/* How a number is written: "brain floats" are the upper half of a 32-bit float. The codes are
   those of `number_kinds` in R/base-numbers.R. */
typedef enum {
    NUMBER_BOOL = 1,
    NUMBER_SIGNED,
    NUMBER_UNSIGNED,
    NUMBER_FLOAT,
    NUMBER_BRAIN_FLOAT
} number_kind;

typedef struct {
    number_kind kind;
    size_t size; /* bytes: 1, 2, 4 or 8 */
    int big_endian;
} number_type;

/* Does the kind come in that size? */
int is_number_type(number_type type);

/* `count` numbers into doubles. Returns how many were read before the first integer beyond 2^53,
   which doubles do not hold: `count` if there is none. */
size_t decode_numbers(const unsigned char *bytes, size_t count, number_type type, double *out);

/* A matrix in an open file: its first number stands at `offset`, and the numbers of a row follow
   each other, or, by_column, those of a column. */
typedef struct {
    FILE *file;
    double offset;
    size_t rows, columns;
    int by_column;
    number_type type;
} number_file;

typedef enum { READ_ALL, READ_SHORT, READ_LARGE_INTEGER } read_outcome;

/* What became of a reading; the row and column of an integer that is too large. */
typedef struct {
    read_outcome outcome;
    size_t row, column;
} read_result;

/* Room for a piece of the file: `length` numbers (at least 1), as bytes and as doubles. */
typedef struct {
    unsigned char *bytes;
    double *numbers;
    size_t length;
} read_buffer;

/* The wanted rows (counted from zero, in any order) into out, count x columns by column. */
read_result read_number_rows(const number_file *from, const int *wanted, size_t count,
                             double *out, read_buffer buffer, void (*pause)(void));

#endif
