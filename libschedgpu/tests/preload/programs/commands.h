/*
 * commands.h - the frame of a program on the driver API that knows nothing of schedGPU: it finds
 * the driver's functions, does what it reads from stdin, and answers each line with the CUDA error
 * and one more number.
 */
#ifndef PRELOAD_TEST_COMMANDS_H
#define PRELOAD_TEST_COMMANDS_H

#include "cuda_abi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 10 };

static void *library;
static const char *how;

/* Finds a function by handle, or as the driver returns it: "get", "per-thread". */
static inline void *find(const char *name, const char *base, int version) {
  void *found = NULL;
  CUdriverProcAddressQueryResult status;
  if (strcmp(how, "handle") == 0)
    return dlsym(library, name);
  __typeof__(&cuGetProcAddress_v2) get =
      (__typeof__(&cuGetProcAddress_v2))dlsym(library, "cuGetProcAddress_v2");
  bool per_thread = strcmp(how, "per-thread") == 0;
  cuuint64_t flags = per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : 0;
  if (per_thread && version < 7000)
    version = 7000; /* which brought the variants for such streams */
  return get(base, &found, version, flags, &status) ? NULL : found;
}

/* Finds the driver's own function, behind every hook. */
static inline void *find_hidden(const char *name) {
  void *(*libc)(void *, const char *) =
      (void *(*)(void *, const char *))dlvsym(dlopen("libc.so.6", RTLD_NOW), "dlsym", "GLIBC_2.34");
  return libc(library, name);
}

/* The memory in use on the device, not the program's view. */
static inline size_t used_on_device(void) {
  __typeof__(&cuMemGetInfo_v2) info = (__typeof__(info))find_hidden("cuMemGetInfo_v2");
  size_t left = 0, total = 0;
  return info(&left, &total) == CUDA_SUCCESS ? total - left : 0;
}

/* X(member, exported name, base name, version) */
#define MEMBER(member, name, base, version) __typeof__(&name) member;
#define FIND(member, name, base, version)                                                          \
  if (!(cu.member = (__typeof__(&name))find(#name, base, version)))                                \
    fprintf(stderr, "not found: %s\n", #name);
/* X(first word of a line, what it does; n[] are its numbers) */
#define COMMAND(word, action)                                                                      \
  if (strcmp(first, word) == 0)                                                                    \
    return (int)(action);

static inline int begin_threads(int count, void *(*work)(void *)) {
  pthread_t thread[64];
  int failures = 0;
  for (int i = 0; i < count; i++)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < count; i++) {
    void *result;
    pthread_join(thread[i], &result);
    failures += (int)(intptr_t)result;
  }
  return failures;
}

/* The second number of an answer. */
static unsigned long long also;

static int obey(const char *first, const long long *n);
static void find_all(void);

int main(int argc, char **argv) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (argc < 2 || !library)
    return 2;
  how = argv[1];
  find_all();
  while (fgets(line, sizeof line, stdin)) {
    char first[64] = "";
    int length = 0;
    long long n[NUMBERS] = {0};
    sscanf(line, "%63s%n", first, &length);
    char *at = line + length;
    for (int i = 0; i < NUMBERS; i++)
      n[i] = strtoll(at, &at, 10);
    also = 0;
    int result = obey(first, n);
    printf("%d %llu\n", result, also);
  }
  return 0;
}

#endif
