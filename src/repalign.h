/* The one header that brings in R, and the prototypes of the entry points.

   Kernels compute: functions of plain C types, which know nothing of R. Entry points (repalign_*,
   C_* in R) read their arguments and get memory by entry.h, and hand over to kernels. A kernel that
   one entry point calls stands in its file, above it, and is static; one that several files share
   has a header of its own, x.h, and its entry points stand at the end of x.c. entries.h lists all
   entry points, which init.c registers. */
#ifndef REPALIGN_H
#define REPALIGN_H

#ifndef STRICT_R_HEADERS
#define STRICT_R_HEADERS
#endif
#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif

#include <R.h>
#include <Rinternals.h>
#include <R_ext/BLAS.h>
#include <R_ext/Utils.h>

#ifndef FCONE
#define FCONE
#endif

/* So many arguments. */
#define ARGS_0 void
#define ARGS_1 SEXP a
#define ARGS_2 ARGS_1, SEXP b
#define ARGS_3 ARGS_2, SEXP c
#define ARGS_4 ARGS_3, SEXP d
#define ARGS_5 ARGS_4, SEXP e
#define ARGS_6 ARGS_5, SEXP f
#define ARGS_7 ARGS_6, SEXP g
#define ARGS_8 ARGS_7, SEXP h
#define ARGS_9 ARGS_8, SEXP i
#define ARGS_10 ARGS_9, SEXP j
#define ENTRY(name, count) SEXP repalign_##name(ARGS_##count);
#include "entries.h"
#undef ENTRY

#endif
