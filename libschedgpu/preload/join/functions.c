/*
 * functions.c - gives the functions of the client API in this library to code that is not linked
 * with them, as the Python module: a second copy of the API would be a second client of the
 * region, and libschedgpu.so turns this library off. Not by their own names: a program that is
 * linked with libschedgpu.so would get some of ours and some of its own.
 */
#include "../lane/lane_memory.h"
#include "passive.h"
#include "schedgpu/schedgpu.h"
#include "schedule.h"
#include <string.h>

typedef void (*function)(void);

/**
 * The function schedgpu_NAME, as schedgpu.h declares it, with this process attached to its job;
 * NULL if there is none, or if another library in this process does the accounting. Thread-safe.
 */
SCHEDGPU_API function schedgpu_preload_function(const char *name);

SCHEDGPU_API function schedgpu_preload_function(const char *name) {
#define FUNCTION(f)                                                                                \
  { #f, (function)schedgpu_##f }
  const struct {
    const char *name;
    function function;
  } functions[] = {FUNCTION(iteration_begin), FUNCTION(iteration_end), FUNCTION(turn_wanted),
                   FUNCTION(reserve),         FUNCTION(release),       FUNCTION(query),
                   FUNCTION(strerror),        FUNCTION(error_name),    FUNCTION(lane_share),
                   FUNCTION(lane_memory)};
  if (sgp_is_passive())
    return NULL;
  /* Finds the job as the hooks do. */
  sgp_mode();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].function;
  return NULL;
}
