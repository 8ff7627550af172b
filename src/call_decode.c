/* Entry points that read numbers of files. */

#include "decode.h"

#include "entry.h"

#include <errno.h>
#include <string.h>

/* Numbers that are read at a time: half a megabyte of bytes and doubles together. */
#define MOST_AT_A_TIME 32768

static const char *read_text(SEXP x, const char *name)
{
    if (!Rf_isString(x) || XLENGTH(x) != 1 || STRING_ELT(x, 0) == NA_STRING)
        argument_error(name, "be one text");
    return Rf_translateChar(STRING_ELT(x, 0));
}

static number_type read_type(SEXP x, const char *name)
{
    if (!Rf_isInteger(x) || XLENGTH(x) != 3) argument_error(name, "hold kind, size, endianness");
    const int *values = INTEGER(x);
    const number_type type = {(number_kind) values[0], (size_t) values[1], values[2] != 0};
    if (!is_number_type(type)) argument_error(name, "be a type of numbers that there is");
    return type;
}

static double read_offset(SEXP x, const char *name)
{
    const double offset = read_number(x, name);
    if (!(offset >= 0.0 && offset <= 0x1p52)) argument_error(name, "be a place in a file");
    return offset;
}

typedef struct {
    number_file from;
    const int *wanted;
    size_t count;
    double *out;
    read_buffer buffer;
    read_result result;
} read_task;

static SEXP run_reading(void *data)
{
    read_task *task = data;
    task->result = read_number_rows(&task->from, task->wanted, task->count, task->out,
                                    task->buffer, check_interrupt);
    return R_NilValue;
}

/* The file is closed after an interrupt, too. */
static void end_reading(void *data) { fclose(((read_task *) data)->from.file); }

static read_buffer new_read_buffer(const number_file *from, size_t count)
{
    const double needed = (double) count * (double) from->columns;
    const size_t length = needed < MOST_AT_A_TIME ? (size_t) needed : MOST_AT_A_TIME;
    const read_buffer buffer = {zeroed_bytes(length * from->type.size), scratch(length), length};
    return buffer;
}

/* Wanted rows of a rows x columns matrix in a file, see number_file: list(data, problem), where
   problem is NULL, "short" or the row and column of an integer beyond 2^53. */
SEXP repalign_read_numbers(SEXP path, SEXP offset, SEXP type, SEXP rows, SEXP columns,
                           SEXP by_column, SEXP wanted)
{
    begin_entry(__func__);
    const char *name = R_ExpandFileName(read_text(ARG(path)));
    read_task task = {{NULL, read_offset(ARG(offset)),
                       read_count(ARG(rows), 1, INT_MAX), read_count(ARG(columns), 1, INT_MAX),
                       read_flag(ARG(by_column)), read_type(ARG(type))},
                      NULL, (size_t) Rf_xlength(wanted), NULL, {NULL, NULL, 0}, {READ_ALL, 0, 0}};
    task.wanted = read_zero_based(ARG(wanted), task.from.rows);
    if (task.count < 1) argument_error("wanted", "not be empty");
    task.buffer = new_read_buffer(&task.from, task.count);
    const char *parts[] = {"data", "problem", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, parts));
    task.out = put_matrix(result, 0, task.count, task.from.columns);
    task.from.file = fopen(name, "rb");
    if (task.from.file == NULL) entry_error("cannot open the file: %s", strerror(errno));
    R_ExecWithCleanup(run_reading, &task, end_reading, &task);
    if (task.result.outcome == READ_SHORT) SET_VECTOR_ELT(result, 1, Rf_mkString("short"));
    if (task.result.outcome == READ_LARGE_INTEGER) {
        double *place = put_doubles(result, 1, 2);
        place[0] = (double) task.result.row + 1.0;
        place[1] = (double) task.result.column + 1.0;
    }
    UNPROTECT(1);
    return result;
}

/* Numbers out of raw bytes: the doubles up to the first integer beyond 2^53. */
SEXP repalign_decode_numbers(SEXP bytes, SEXP type)
{
    begin_entry(__func__);
    if (TYPEOF(bytes) != RAWSXP) argument_error("bytes", "be raw");
    const number_type how = read_type(ARG(type));
    const size_t count = (size_t) XLENGTH(bytes) / how.size;
    SEXP result = PROTECT(new_doubles(count));
    const size_t good = decode_numbers(RAW(bytes), count, how, REAL(result));
    if (good < count) result = Rf_lengthgets(result, (R_xlen_t) good);
    UNPROTECT(1);
    return result;
}

/* How deep the lists and objects of a JSON text lie within each other. */
SEXP repalign_json_depth(SEXP text)
{
    begin_entry(__func__);
    if (TYPEOF(text) != RAWSXP) argument_error("text", "be raw");
    return Rf_ScalarReal((double) json_depth(RAW(text), (size_t) XLENGTH(text)));
}
