/*
 * asan.c - a program built with gcc's -fsanitize=address ends at its start if any library comes
 * before libasan, as what is preloaded does. All that libasan must be before of is who replaces
 * malloc, and we do not: so we tell it not to look. It asks for defaults by this name; what the
 * program itself defines, or ASAN_OPTIONS, goes before ours.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void) {
  return "verify_asan_link_order=0";
}
