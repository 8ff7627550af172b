/* Entry point that finds the text in what users give. */

#include <string.h>

#include "entry.h"

/* `out` is NULL as long as the texts are only counted. */
typedef struct {
    SEXP out;
    R_xlen_t count;
} text_list;

static int is_ascii(const char *text)
{
    while (*text) if ((unsigned char) *text++ > 127) return 0;
    return 1;
}

static int is_named(SEXP names, R_xlen_t at, const char *name)
{
    return TYPEOF(names) == STRSXP && at < XLENGTH(names) &&
           strcmp(CHAR(STRING_ELT(names, at)), name) == 0;
}

static void list_texts(SEXP value, text_list *texts)
{
    SEXP with_text[] = {R_DimNamesSymbol, Rf_install("Dimnames"), R_NamesSymbol,
                        R_RowNamesSymbol, R_LevelsSymbol, Rf_install("Labels")};
    R_CheckStack();
    if (TYPEOF(value) == STRSXP) {
        for (R_xlen_t i = 0; i < XLENGTH(value); i++) {
            SEXP text = STRING_ELT(value, i);
            if (is_ascii(CHAR(text))) continue;
            if (texts->out) SET_STRING_ELT(texts->out, texts->count, text);
            texts->count++;
        }
    }
    for (size_t k = 0; k < sizeof(with_text) / sizeof(with_text[0]); k++) {
        SEXP part = PROTECT(Rf_getAttrib(value, with_text[k]));
        if (TYPEOF(part) == STRSXP || TYPEOF(part) == VECSXP) list_texts(part, texts);
        UNPROTECT(1);
    }
    if (TYPEOF(value) != VECSXP) return;
    /* what a measure declares is ours */
    const int is_measure = Rf_inherits(value, "repalign_measure");
    SEXP names = PROTECT(Rf_getAttrib(value, R_NamesSymbol));
    for (R_xlen_t i = 0; i < XLENGTH(value); i++) {
        if (!is_measure || !is_named(names, i, "declaration"))
            list_texts(VECTOR_ELT(value, i), texts);
    }
    UNPROTECT(1);
}

/* The texts that are not ASCII, whatever their encoding: values, names and levels of an object and
   of the parts of a list. */
SEXP repalign_foreign_texts(SEXP value)
{
    text_list texts = {NULL, 0};
    list_texts(value, &texts);
    SEXP result = PROTECT(Rf_allocVector(STRSXP, texts.count));
    texts.out = result;
    texts.count = 0;
    if (XLENGTH(result) > 0) list_texts(value, &texts);
    UNPROTECT(1);
    return result;
}
