/*
 * A program on the driver API with contexts of all kinds: made the old way, attached to, green,
 * with limits and modules. It is linked with the driver, and obeys lines from stdin.
 */
#include "cuda_abi.h"
#include <stdio.h>
#include <string.h>

enum { SLOTS = 16 };
static CUdeviceptr slot[SLOTS];
static CUcontext primary, created, green_context;
static CUgreenCtx green[SLOTS];
static CUmodule module;
static size_t number; /* the second number of an answer */

static CUresult use_primary(int device) {
  CUresult result = cuDevicePrimaryCtxRetain(&primary, device);
  return result ? result : cuCtxSetCurrent(primary);
}

static CUresult use_green(int n) {
  CUresult result = cuCtxFromGreenCtx(&green_context, green[n]);
  return result ? result : cuCtxSetCurrent(green_context);
}

/* The program does not read the description of the resources. */
static CUresult make_green(int n, int device) {
  return cuGreenCtxCreate(&green[n], (CUdevResourceDesc)&green, device,
                          CU_GREEN_CTX_DEFAULT_STREAM);
}

static CUresult attach(void) {
  CUcontext current;
  return cuCtxAttach(&current, 0);
}

static int is_active(int device) {
  unsigned flags;
  int active = -1;
  cuDevicePrimaryCtxGetState(device, &flags, &active);
  return active;
}

/* X(first word of a line, what it does; a and b are its numbers) */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("init", cuInit(0))                                                                             \
  X("retain", use_primary((int)a))                                                                 \
  X("release", cuDevicePrimaryCtxRelease_v2((int)a))                                               \
  X("old-reset", cuDevicePrimaryCtxReset((int)a))                                                  \
  X("active", is_active((int)a))                                                                   \
  X("create", cuCtxCreate(&created, 0, (int)a))                                                    \
  X("destroy", cuCtxDestroy(created))                                                              \
  X("new-destroy", cuCtxDestroy_v2(created))                                                       \
  X("attach", attach())                                                                            \
  X("detach", cuCtxDetach(created))                                                                \
  X("detach-primary", cuCtxDetach(primary))                                                        \
  X("green", make_green((int)a, (int)b))                                                           \
  X("green-use", use_green((int)a))                                                                \
  X("green-destroy", cuGreenCtxDestroy(green[a]))                                                  \
  X("use-created", cuCtxSetCurrent(created))                                                       \
  X("leave", cuCtxSetCurrent(NULL))                                                                \
  X("limit", cuCtxSetLimit((CUlimit)a, (size_t)b))                                                 \
  X("limit-is", cuCtxGetLimit(&number, (CUlimit)a))                                                \
  X("module", cuModuleLoadData(&module, "any image"))                                              \
  X("unload", cuModuleUnload(module))                                                              \
  X("alloc", cuMemAlloc_v2(&slot[a], (size_t)b))                                                   \
  X("free", cuMemFree_v2(slot[a]))
// clang-format on

static void answer(const char *line) {
  char first[64] = "";
  long long a = 0, b = 0;
  int result = -2; /* no such command */
  sscanf(line, "%63s %lld %lld", first, &a, &b);
  number = 0;
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    result = (int)(action);
  COMMANDS(COMMAND)
#undef COMMAND
  printf("%d %zu\n", result, number);
}

int main(void) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
