/*
 * asan.c - allows programs built with gcc's -fsanitize=address. They end at their start if a
 * preloaded library comes before libasan. libasan only has to come before libraries that replace
 * malloc, which ours does not, so this default tells it not to check. Defaults of the program
 * itself, and ASAN_OPTIONS, override it.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
