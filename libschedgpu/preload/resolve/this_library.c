/* this_library.c - see this_library.h. */
#include "this_library.h"

const bool sgp_is_proxy = false;
const char sgp_driver_file[] = "libcuda.so.1";
