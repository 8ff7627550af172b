/* Registration of the entry points, and nothing else. */

#include "entry.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define NAMES_0
#define NAMES_1 a
#define NAMES_2 NAMES_1, b
#define NAMES_3 NAMES_2, c
#define NAMES_4 NAMES_3, d
#define NAMES_5 NAMES_4, e
#define NAMES_6 NAMES_5, f
#define NAMES_7 NAMES_6, g
#define NAMES_8 NAMES_7, h
#define NAMES_9 NAMES_8, i
#define NAMES_10 NAMES_9, j

/* What R calls: tells errors the name of the entry point, and enters. */
#define ENTRY(name, count)                                           \
    static SEXP enter_##name(ARGS_##count)                           \
    {                                                                \
        begin_entry("repalign_" #name);                              \
        return repalign_##name(NAMES_##count);                       \
    }
#include "entries.h"
#undef ENTRY

#define ENTRY(name, count) {#name, (DL_FUNC) (void (*)(void)) &enter_##name, count},
static const R_CallMethodDef entries[] = {
#include "entries.h"
    {NULL, NULL, 0}};

void attribute_visible R_init_repalign(DllInfo *info);

void attribute_visible R_init_repalign(DllInfo *info)
{
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
