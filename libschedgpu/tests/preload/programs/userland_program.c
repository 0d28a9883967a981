/*
 * userland_program.c - asks NVIDIA's own libcuda and NVML, on a machine without a GPU, and prints
 * all answers. `lookups FILE...`: by dlsym and cuGetProcAddress, for each name in the files.
 * `calls`: what functions return, before and after cuInit and in a forked child.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNTOUCHED ((void *)0x51)
#define MIB ((uintptr_t)1 << 20)
#define MOST 11

typedef int (*get1_function)(const char *, void **, int, uint64_t);
typedef int (*get2_function)(const char *, void **, int, uint64_t, int *);
/* Enough arguments for all: a callee reads those that it knows. */
typedef int (*any_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                            uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void *cuda, *nvml;

/* "driver cuMemAlloc_v2", or the name of another file; an offset where no symbol is. */
static const char *place(void *function) {
  static char text[300];
  Dl_info info;
  if (!function || function == UNTOUCHED)
    return function ? "untouched" : "NULL";
  if (!dladdr(function, &info))
    return "unknown";
  const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
  if (info.dli_sname && info.dli_saddr == function)
    snprintf(text, sizeof text, "%s %s", file, info.dli_sname);
  else
    snprintf(text, sizeof text, "%s +%lx", file,
             (unsigned long)((char *)function - (char *)info.dli_fbase));
  return text;
}

static void look_up(get1_function get1, get2_function get2, const char *name, int version,
                    uint64_t flags) {
  void *function = UNTOUCHED;
  int status = -7, error = get1(name, &function, version, flags);
  printf("get1 %s %d %d: %d, %s\n", name, version, (int)flags, error, place(function));
  function = UNTOUCHED;
  error = get2(name, &function, version, flags, &status);
  printf("get2 %s %d %d: %d %d, %s\n", name, version, (int)flags, error, status, place(function));
}

static int lookups(char **files) {
  static const int versions[] = {-1,    0,     2000,  3020,  4000,  6000,  7000,
                                 9000,  10000, 11000, 11030, 11040, 11080, 12000,
                                 12010, 12020, 12030, 12040, 12050, 12080, 13000};
  get1_function get1 = (get1_function)dlsym(cuda, "cuGetProcAddress");
  get2_function get2 = (get2_function)dlsym(cuda, "cuGetProcAddress_v2");
  for (; *files; files++) {
    char name[128];
    FILE *file = fopen(*files, "r");
    while (file && fscanf(file, "%127s", name) == 1) {
      printf("dlsym %s: %s\n", name,
             place(dlsym(strncmp(name, "nvml", 4) == 0 ? nvml : cuda, name)));
      for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        for (uint64_t flags = 0; flags < 5; flags++)
          look_up(get1, get2, name, versions[i], flags);
    }
    if (!file || fclose(file))
      return 1;
  }
  return 0;
}

static uint64_t a[512], b[512];
#define A ((uintptr_t)a)
#define B ((uintptr_t)b)
static const struct {
  const char *name;
  uintptr_t argument[MOST];
} calls[] = {
    {"cuDriverGetVersion", {A}},
    {"cuDeviceGetCount", {A}},
    {"cuMemAlloc_v2", {A, MIB}},
    {"cuMemGetInfo_v2", {A, B}},
    {"cuMemFree_v2", {0}},
    {"cuInit", {0}},
    {"cuInit", {0}},
    {"cuDriverGetVersion", {A}},
    {"cuDeviceGetCount", {A}},
    {"cuDeviceGet", {A}},
    {"cuDeviceTotalMem_v2", {A}},
    {"cuDeviceGetName", {A, 255}},
    {"cuDeviceGetUuid_v2", {A}},
    {"cuDevicePrimaryCtxRetain", {A}},
    {"cuCtxCreate_v2", {A}},
    {"cuCtxGetCurrent", {A}},
    {"cuCtxSynchronize", {0}},
    {"cuCtxSetCurrent", {0}},
    {"cuMemAlloc_v2", {A, MIB}},
    {"cuMemAllocManaged", {A, MIB, 1}},
    {"cuMemAllocPitch_v2", {A, B, 100, 100, 4}},
    {"cuMemAllocAsync", {A, MIB}},
    {"cuMemCreate", {A, 2 * MIB, B}},
    {"cuMemRelease", {0}},
    {"cuMemUnmap", {0, 2 * MIB}},
    {"cuMemAddressReserve", {A, 2 * MIB}},
    {"cuArrayCreate_v2", {A, B}},
    {"cuMemFree_v2", {0x1000}},
    {"cuMemGetInfo_v2", {A, B}},
    {"cuMemHostAlloc", {A, 4096}},
    {"cuMemPoolCreate", {A, B}},
    {"cuMemPoolDestroy", {0}},
    {"cuDeviceGetDefaultMemPool", {A}},
    {"cuStreamCreate", {A}},
    {"cuStreamSynchronize", {0}},
    {"cuLaunchKernel", {0, 1, 1, 1, 1, 1, 1}},
    {"cuGraphCreate", {A}},
    {"cuDeviceGraphMemTrim", {0}},
    {"cuDevicePrimaryCtxReset_v2", {0}},
    {"cuDevicePrimaryCtxRelease_v2", {0}},
    {"cuCtxDestroy_v2", {0}},
    {"cuCtxSetLimit", {2, MIB}},
    {"nvmlDeviceGetCount_v2", {A}},
    {"nvmlInit_v2", {0}},
    {"nvmlInitWithFlags", {0}},
    {"nvmlDeviceGetHandleByIndex_v2", {0, A}},
    {"nvmlDeviceGetMemoryInfo", {0, A}},
    {"nvmlDeviceGetComputeRunningProcesses_v3", {0, A, B}},
    {"nvmlSystemGetDriverVersion", {A, 255}},
    {"nvmlShutdown", {0}},
};

static void call_all(void) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const char *name = calls[i].name;
    const uintptr_t *v = calls[i].argument;
    any_function function = (any_function)dlsym(name[0] == 'n' ? nvml : cuda, name);
    memset(a, 0x5a, sizeof a);
    memset(b, 0, sizeof b);
    int result =
        function ? function(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]) : -1;
    printf("%s: %d %llx %llx\n", name, result, (unsigned long long)a[0], (unsigned long long)b[0]);
  }
  fflush(stdout);
}

int main(int count, char **words) {
  cuda = dlopen("libcuda.so.1", RTLD_NOW);
  nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!cuda || !nvml || count < 2) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  if (strcmp(words[1], "lookups") == 0)
    return lookups(words + 2);
  call_all();
  pid_t child = fork();
  if (child == 0) {
    call_all();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  printf("child %d\n", status);
  return 0;
}
