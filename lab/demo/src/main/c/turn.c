/* turn.c - see turn.h. */
#include "turn.h"

#include "schedgpu/schedgpu.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEVICE = 0 };

typedef void (*function)(void);
static int (*begin)(int, int64_t);
static int (*end)(int);
static const char *(*text)(int);

bool turn_find(void) {
  function (*find)(const char *) =
      (function(*)(const char *))dlsym(RTLD_DEFAULT, "schedgpu_preload_function");
  if (find) {
    begin = (int (*)(int, int64_t))find("iteration_begin");
    end = (int (*)(int))find("iteration_end");
    text = (const char *(*)(int))find("strerror");
  }
  bool found = begin && end && text;
  bool needed = getenv("SCHEDGPU_LANE") != NULL;
  if (needed && !found)
    fprintf(stderr, "turn: no functions in the preload library: start it by schedgpu run\n");
  return found || !needed;
}

static bool said(const char *what, int rc) {
  if (rc != SCHEDGPU_OK)
    fprintf(stderr, "turn: %s: %s\n", what, text(rc));
  return rc == SCHEDGPU_OK;
}

bool turn_begin(void) {
  return !begin || said("cannot begin an iteration", begin(DEVICE, SCHEDGPU_FOREVER));
}

bool turn_end(void) {
  return !end || said("cannot end an iteration", end(DEVICE));
}
