/*
 * failure.c - calls that fail on request, for tests of programs.
 * EMULATED_GPU_FAIL="cuMemUnmap:999,cuMemCreate:2:3" makes every cuMemUnmap fail with error 999,
 * and the first three cuMemCreate with error 2. A failed call does nothing else.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { PLANS = 8, NAME = 64 };

static struct {
  char name[NAME];
  CUresult error;
  int left; /* -1: no limit */
} plans[PLANS];
static int plan_count;

static void read_plan(const char *text, size_t length) {
  const char *colon = memchr(text, ':', length);
  if (!colon || colon - text >= NAME || plan_count == PLANS)
    return;
  char *end;
  memcpy(plans[plan_count].name, text, (size_t)(colon - text));
  plans[plan_count].error = (CUresult)strtol(colon + 1, &end, 10);
  plans[plan_count].left = *end == ':' ? atoi(end + 1) : -1;
  plan_count++;
}

static void read_plans(void) {
  const char *text = getenv("EMULATED_GPU_FAIL");
  while (text && *text) {
    size_t length = strcspn(text, ",");
    read_plan(text, length);
    text += length + (text[length] == ',');
  }
}

static int is_used_up(int *left) {
  int now = __atomic_load_n(left, __ATOMIC_RELAXED);
  while (now > 0)
    if (__atomic_compare_exchange_n(left, &now, now - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return 0;
  return now == 0;
}

CUresult driver_failure(const char *function) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_plans);
  for (int i = 0; i < plan_count; i++)
    if (!strcmp(plans[i].name, function) && !is_used_up(&plans[i].left))
      return plans[i].error;
  return CUDA_SUCCESS;
}
