/* Numbers of files: see decode.h. */

/* for fseeko(), which reaches what lies beyond 2 GB */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "decode.h"

#include "bits.h"

#include <stdint.h>
#include <string.h>

#define LARGEST_INTEGER ((uint64_t) 1 << 53)

int is_number_type(number_type type)
{
    const size_t size = type.size;
    switch (type.kind) {
    case NUMBER_BOOL: return size == 1;
    case NUMBER_BRAIN_FLOAT: return size == 2;
    case NUMBER_FLOAT: return size == 2 || size == 4 || size == 8;
    case NUMBER_SIGNED:
    case NUMBER_UNSIGNED: return size == 1 || size == 2 || size == 4 || size == 8;
    }
    return 0;
}

/* The bits of a number, whatever the byte order of the machine. */
static uint64_t load_bits(const unsigned char *at, size_t size, int big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) bits = bits << 8 | at[big_endian ? i : size - 1 - i];
    return bits;
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

static size_t decode_floats(const unsigned char *bytes, size_t count, number_type type,
                            double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = float_number(load_bits(bytes + i * type.size, type.size, type.big_endian), type);
    return count;
}

static size_t decode_integers(const unsigned char *bytes, size_t count, number_type type,
                              double *out)
{
    const uint64_t top = (uint64_t) 1 << (8 * type.size - 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load_bits(bytes + i * type.size, type.size, type.big_endian);
        const int negative = type.kind == NUMBER_SIGNED && (bits & top) != 0;
        /* the size of a negative number in two's complement */
        if (negative) bits = (~bits & (top | (top - 1))) + 1;
        if (bits > LARGEST_INTEGER) return i;
        out[i] = negative ? -(double) bits : (double) bits;
    }
    return count;
}

size_t decode_numbers(const unsigned char *bytes, size_t count, number_type type, double *out)
{
    if (type.kind == NUMBER_SIGNED || type.kind == NUMBER_UNSIGNED)
        return decode_integers(bytes, count, type, out);
    if (type.kind != NUMBER_BOOL) return decode_floats(bytes, count, type, out);
    for (size_t i = 0; i < count; i++) out[i] = bytes[i] != 0;
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

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* Rows that follow each other in `wanted` and in the file, from wanted[0] on. */
static size_t run_length(const int *wanted, size_t count)
{
    size_t length = 1;
    while (length < count && wanted[length] == wanted[length - 1] + 1) length++;
    return length;
}

static read_result read_by_column(reading *at, const int *wanted, size_t count, double *out,
                                  read_buffer buffer, void (*pause)(void))
{
    const number_file *from = at->from;
    const read_result too_short = {READ_SHORT, 0, 0}, all = {READ_ALL, 0, 0};
    for (size_t j = 0; j < from->columns; j++) {
        pause();
        for (size_t i = 0; i < count;) {
            const size_t piece = least_of(run_length(wanted + i, count - i), buffer.length);
            const double first = (double) j * (double) from->rows + wanted[i];
            if (!read_bytes(at, first, piece, buffer.bytes)) return too_short;
            const size_t good = decode_numbers(buffer.bytes, piece, from->type,
                                               out + j * count + i);
            if (good < piece) {
                const read_result large = {READ_LARGE_INTEGER, (size_t) wanted[i] + good, j};
                return large;
            }
            i += piece;
        }
    }
    return all;
}

/* A band of rows is read, and then written column by column, so that the result is filled in
   pieces that lie together. Rows longer than the buffer are bands of their own, in pieces. */
static read_result read_by_row(reading *at, const int *wanted, size_t count, double *out,
                               read_buffer buffer, void (*pause)(void))
{
    const size_t columns = at->from->columns, piece = least_of(columns, buffer.length);
    const size_t most = buffer.length / piece;
    const read_result too_short = {READ_SHORT, 0, 0}, all = {READ_ALL, 0, 0};
    for (size_t i = 0; i < count; i += most) {
        const size_t band = least_of(most, count - i);
        for (size_t j = 0; j < columns; j += piece) {
            const size_t width = least_of(piece, columns - j);
            pause();
            for (size_t r = 0; r < band; r++) {
                const double first = (double) wanted[i + r] * (double) columns + (double) j;
                if (!read_bytes(at, first, width, buffer.bytes)) return too_short;
                const size_t good = decode_numbers(buffer.bytes, width, at->from->type,
                                                   buffer.numbers + r * width);
                if (good < width) {
                    const read_result large = {READ_LARGE_INTEGER, (size_t) wanted[i + r],
                                               j + good};
                    return large;
                }
            }
            for (size_t c = 0; c < width; c++)
                for (size_t r = 0; r < band; r++)
                    out[(j + c) * count + i + r] = buffer.numbers[r * width + c];
        }
    }
    return all;
}

read_result read_number_rows(const number_file *from, const int *wanted, size_t count,
                             double *out, read_buffer buffer, void (*pause)(void))
{
    reading at = {from, -1.0};
    return (from->by_column ? read_by_column : read_by_row)(&at, wanted, count, out, buffer,
                                                            pause);
}
