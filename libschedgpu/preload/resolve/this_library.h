/*
 * this_library.h - what the preload library and the proxy driver (proxy/) do not have in common.
 */
#ifndef SGP_THIS_LIBRARY_H
#define SGP_THIS_LIBRARY_H

#include <stdbool.h>

extern const bool sgp_is_proxy;
/** Name under which the true driver is loaded. */
extern const char sgp_driver_file[];

#endif
