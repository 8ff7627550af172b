/* The one pattern of loops on several threads.

       const size_t at_once = items_at_once(PAUSE_WORK, work of an item, by.threads);
       for (size_t first = 0; first < count; first += at_once) {
           const size_t last = group_end(first, at_once, count);
           PARALLEL_FOR(by.threads)
           for (size_t item = first; item < last; item++) do_item(item);
           by.pause();
       }

   An item writes to places of its own, or to scratch of its thread (thread_number()); sums
   over items are added up after the loop, in the order of the items. So nothing depends on
   the number of threads or on which of them does what. The pause stands outside of the
   parallel loop, where R may run; where a loop is short, its caller pauses, and the loop stands
   alone. Without OpenMP the same code runs on one thread.

   Vectors and packed matrices that are too long for an item an entry go through chunks.h,
   which is this pattern over chunks of fixed size. */
#ifndef REPALIGN_THREADS_H
#define REPALIGN_THREADS_H

#include <stddef.h>

/* How the user can interrupt: kernels take a function that they call between pieces of work
   (at least every half second). It may not return, so no kernel owns memory. */
typedef void (*pause_function)(void);

/* Threads to use (at least 1), and what to call between groups of items. */
typedef struct {
    int threads;
    pause_function pause;
} worker;

/* Stand before a `for` inside of a block. PARALLEL_FOR shares the items out evenly: for items
   that all take the same time. With PARALLEL_PIECES a thread that is done takes the next
   `piece` items: for items of unequal work. */
#ifdef _OPENMP
#include <omp.h>
#define OPENMP_TEXT(text) _Pragma(#text)
#define OPENMP(...) OPENMP_TEXT(omp __VA_ARGS__)
#define PARALLEL_FOR(number) OPENMP(parallel for schedule(static) num_threads(number))
#define PARALLEL_PIECES(number, piece) \
    OPENMP(parallel for schedule(dynamic, piece) num_threads(number))
#else
#define OPENMP(...)
#define PARALLEL_FOR(number) (void) (number);
#define PARALLEL_PIECES(number, piece) (void) (number), (void) (piece);
#endif

/* Which thread runs: 0 .. threads - 1. */
static inline size_t thread_number(void)
{
#ifdef _OPENMP
    return (size_t) omp_get_thread_num();
#else
    return 0;
#endif
}

static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

static inline size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* How many items make about `pause_work`, and at least one a thread. */
static inline size_t items_at_once(double pause_work, double item_work, int threads)
{
    const double each = pause_work / (item_work + 1.0) / (double) threads;
    return (size_t) threads * (each < 1.0 ? 1 : (size_t) each);
}

static inline size_t group_end(size_t first, size_t at_once, size_t count)
{
    return count - first < at_once ? count : first + at_once;
}

#endif
