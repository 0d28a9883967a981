/*
 * only.h - tests/mutants/run includes it before everything else: a test program then runs only the
 * test that MUTANT_TEST names.
 */
extern char *getenv(const char *name); /* no header before those of the program */

extern void cmocka_set_test_filter(const char *pattern) __attribute__((weak));

__attribute__((constructor)) static void run_only_one_test(void) {
  const char *test = getenv("MUTANT_TEST");
  if (cmocka_set_test_filter && test)
    cmocka_set_test_filter(test);
}
