/* Kernels take a function to call between pieces of work (at least every half second),
   so that the user can interrupt. It may not return: no kernel owns memory. */
#ifndef REPALIGN_PAUSE_H
#define REPALIGN_PAUSE_H

typedef void (*pause_function)(void);

#endif
