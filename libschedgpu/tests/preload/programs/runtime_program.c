/*
 * A program on the runtime API that knows nothing of schedGPU: linked with the shared runtimes and
 * with the one that ends up inside the executable. Obeys lines from stdin.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef PER_THREAD
#define cudaMallocAsync cudaMallocAsync_ptsz
#define cudaFreeAsync cudaFreeAsync_ptsz
#endif

int cudaMalloc(void **address, size_t bytes);
int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);
int cudaFree(void *address);
int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaStreamCreate(void **stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);

/* The name depends on the version; the part that is read here is the same. */
int cudaGetDeviceProperties(void *properties, int device) __attribute__((weak));
int cudaGetDeviceProperties_v2(void *properties, int device) __attribute__((weak));
#define TOTAL_OFFSET 288 /* name[256], uuid[16], luid[8], luidDeviceNodeMask, padding */

static void *slot[16];

static int total(size_t *bytes) {
  static char properties[8192] __attribute__((aligned(16)));
  int result = (cudaGetDeviceProperties_v2 ? cudaGetDeviceProperties_v2
                                           : cudaGetDeviceProperties)(properties, 0);
  memcpy(bytes, properties + TOTAL_OFFSET, sizeof *bytes);
  return result;
}

/* A graph that allocates and frees, made by capture. */
static int launch_captured(size_t bytes) {
  void *stream, *block, *graph, *exec;
  int result = cudaStreamCreate(&stream);
  result = result ? result : cudaStreamBeginCapture(stream, 0);
  result = result ? result : cudaMallocAsync(&block, bytes, stream);
  result = result ? result : cudaFreeAsync(block, stream);
  result = result ? result : cudaStreamEndCapture(stream, &graph);
  result = result ? result : cudaGraphInstantiateWithFlags(&exec, graph, 0);
  return result ? result : cudaGraphLaunch(exec, stream);
}

static size_t one, two; /* what an answer says beside its result */

/* X(first word of a line, what it does; a to c are its numbers) */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("alloc", cudaMalloc(&slot[a], (size_t)b))                                                      \
  X("pitch", cudaMallocPitch(&slot[a], &one, (size_t)b, (size_t)c))                                \
  X("managed", cudaMallocManaged(&slot[a], (size_t)b, 1))                                          \
  X("async", cudaMallocAsync(&slot[a], (size_t)b, NULL))                                           \
  X("free-async", cudaFreeAsync(slot[a], NULL))                                                    \
  X("free", cudaFree(slot[a]))                                                                     \
  X("launch-captured", launch_captured((size_t)a))                                                 \
  X("info", cudaMemGetInfo(&one, &two))                                                            \
  X("total", total(&one))                                                                          \
  X("sync", cudaDeviceSynchronize())                                                               \
  X("reset", cudaDeviceReset())
// clang-format on

static void answer(const char *line) {
  char first[64] = "";
  long long a = 0, b = 0, c = 0;
  int result = -2; /* no such command */
  sscanf(line, "%63s %lld %lld %lld", first, &a, &b, &c);
  one = two = 0;
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    result = (action);
  COMMANDS(COMMAND)
#undef COMMAND
  printf("%d %zu %zu\n", result, one, two);
}

int main(void) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
