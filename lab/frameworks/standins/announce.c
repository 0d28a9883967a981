/* announce.c - part of every stand-in: says at its load that nothing is calculated. */
#include <stdio.h>

__attribute__((constructor)) static void announce(void) {
  fprintf(stderr, "%s: emulated mathematics: results are meaningless, memory is real\n",
          STANDIN_NAME);
}
