/*
 * The proxy is called libcuda.so.1 itself, so it needs the true driver under another name: a link
 * beside it leads there.
 */
#include "../preload/resolve/this_library.h"

const bool sgp_is_proxy = true;
const char sgp_driver_file[] = "libcuda-real.so.1";
