/* this_library.h - the differences between the preload library and the proxy driver (proxy/). */
#ifndef SGP_THIS_LIBRARY_H
#define SGP_THIS_LIBRARY_H

#include <stdbool.h>

extern const bool sgp_is_proxy;
/** Name under which the real driver is loaded. */
extern const char sgp_driver_file[];

#endif
