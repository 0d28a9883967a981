/*
 * stub.c - the functions of libschedgpu that the Python module calls, without a region. A test sets
 * what they answer (stub_set) and reads which of them were called (stub_log). stub_preload.map
 * makes it a preload library, which exports only the lookup of functions by name.
 */
#include "schedgpu/schedgpu.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char log_text[4096];

static struct {
  const char *name;
  int value;
} settings[] = {
    {"begin", 0},   /* what begin returns */
    {"end", 0},     /* what end returns */
    {"wanted", 0},  /* another process waits */
    {"keeps", 0},   /* the policy leaves the turn to this process */
    {"taken", 0},   /* another process has the turn: begin waits */
    {"waiting", 0}, /* read only: threads that wait in begin */
    {"passive", 0}, /* the preload library leaves all work to libschedgpu.so */
    {"reserve", 0}, /* what reserve, release and query return */
};

static int *setting(const char *name) {
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (strcmp(settings[i].name, name) == 0)
      return &settings[i].value;
  return &settings[0].value;
}

EXPORTED void stub_set(const char *name, int value);
EXPORTED void stub_set(const char *name, int value) {
  pthread_mutex_lock(&mutex);
  *setting(name) = value;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

EXPORTED int stub_get(const char *name);
EXPORTED int stub_get(const char *name) {
  pthread_mutex_lock(&mutex);
  int value = *setting(name);
  pthread_mutex_unlock(&mutex);
  return value;
}

/** The calls since the last one, each followed by a blank. */
EXPORTED const char *stub_log(void);
EXPORTED const char *stub_log(void) {
  static char told[sizeof log_text];
  pthread_mutex_lock(&mutex);
  memcpy(told, log_text, sizeof told);
  log_text[0] = '\0';
  pthread_mutex_unlock(&mutex);
  return told;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  size_t used = strlen(log_text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(log_text + used, sizeof log_text - used, format, arguments);
  va_end(arguments);
}

/* As schedgpu.h declares them. */
SCHEDGPU_API int schedgpu_iteration_begin(int device, int64_t timeout_ns);
SCHEDGPU_API int schedgpu_iteration_end(int device);
SCHEDGPU_API int schedgpu_turn_wanted(int device);

int schedgpu_iteration_begin(int device, int64_t timeout_ns) {
  pthread_mutex_lock(&mutex);
  note("begin(%d,%lld) ", device, (long long)timeout_ns);
  int code = *setting("begin");
  if (*setting("taken") && timeout_ns == SCHEDGPU_NO_WAIT) {
    code = SCHEDGPU_EWOULDBLOCK;
  } else if (*setting("taken")) {
    ++*setting("waiting");
    while (*setting("taken"))
      pthread_cond_wait(&changed, &mutex);
    --*setting("waiting");
  }
  if (code == SCHEDGPU_ESYSTEM)
    errno = ENOSPC;
  pthread_mutex_unlock(&mutex);
  return code;
}

int schedgpu_iteration_end(int device) {
  pthread_mutex_lock(&mutex);
  note("end(%d) ", device);
  int code = *setting("end");
  if (code == SCHEDGPU_OK && !*setting("keeps"))
    *setting("wanted") = 0; /* handed over: no longer this process's */
  pthread_mutex_unlock(&mutex);
  return code;
}

int schedgpu_turn_wanted(int device) {
  (void)device;
  return stub_get("wanted");
}

int schedgpu_reserve(int device, uint64_t bytes, int64_t timeout_ns) {
  pthread_mutex_lock(&mutex);
  note("reserve(%d,%llu,%lld) ", device, (unsigned long long)bytes, (long long)timeout_ns);
  pthread_mutex_unlock(&mutex);
  return stub_get("reserve");
}

int schedgpu_release(int device, uint64_t bytes) {
  pthread_mutex_lock(&mutex);
  note("release(%d,%llu) ", device, (unsigned long long)bytes);
  pthread_mutex_unlock(&mutex);
  return stub_get("reserve");
}

int schedgpu_query(int device, struct schedgpu_info *info) {
  memset(info, 0, sizeof *info);
  info->total_bytes = 1000 + (uint64_t)device;
  info->mode = SCHEDGPU_MODE_PEAK;
  info->priority = -1;
  info->job_id = 42;
  info->job_context_bytes = UINT64_C(1) << 40;
  return stub_get("reserve");
}

const char *schedgpu_strerror(int error) {
  static _Thread_local char text[64];
  snprintf(text, sizeof text, "text of %d", error);
  return text;
}

const char *schedgpu_error_name(int error) {
  return error == SCHEDGPU_EBUDGET     ? "EBUDGET"
         : error == SCHEDGPU_ETIMEDOUT ? "ETIMEDOUT"
                                       : "ESTUB";
}

EXPORTED void *schedgpu_preload_function(const char *name);
EXPORTED void *schedgpu_preload_function(const char *name) {
#define FUNCTION(f)                                                                                \
  { #f, (void (*)(void))schedgpu_##f }
  static const struct {
    const char *name;
    void (*function)(void);
  } functions[] = {FUNCTION(iteration_begin), FUNCTION(iteration_end), FUNCTION(turn_wanted),
                   FUNCTION(reserve),         FUNCTION(release),       FUNCTION(query),
                   FUNCTION(strerror),        FUNCTION(error_name)};
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !stub_get("passive"); i++)
    if (strcmp(functions[i].name, name) == 0)
      return (void *)(uintptr_t)functions[i].function;
  return NULL;
}
