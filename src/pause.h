/* How the user can interrupt: kernels take a function that they call between pieces of work
   (at least every half second). It may not return, so no kernel owns memory. */
#ifndef REPALIGN_PAUSE_H
#define REPALIGN_PAUSE_H

typedef void (*pause_function)(void);

#endif
