/* Registration of the entry points, and nothing else. */

#include "repalign.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, count) {#name, (DL_FUNC) (void (*)(void)) &repalign_##name, count},
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
