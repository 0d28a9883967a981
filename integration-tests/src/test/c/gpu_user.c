/*
 * gpu_user.c - gpu-user, a CUDA program that knows nothing of schedGPU. It obeys its arguments in
 * order; those that report something print a line of JSON:
 *
 *   show         the devices that it sees, and their variables in its environment
 *   device K     uses device K from now on
 *   info         free and total memory of the device, as cudaMemGetInfo has it
 *   alloc MIB    allocates and writes; out of memory ends the program with status 2
 *   try MIB      as alloc, but prints CUDA's error and goes on
 *   free         checks the content of the last allocation and frees it
 *   reserve MIB FILE  reserves on device 0 by schedgpu.h of that library, as programs that call it
 *   touch FILE   creates the file
 *   until FILE   waits until the file exists
 *
 * At its end it checks all remaining allocations. Exit status: 0 done, 1 failed, 2 out of memory.
 */
#include "cudart_abi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define MAX_ALLOCATIONS 64
#define PATTERN_BYTES 4096
#define POLL_NS 5000000

struct allocation {
  char *memory;
  size_t bytes;
  unsigned char mark;
};

static struct allocation allocation[MAX_ALLOCATIONS];
static int allocations;

static const char *const variables[] = {
    "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "LD_PRELOAD",          "SCHEDGPU_JOB",
    "SCHEDGPU_DEVICES",     "SCHEDGPU_RUN_DIR",   "SCHEDGPU_ON_FAILURE", "SLURM_JOB_ID",
    "SLURM_JOB_GPUS",       "SLURM_STEP_GPUS",    "SLURM_PROCID"};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "gpu-user: %s: %s\n", what, why);
  exit(1);
}

static void must(cudaError_t error, const char *what) {
  if (error == 0)
    return;
  fprintf(stderr, "gpu-user: %s: CUDA error %d\n", what, (int)error);
  exit(error == cudaErrorMemoryAllocation ? 2 : 1);
}

static void print_uuid(const struct cudaDeviceProp *properties) {
  const unsigned char *b = (const unsigned char *)properties->uuid.bytes;
  printf("\"GPU-");
  for (int i = 0; i < 16; i++)
    printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
  printf("\"");
}

/* No value here has a quote or a backslash in it. */
static void print_variables(void) {
  const char *separator = "";
  printf("\"environment\":{");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *value = getenv(variables[i]);
    if (!value)
      continue;
    printf("%s\"%s\":\"%s\"", separator, variables[i], value);
    separator = ",";
  }
  printf("}");
}

/* One write per line: those of several tasks do not mix. */
static void end_line(void) {
  printf("}\n");
  fflush(stdout);
}

static void show(void) {
  static struct cudaDeviceProp properties;
  int count = 0;
  if (cudaGetDeviceCount(&count) != 0)
    count = 0;
  printf("{\"devices\":[");
  for (int i = 0; i < count; i++) {
    must(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
    printf("%s", i ? "," : "");
    print_uuid(&properties);
  }
  printf("],");
  print_variables();
  end_line();
}

static void info(void) {
  size_t free_bytes, total_bytes;
  must(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  printf("{\"freeMiB\":%zu,\"totalMiB\":%zu", free_bytes / MIB, total_bytes / MIB);
  end_line();
}

static void fill(char *at, unsigned char mark) {
  char pattern[PATTERN_BYTES];
  memset(pattern, mark, sizeof pattern);
  must(cudaMemcpy(at, pattern, sizeof pattern, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static void verify(const char *at, unsigned char mark) {
  char found[PATTERN_BYTES], pattern[PATTERN_BYTES];
  memset(pattern, mark, sizeof pattern);
  must(cudaMemcpy(found, at, sizeof found, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (memcmp(found, pattern, sizeof found) != 0)
    fail("verify", "the memory has not what was written to it");
}

static cudaError_t allocate(size_t mib) {
  void *memory;
  if (allocations == MAX_ALLOCATIONS)
    fail("alloc", "too many allocations");
  cudaError_t error = cudaMalloc(&memory, mib * MIB);
  if (error != 0)
    return error;
  struct allocation *a = &allocation[allocations++];
  *a = (struct allocation){memory, mib * MIB, (unsigned char)(getpid() + allocations)};
  fill(a->memory, a->mark);
  fill(a->memory + a->bytes - PATTERN_BYTES, a->mark);
  return 0;
}

static void verify_allocation(const struct allocation *a) {
  verify(a->memory, a->mark);
  verify(a->memory + a->bytes - PATTERN_BYTES, a->mark);
}

static void free_last(void) {
  if (allocations == 0)
    fail("free", "nothing is allocated");
  struct allocation *a = &allocation[--allocations];
  verify_allocation(a);
  must(cudaFree(a->memory), "cudaFree");
}

static size_t number(const char *text) {
  char *end;
  size_t value = strtoul(text, &end, 10);
  if (*end || end == text)
    fail(text, "not a number");
  return value;
}

static void try(const char *mib) {
  printf("{\"tried\":%d", (int)allocate(number(mib)));
  end_line();
}

static void reserve(const char *mib, const char *file) {
  void *library = dlopen(file, RTLD_NOW);
  int (*call)(int, uint64_t, int64_t) = NULL;
  if (library)
    *(void **)&call = dlsym(library, "schedgpu_reserve");
  if (!call)
    fail(file, "no schedgpu_reserve");
  if (call(0, number(mib) * MIB, -1) != 0)
    fail(mib, "schedgpu_reserve");
}

static void touch(const char *file) {
  int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    fail(file, "cannot be made");
  close(fd);
}

static void until(const char *file) {
  while (access(file, F_OK) != 0)
    nanosleep(&(struct timespec){0, POLL_NS}, NULL);
}

static int is(const char *word, const char *action) {
  return strcmp(word, action) == 0;
}

/* Does one action; returns how many words it took. */
static int act(char **words) {
  const char *value = words[1] ? words[1] : "";
  if (is(words[0], "show"))
    return show(), 1;
  if (is(words[0], "info"))
    return info(), 1;
  if (is(words[0], "free"))
    return free_last(), 1;
  if (is(words[0], "device"))
    return must(cudaSetDevice((int)number(value)), "cudaSetDevice"), 2;
  if (is(words[0], "alloc"))
    return must(allocate(number(value)), "cudaMalloc"), 2;
  if (is(words[0], "try"))
    return try(value), 2;
  if (is(words[0], "reserve"))
    return reserve(value, words[1] && words[2] ? words[2] : ""), 3;
  if (is(words[0], "touch"))
    return touch(value), 2;
  if (is(words[0], "until"))
    return until(value), 2;
  fail(words[0], "no such action");
  return 0;
}

int main(int count, char **arguments) {
  static char line[8192];
  setvbuf(stdout, line, _IOFBF, sizeof line);
  for (int i = 1; i < count;)
    i += act(arguments + i);
  for (int i = 0; i < allocations; i++)
    verify_allocation(&allocation[i]);
  return 0;
}
