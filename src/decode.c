/* Numbers of files: raw bytes to doubles, blocks of rows out of a file, and the depth of JSON. */

/* for fseeko(), which reaches what lies beyond 2 GB */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include "bits.h"
#include "entry.h"

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

#define LARGEST_INTEGER ((uint64_t) 1 << 53)

/* The bits of a number, whatever the byte order of the machine. */
static uint64_t load_bits(const unsigned char *at, size_t size, int big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
    return bits;
}

/* Four bytes, the least first. */
static inline uint32_t little_word(const unsigned char *at)
{
    return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 |
           (uint32_t) at[3] << 24;
}

static double float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 1 bit of sign, 5 of the exponent, 10 of the fraction. */
static double half_of_bits(uint64_t bits)
{
    const uint64_t sign = bits >> 15 << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 0) return (sign ? -1.0 : 1.0) * (double) fraction * 0x1p-24;
    const uint64_t wide = exponent == 31 ? 2047 : exponent + (1023 - 15);
    return double_of_bits(sign | wide << 52 | fraction << 42);
}

static double float_number(uint64_t bits, number_type type)
{
    if (type.kind == NUMBER_BRAIN_FLOAT) return float_of_bits((uint32_t) bits << 16);
    if (type.size == 2) return half_of_bits(bits);
    return type.size == 4 ? float_of_bits((uint32_t) bits) : double_of_bits(bits);
}

/* `count` numbers into doubles. Returns how many were read before the first integer beyond 2^53,
   which doubles do not hold: `count` if there is none. */
static size_t decode_numbers(const unsigned char *bytes, size_t count, number_type type,
                             double *out)
{
    const uint64_t top = (uint64_t) 1 << (8 * type.size - 1);
    if (type.kind == NUMBER_BOOL) {
        for (size_t i = 0; i < count; i++) out[i] = bytes[i] != 0;
    } else if (type.kind == NUMBER_FLOAT && type.size >= 4 && !type.big_endian) {
        /* as most files have them: compilers read these bytes at once */
        if (type.size == 4) {
            for (size_t i = 0; i < count; i++)
                out[i] = float_of_bits(little_word(bytes + 4 * i));
        } else {
            for (size_t i = 0; i < count; i++)
                out[i] = double_of_bits((uint64_t) little_word(bytes + 8 * i) |
                                        (uint64_t) little_word(bytes + 8 * i + 4) << 32);
        }
    } else if (type.kind == NUMBER_FLOAT || type.kind == NUMBER_BRAIN_FLOAT) {
        for (size_t i = 0; i < count; i++)
            out[i] = float_number(load_bits(bytes + i * type.size, type.size, type.big_endian),
                                  type);
    } else {
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = load_bits(bytes + i * type.size, type.size, type.big_endian);
            const int negative = type.kind == NUMBER_SIGNED && (bits & top) != 0;
            /* the size of a negative number in two's complement */
            if (negative) bits = (~bits & (top | (top - 1))) + 1;
            if (bits > LARGEST_INTEGER) return i;
            out[i] = negative ? -(double) bits : (double) bits;
        }
    }
    return count;
}

static int seek_to(FILE *file, double position)
{
#ifdef _WIN32
    return _fseeki64(file, (long long) position, SEEK_SET) == 0;
#else
    return fseeko(file, (off_t) position, SEEK_SET) == 0;
#endif
}

/* A reading: where the next byte of the file stands, so that what follows is read without
   seeking. */
typedef struct {
    const number_file *from;
    double position;
} reading;

/* `count` numbers from the one with the number `first` on, as bytes. */
static int read_bytes(reading *at, double first, size_t count, unsigned char *bytes)
{
    const size_t size = at->from->type.size;
    const double position = at->from->offset + first * (double) size;
    if (position != at->position && !seek_to(at->from->file, position)) return 0;
    if (fread(bytes, size, count, at->from->file) != count) return 0;
    at->position = position + (double) count * (double) size;
    return 1;
}

static read_result read_by_column(reading *at, const int *wanted, size_t count, double *out,
                                  read_buffer buffer)
{
    const number_file *from = at->from;
    for (size_t j = 0; j < from->columns; j++) {
        check_interrupt();
        for (size_t i = 0; i < count;) {
            /* rows that follow each other in `wanted` and in the file */
            size_t piece = 1;
            while (piece < buffer.length && i + piece < count &&
                   wanted[i + piece] == wanted[i + piece - 1] + 1)
                piece++;
            const double first = (double) j * (double) from->rows + wanted[i];
            if (!read_bytes(at, first, piece, buffer.bytes))
                return (read_result) {READ_SHORT, 0, 0};
            const size_t good = decode_numbers(buffer.bytes, piece, from->type,
                                               out + j * count + i);
            if (good < piece)
                return (read_result) {READ_LARGE_INTEGER, (size_t) wanted[i] + good, j};
            i += piece;
        }
    }
    return (read_result) {READ_ALL, 0, 0};
}

/* A band of rows is read, and then written column by column, so that the result is filled in
   pieces that lie together. Rows longer than the buffer are bands of their own, in pieces. */
static read_result read_by_row(reading *at, const int *wanted, size_t count, double *out,
                               read_buffer buffer)
{
    const size_t columns = at->from->columns, piece = least(columns, buffer.length);
    const size_t most = buffer.length / piece;
    for (size_t i = 0; i < count; i += most) {
        const size_t band = least(most, count - i);
        for (size_t j = 0; j < columns; j += piece) {
            const size_t width = least(piece, columns - j);
            check_interrupt();
            for (size_t r = 0; r < band; r++) {
                const double first = (double) wanted[i + r] * (double) columns + (double) j;
                if (!read_bytes(at, first, width, buffer.bytes))
                    return (read_result) {READ_SHORT, 0, 0};
                const size_t good = decode_numbers(buffer.bytes, width, at->from->type,
                                                   buffer.numbers + r * width);
                if (good < width)
                    return (read_result) {READ_LARGE_INTEGER, (size_t) wanted[i + r], j + good};
            }
            /* eight columns at a time, so that a line of the cache is read once */
            for (size_t c0 = 0; c0 < width; c0 += 8) {
                const size_t end = least(c0 + 8, width);
                for (size_t r = 0; r < band; r++)
                    for (size_t c = c0; c < end; c++)
                        out[(j + c) * count + i + r] = buffer.numbers[r * width + c];
            }
        }
    }
    return (read_result) {READ_ALL, 0, 0};
}

/* Numbers that are read at a time: half a megabyte of bytes and doubles together. */
#define MOST_AT_A_TIME 32768

static number_type read_type(SEXP x, const char *name)
{
    if (!Rf_isInteger(x) || XLENGTH(x) != 3) argument_error(name, "hold kind, size, endianness");
    const int *values = INTEGER(x);
    const number_type type = {(number_kind) values[0], (size_t) values[1], values[2] != 0};
    const size_t size = type.size;
    const int in_sizes = size == 1 || size == 2 || size == 4 || size == 8;
    const int fits = type.kind == NUMBER_BOOL ? size == 1
        : type.kind == NUMBER_BRAIN_FLOAT ? size == 2
        : type.kind == NUMBER_FLOAT ? in_sizes && size > 1
        : in_sizes && (type.kind == NUMBER_SIGNED || type.kind == NUMBER_UNSIGNED);
    if (!fits) argument_error(name, "be a type of numbers that there is");
    return type;
}

typedef struct {
    number_file from;
    const int *wanted;
    size_t count;
    double *out;
    read_buffer buffer;
    read_result result;
} read_task;

/* The wanted rows (counted from zero, in any order) into out, count x columns by column. */
static SEXP run_reading(void *data)
{
    read_task *task = data;
    reading at = {&task->from, -1.0};
    task->result = (task->from.by_column ? read_by_column : read_by_row)(
        &at, task->wanted, task->count, task->out, task->buffer);
    return R_NilValue;
}

/* The file is closed after an interrupt, too. */
static void end_reading(void *data) { fclose(((read_task *) data)->from.file); }

/* Wanted rows of a rows x columns matrix in a file, see number_file: list(data, problem), where
   problem is NULL, "short" or the row and column of an integer beyond 2^53. */
SEXP repalign_read_numbers(SEXP path, SEXP offset, SEXP type, SEXP rows, SEXP columns,
                           SEXP by_column, SEXP wanted)
{
    if (!Rf_isString(path) || XLENGTH(path) != 1 || STRING_ELT(path, 0) == NA_STRING)
        argument_error("path", "be one text");
    const char *name = R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)));
    const double place = read_number(ARG(offset));
    if (!(place >= 0.0 && place <= 0x1p52)) argument_error("offset", "be a place in a file");
    read_task task = {.from = {NULL, place, read_count(ARG(rows), 1, INT_MAX),
                               read_count(ARG(columns), 1, INT_MAX), read_flag(ARG(by_column)),
                               read_type(ARG(type))},
                      .count = (size_t) Rf_xlength(wanted)};
    task.wanted = read_zero_based(ARG(wanted), task.from.rows);
    if (task.count < 1) argument_error("wanted", "not be empty");
    const double needed = (double) task.count * (double) task.from.columns;
    const size_t length = needed < MOST_AT_A_TIME ? (size_t) needed : MOST_AT_A_TIME;
    task.buffer = (read_buffer) {zeroed_bytes(length * task.from.type.size), scratch(length),
                                 length};
    SEXP result = PROTECT(NAMED_LIST("data", "problem"));
    task.out = put_matrix(result, 0, task.count, task.from.columns);
    task.from.file = fopen(name, "rb");
    if (task.from.file == NULL) entry_error("cannot open the file: %s", strerror(errno));
    R_ExecWithCleanup(run_reading, &task, end_reading, &task);
    if (task.result.outcome == READ_SHORT) SET_VECTOR_ELT(result, 1, Rf_mkString("short"));
    if (task.result.outcome == READ_LARGE_INTEGER) {
        double *at = put_doubles(result, 1, 2);
        at[0] = (double) task.result.row + 1.0;
        at[1] = (double) task.result.column + 1.0;
    }
    UNPROTECT(1);
    return result;
}

/* Numbers out of raw bytes: the doubles up to the first integer beyond 2^53. */
SEXP repalign_decode_numbers(SEXP bytes, SEXP type)
{
    if (TYPEOF(bytes) != RAWSXP) argument_error("bytes", "be raw");
    const number_type how = read_type(ARG(type));
    const size_t count = (size_t) XLENGTH(bytes) / how.size;
    SEXP result = PROTECT(new_doubles(count));
    const size_t good = decode_numbers(RAW(bytes), count, how, REAL(result));
    if (good < count) result = Rf_lengthgets(result, (R_xlen_t) good);
    UNPROTECT(1);
    return result;
}
