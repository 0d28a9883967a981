/*
 * start.c - for programs: glibc 2.34 has a new version of what starts main(), of which the old one
 * differs in constructors alone: in older releases those of the program itself do not run.
 */
#include "older.h"

typedef int main_function(int, char **, char **);

OLDER(__libc_start_main);
int older___libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                            void (*fini)(void), void (*dynamic_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*dynamic_fini)(void), void *stack_end) {
  return older___libc_start_main(main, count, arguments, init, fini, dynamic_fini, stack_end);
}
