/*
 * A program on the runtime API that knows nothing of schedGPU: linked with the shared runtimes and
 * with the one that ends up inside the executable. Obeys lines from stdin.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int cudaMalloc(void **address, size_t bytes);
int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);
int cudaFree(void *address);
int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
int cudaDeviceReset(void);
int cudaSetDevice(int device);

/* Version 12 and 13 name it differently; the part that is read here is the same. */
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

/* Through pointers: the sizes are written by the call that is the first argument. */
static void answer_sizes(int result, const size_t *one, const size_t *two) {
  printf("%d %zu %zu\n", result, *one, *two);
}

static int is(const char *line, const char *word) {
  return strncmp(line, word, strlen(word)) == 0 && strchr(" \n", line[strlen(word)]);
}

static void answer(const char *line) {
  long long a = 0, b = 0, c = 0;
  size_t one = 0, two = 0;
  sscanf(line, "%*s %lld %lld %lld", &a, &b, &c);
  if (is(line, "device"))
    printf("%d\n", cudaSetDevice((int)a));
  else if (is(line, "alloc"))
    printf("%d\n", cudaMalloc(&slot[a], (size_t)b));
  else if (is(line, "pitch"))
    answer_sizes(cudaMallocPitch(&slot[a], &one, (size_t)b, (size_t)c), &one, &two);
  else if (is(line, "managed"))
    printf("%d\n", cudaMallocManaged(&slot[a], (size_t)b, 1));
  else if (is(line, "async"))
    printf("%d\n", cudaMallocAsync(&slot[a], (size_t)b, NULL));
  else if (is(line, "free-async"))
    printf("%d\n", cudaFreeAsync(slot[a], NULL));
  else if (is(line, "free"))
    printf("%d\n", cudaFree(slot[a]));
  else if (is(line, "info"))
    answer_sizes(cudaMemGetInfo(&one, &two), &one, &two);
  else if (is(line, "total"))
    answer_sizes(total(&one), &one, &two);
  else if (is(line, "reset"))
    printf("%d\n", cudaDeviceReset());
  else
    printf("-2 what?\n");
}

int main(void) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
