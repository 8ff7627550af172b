/* Which places of a library compiled with -fsanitize-coverage=trace-pc ran since the last question.
 * Loaded before R (LD_PRELOAD), and by R for trace_count() and trace_take(); see
 * tools/choose-sanitized.R. A place is the distance of a return address from the library's start. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

enum { places = 1 << 24 };

static unsigned char ran[places];
static char *start;

/* Threads may come here at a time: all write the same. */
void __sanitizer_cov_trace_pc(void) {
    char *here = __builtin_return_address(0);
    if (start == NULL) {
        Dl_info library;
        if (!dladdr(here, &library)) return;
        start = library.dli_fbase;
    }
    if (here >= start && here < start + places) ran[here - start] = 1;
}

void trace_count(int *count) {
    *count = 0;
    for (int i = 0; i < places; i++) *count += ran[i];
}

/* The places, in order, which are then forgotten. */
void trace_take(int *taken) {
    for (int i = 0; i < places; i++) {
        if (!ran[i]) continue;
        *taken++ = i;
        ran[i] = 0;
    }
}
