/*
 * this_library.c - the proxy has the name libcuda.so.1 itself. So it needs the real driver under
 * another name: a link beside the proxy leads there.
 */
#include "../preload/resolve/this_library.h"

const bool sgp_is_proxy = true;
const char sgp_driver_file[] = "libcuda-real.so.1";
