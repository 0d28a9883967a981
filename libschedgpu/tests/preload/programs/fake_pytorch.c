/*
 * fake_pytorch.c - a FAKE of PyTorch's caching allocator, and not PyTorch. It keeps what the
 * program frees. When the driver reports out of memory, it frees everything that it keeps, and
 * calls the driver once more. Obeys lines from stdin. Each answer has the CUDA error, the number of
 * calls of the driver, and the number of bytes kept.
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 16 };
static struct block {
  CUdeviceptr address;
  size_t bytes;
  int is_free; /* kept for the next allocation of its size */
} block[SLOTS];
static int asked;
static int (*through_pytorch)(CUresult (*)(CUdeviceptr *, size_t), CUdeviceptr *, size_t);

static int import(void) {
  void *library = dlopen(PYTORCH_PATH, RTLD_NOW | RTLD_LOCAL);
  *(void **)&through_pytorch = library ? dlsym(library, "fake_ask") : NULL;
  return through_pytorch == NULL;
}

static size_t kept(void) {
  size_t bytes = 0;
  for (int i = 0; i < SLOTS; i++)
    bytes += block[i].is_free ? block[i].bytes : 0;
  return bytes;
}

static void empty_cache(void) {
  for (int i = 0; i < SLOTS; i++)
    if (block[i].is_free && cuMemFree_v2(block[i].address) == CUDA_SUCCESS)
      block[i] = (struct block){0};
}

static CUresult ask(int n, size_t bytes, int by_itself) {
  asked++;
  CUresult result = by_itself || !through_pytorch
                        ? cuMemAlloc_v2(&block[n].address, bytes)
                        : (CUresult)through_pytorch(cuMemAlloc_v2, &block[n].address, bytes);
  if (result == CUDA_SUCCESS)
    block[n] = (struct block){block[n].address, bytes, 0};
  return result;
}

static CUresult ask_driver(int n, size_t bytes) {
  return ask(n, bytes, 0);
}

/* As a library that has nothing to do with PyTorch, such as cuBLAS. */
static CUresult ask_by_itself(int n, size_t bytes) {
  return ask(n, bytes, 1);
}

static CUresult allocate(int n, size_t bytes) {
  for (int i = 0; i < SLOTS; i++)
    if (block[i].is_free && block[i].bytes == bytes) {
      block[n] = (struct block){block[i].address, bytes, 0};
      block[i] = (struct block){0};
      return CUDA_SUCCESS;
    }
  CUresult result = ask_driver(n, bytes);
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    return result;
  empty_cache();
  return ask_driver(n, bytes);
}

/* --- one call of the driver by another thread --- */
static CUcontext context;
static size_t thread_bytes;

static void *ask_in_thread(void *result) {
  cuCtxSetCurrent(context);
  *(CUresult *)result = ask_driver(SLOTS - 1, thread_bytes);
  return NULL;
}

static CUresult raw_in_thread(size_t bytes) {
  pthread_t thread;
  CUresult result;
  thread_bytes = bytes;
  pthread_create(&thread, NULL, ask_in_thread, &result);
  pthread_join(thread, NULL);
  return result;
}

static CUresult begin(int device) {
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS)
    result = cuDevicePrimaryCtxRetain(&context, device);
  return result ? result : cuCtxSetCurrent(context);
}

static int keep(int n) {
  block[n].is_free = 1;
  return 0;
}

/* X(first word of a line, what it does; a and b are its numbers) */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("import", import())                                                                            \
  X("begin", begin((int)a))                                                                        \
  X("alloc", allocate((int)a, (size_t)b))                                                          \
  X("raw", ask_driver((int)a, (size_t)b))                                                          \
  X("by-itself", ask_by_itself((int)a, (size_t)b))                                                 \
  X("raw-in-thread", raw_in_thread((size_t)a))                                                     \
  X("free", keep((int)a))                                                                          \
  X("empty", (empty_cache(), 0))
// clang-format on

static void answer(const char *line) {
  char first[64] = "";
  long long a = 0, b = 0;
  int result = -2; /* no such command */
  asked = 0;
  sscanf(line, "%63s %lld %lld", first, &a, &b);
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    result = (int)(action);
  COMMANDS(COMMAND)
#undef COMMAND
  printf("%d %d %zu\n", result, asked, kept());
}

int main(void) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
