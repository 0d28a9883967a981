/*
 * system_wide.h - tells whether root loaded this library into every process (/etc/ld.so.preload).
 */
#ifndef SGP_SYSTEM_WIDE_H
#define SGP_SYSTEM_WIDE_H

#include <stdbool.h>

bool sgp_is_system_wide(void);

/** True if the text of an ld.so.preload names the library file `library`, in any folder. */
bool sgp_names_library(const char *text, const char *library);

#endif
