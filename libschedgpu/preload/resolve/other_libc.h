/*
 * other_libc.h - in a program of another C library than glibc (musl, in containers of Alpine) this
 * library is loaded, because its name is in LD_PRELOAD, and only passes calls on.
 */
#ifndef SGP_OTHER_LIBC_H
#define SGP_OTHER_LIBC_H

#include <stdbool.h>

/** False in a program of another C library. Thread-safe. */
bool sgp_is_glibc(void);

/** The dlsym of another C library, or NULL. Thread-safe. */
void *sgp_other_dlsym(void);

#endif
