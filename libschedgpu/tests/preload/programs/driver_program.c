/*
 * A program on the driver API that knows nothing of schedGPU. Its first argument says how it finds
 * the driver's functions; then it does what it reads from stdin, and answers each line with the
 * CUDA error, and what else there is to say.
 */
#include "cuda_abi.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OLDER_DLSYM
__asm__(".symver dlsym, dlsym@" OLDER_DLSYM);
#endif

/* X(member, exported name, base name, version) */
#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(Release, cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000)                     \
  X(Reset, cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000)                           \
  X(OldRelease, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", 7000)                      \
  X(Create2, cuCtxCreate_v2, "cuCtxCreate", 3020)                                                  \
  X(Create3, cuCtxCreate_v3, "cuCtxCreate", 11040)                                                 \
  X(Create4, cuCtxCreate_v4, "cuCtxCreate", 12050)                                                 \
  X(Destroy, cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                                \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(GetInfo, cuMemGetInfo_v2, "cuMemGetInfo", 3020)                                                \
  X(OldGetInfo, cuMemGetInfo, "cuMemGetInfo", 2000)                                                \
  X(OldTotalMem, cuDeviceTotalMem, "cuDeviceTotalMem", 2000)                                       \
  X(TotalMem, cuDeviceTotalMem_v2, "cuDeviceTotalMem", 3020)                                       \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(AllocPitch, cuMemAllocPitch_v2, "cuMemAllocPitch", 3020)                                       \
  X(AllocManaged, cuMemAllocManaged, "cuMemAllocManaged", 6000)                                    \
  X(Free, cuMemFree_v2, "cuMemFree", 3020)                                                         \
  X(AllocAsync, cuMemAllocAsync, "cuMemAllocAsync", 11020)                                         \
  X(AllocFromPool, cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", 11020)                      \
  X(FreeAsync, cuMemFreeAsync, "cuMemFreeAsync", 11020)                                            \
  X(DefaultPool, cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", 11020)                    \
  X(CreateMemory, cuMemCreate, "cuMemCreate", 10020)                                               \
  X(ReleaseMemory, cuMemRelease, "cuMemRelease", 10020)

static struct {
#define MEMBER(member, name, base, version) __typeof__(&name) member;
  FUNCTIONS(MEMBER)
#undef MEMBER
} cu;

typedef void *(*finder)(const char *name, const char *base, int version);
static void *library;
static __typeof__(&cuGetProcAddress) get1;
static __typeof__(&cuGetProcAddress_v2) get2;
static cuuint64_t flags;

static void *by_handle(const char *name, const char *base, int version) {
  (void)base, (void)version;
  return dlsym(library, name);
}
static void *by_default(const char *name, const char *base, int version) {
  (void)base, (void)version;
  return dlsym(RTLD_DEFAULT, name);
}
static void *by_next(const char *name, const char *base, int version) {
  (void)base, (void)version;
  return dlsym(RTLD_NEXT, name);
}
static void *by_get1(const char *name, const char *base, int version) {
  (void)name;
  void *found = NULL;
  return get1(base, &found, version, flags) ? NULL : found;
}
static void *by_get2(const char *name, const char *base, int version) {
  (void)name;
  void *found = NULL;
  CUdriverProcAddressQueryResult status;
  return get2(base, &found, version, flags, &status) ? NULL : found;
}
/* As the runtime may do through the driver's export tables: creates contexts that no hook sees. */
static void *by_handle_contexts_hidden(const char *name, const char *base, int version) {
  static void *(*libc_dlsym)(void *, const char *);
#ifdef __GLIBC__
  if (!libc_dlsym)
    libc_dlsym = (void *(*)(void *, const char *))dlvsym(dlopen("libc.so.6", RTLD_NOW), "dlsym",
                                                         "GLIBC_2.34");
#endif
  int makes_context = strstr(name, "Retain") || strstr(name, "cuCtxCreate");
  return makes_context ? libc_dlsym(library, name) : by_handle(name, base, version);
}
#ifdef LINKED
static void *by_link(const char *name, const char *base, int version) {
  (void)base, (void)version;
#define ADDRESS(member, exported, b, v)                                                            \
  if (strcmp(name, #exported) == 0)                                                                \
    return (void *)exported;
  FUNCTIONS(ADDRESS)
#undef ADDRESS
  return NULL;
}
#endif

static finder finder_of(const char *how) {
  int global = strcmp(how, "default") == 0 || strcmp(how, "next") == 0;
#ifdef LINKED
  if (strcmp(how, "linked") == 0)
    return by_link;
#endif
  library = dlopen("libcuda.so.1", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!library)
    return NULL;
  get1 = (__typeof__(get1))dlsym(library, "cuGetProcAddress");
  get2 = (__typeof__(get2))dlsym(library, "cuGetProcAddress_v2");
  if (strcmp(how, "handle") == 0)
    return by_handle;
  if (strcmp(how, "hidden-contexts") == 0)
    return by_handle_contexts_hidden;
  if (strcmp(how, "default") == 0)
    return by_default;
  if (strcmp(how, "next") == 0)
    return by_next;
  if (strcmp(how, "get1") == 0)
    return by_get1;
  if (strcmp(how, "get2") == 0)
    return by_get2;
  if (strcmp(how, "per-thread") == 0) {
    flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    return by_get2;
  }
  if (strcmp(how, "get-itself") == 0) { /* as the runtime does */
    get1 = (__typeof__(get1))by_get2(NULL, "cuGetProcAddress", 11030);
    get2 = (__typeof__(get2))by_get2(NULL, "cuGetProcAddress", 12000);
    return by_get1;
  }
  return NULL;
}

static int find_all(const char *how) {
  finder find = finder_of(how);
  if (!find)
    return -1;
#define FIND(member, name, base, version)                                                          \
  cu.member = (__typeof__(cu.member))find(#name, base, version);                                   \
  if (!cu.member)                                                                                  \
    fprintf(stderr, "not found: %s\n", #name);
  FUNCTIONS(FIND)
#undef FIND
  return cu.Alloc && cu.Init ? 0 : -1;
}

enum { SLOTS = 256 };
static CUdeviceptr slot[SLOTS];
static CUcontext primary, created;

static const char *name_of(void *address) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_sname ? info.dli_sname : "?";
}

static const char *file_of(void *address) {
  Dl_info info;
  if (!dladdr(address, &info))
    return "?";
  const char *slash = strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

/* The other numbers of an answer. */
static size_t one, two;
static char text[128];

static int describe(void *address) {
  snprintf(text, sizeof text, "%s %s", name_of(address), file_of(address));
  return address == NULL;
}

/* The library that contains the function of a member of `cu`. */
static int where(const char *member) {
#define WHERE(m, name, base, version)                                                              \
  if (strcmp(member, #m) == 0)                                                                     \
    return describe((void *)cu.m);
  FUNCTIONS(WHERE)
#undef WHERE
  return -1;
}

/* The result of the driver's own look-up for a base name and a version. */
static int ask(const char *base, int version) {
  return describe(by_get2(NULL, base, version));
}

/* A counter in a loaded library. */
static int count(const char *name) {
  int *counter = dlsym(RTLD_DEFAULT, name);
  return counter ? *counter : -1;
}

static int call_plugin(const char *function) {
  void *plugin = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  int (*call)(size_t) = plugin ? (int (*)(size_t))dlsym(plugin, function) : NULL;
  return call ? call(1 << 20) : -1;
}

/* Closes and opens the driver, as runtimes do at their end and next start. */
static int reopen_driver(void) {
  return dlclose(library) || !(library = dlopen("libcuda.so.1", RTLD_NOW));
}

/* --- threads --- */
struct work {
  int number, rounds;
  size_t bytes;
  int failures;
};

static void *churn(void *argument) {
  struct work *w = argument;
  cu.SetCurrent(primary);
  for (int i = 0; i < w->rounds; i++) {
    CUdeviceptr a = 0, b = 0;
    w->failures += cu.Alloc(&a, w->bytes + (size_t)i) != 0;
    w->failures += cu.AllocManaged(&b, w->bytes, 1) != 0;
    w->failures += cu.Free(a) != 0;
    w->failures += cu.Free(b) != 0;
  }
  w->failures += cu.Alloc(&slot[w->number], w->bytes) != 0;
  return NULL;
}

/* Each thread allocates and frees for `rounds`, and keeps one block in the slot of its number. */
static int churn_all(int threads, int rounds, size_t bytes) {
  static pthread_t thread[SLOTS];
  static struct work work[SLOTS];
  int failures = 0;
  for (int i = 0; i < threads; i++) {
    work[i] = (struct work){i, rounds, bytes, 0};
    pthread_create(&thread[i], NULL, churn, &work[i]);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(thread[i], NULL);
    failures += work[i].failures;
  }
  return failures;
}

static void *free_block(void *argument) {
  cu.SetCurrent(primary);
  return (void *)(intptr_t)cu.Free(*(CUdeviceptr *)argument);
}

static int free_in_thread(int n) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, NULL, free_block, &slot[n]);
  pthread_join(thread, &result);
  return (int)(intptr_t)result;
}

static void *retain_in_thread(void *argument) {
  return (void *)(intptr_t)cu.Retain(&primary, *(int *)argument);
}

/* Leaves a running thread that requests the context of a device. */
static int start_retaining(int device) {
  static pthread_t thread;
  static int wanted;
  wanted = device;
  return pthread_create(&thread, NULL, retain_in_thread, &wanted);
}

/* --- a forked child: CUDA's answers in it --- */
static int use_in_fork(CUdeviceptr inherited) {
  int out[2], result[3] = {-1, -1, -1};
  if (pipe(out) != 0)
    exit(3);
  pid_t pid = fork();
  if (pid == 0) {
    CUdeviceptr own;
    result[0] = cu.Free(inherited);
    result[1] = cu.Alloc(&own, 1 << 20);
    result[2] = cu.Retain(&primary, 0);
    _exit(write(out[1], result, sizeof result) != sizeof result);
  }
  if (read(out[0], result, sizeof result) != sizeof result)
    exit(3);
  waitpid(pid, NULL, 0);
  snprintf(text, sizeof text, "%d %d %d", result[0], result[1], result[2]);
  return 0;
}

/* --- commands --- */
static CUresult allocate_physical(int n, size_t bytes, int location, int device) {
  CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location = {(CUmemLocationType)location, device}};
  CUmemGenericAllocationHandle handle = 0;
  CUresult result = cu.CreateMemory(&handle, bytes, &properties, 0);
  if (result == CUDA_SUCCESS)
    slot[n] = handle;
  return result;
}

static CUresult allocate_from_pool(int n, size_t bytes) {
  CUmemoryPool pool;
  CUresult result = cu.DefaultPool(&pool, 0);
  return result ? result : cu.AllocFromPool(&slot[n], bytes, pool, NULL);
}

static CUresult begin(int device) {
  CUresult result = cu.Init(0);
  if (result == CUDA_SUCCESS)
    result = cu.Retain(&primary, device);
  return result ? result : cu.SetCurrent(primary);
}

/* The version with 32 bits. */
static CUresult old_info(size_t *free_bytes, size_t *total_bytes) {
  unsigned available = 0, all = 0;
  CUresult result = cu.OldGetInfo(&available, &all);
  *free_bytes = available;
  *total_bytes = all;
  return result;
}

static CUresult old_total(size_t *total_bytes, int device) {
  unsigned all = 0;
  CUresult result = cu.OldTotalMem(&all, device);
  *total_bytes = all;
  return result;
}

static CUresult create(int version, int device) {
  switch (version) {
  case 2:
    return cu.Create2(&created, 0, device);
  case 3:
    return cu.Create3(&created, NULL, 0, 0, device);
  default:
    return cu.Create4(&created, NULL, 0, device);
  }
}

/* X(first word of a line, what it does; a to d are its numbers, word is its second word) */
// clang-format off
#define COMMANDS(X)                                                                                \
  X("init", cu.Init(0))                                                                            \
  X("begin", begin((int)a))                                                                        \
  X("retain", cu.Retain(&primary, (int)a))                                                         \
  X("retain-in-thread", start_retaining((int)a))                                                   \
  X("release", cu.Release((int)a))                                                                 \
  X("old-release", cu.OldRelease((int)a))                                                          \
  X("reset", cu.Reset((int)a))                                                                     \
  X("create", create((int)a, (int)b))                                                              \
  X("destroy", cu.Destroy(created))                                                                \
  X("use-primary", cu.SetCurrent(primary))                                                         \
  X("alloc", cu.Alloc(&slot[a], (size_t)b))                                                        \
  X("managed", cu.AllocManaged(&slot[a], (size_t)b, 1))                                            \
  X("pitch", cu.AllocPitch(&slot[a], &one, (size_t)b, (size_t)c, 4))                               \
  X("async", cu.AllocAsync(&slot[a], (size_t)b, NULL))                                             \
  X("pool", allocate_from_pool((int)a, (size_t)b))                                                 \
  X("physical", allocate_physical((int)a, (size_t)b, (int)c, (int)d))                              \
  X("free", cu.Free(slot[a]))                                                                      \
  X("free-address", cu.Free((CUdeviceptr)a))                                                       \
  X("free-async", cu.FreeAsync(slot[a], NULL))                                                     \
  X("free-physical", cu.ReleaseMemory(slot[a]))                                                    \
  X("free-in-thread", free_in_thread((int)a))                                                      \
  X("info", cu.GetInfo(&one, &two))                                                                \
  X("total", cu.TotalMem(&one, (int)a))                                                            \
  X("old-info", old_info(&one, &two))                                                              \
  X("old-total", old_total(&one, (int)a))                                                          \
  X("threads", churn_all((int)a, (int)b, (size_t)c))                                               \
  X("fork", use_in_fork(slot[a]))                                                                  \
  X("where", where(word))                                                                          \
  X("ask", ask(word, (int)b))                                                                      \
  X("count", count(word))                                                                          \
  X("plugin", call_plugin(word))                                                                   \
  X("reopen", reopen_driver())
// clang-format on

static void answer(const char *line) {
  char first[64] = "", words[4][64] = {""};
  sscanf(line, "%63s %63s %63s %63s %63s", first, words[0], words[1], words[2], words[3]);
  long long a = atoll(words[0]), b = atoll(words[1]), c = atoll(words[2]), d = atoll(words[3]);
  const char *word = words[0];
  int result = -2; /* no such command */
  one = two = 0;
  text[0] = '\0';
#define COMMAND(name, action)                                                                      \
  if (strcmp(first, name) == 0)                                                                    \
    result = (int)(action);
  COMMANDS(COMMAND)
#undef COMMAND
  if (text[0])
    printf("%d %s\n", result, text);
  else
    printf("%d %zu %zu\n", result, one, two);
}

int main(int argc, char **argv) {
  char line[256];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2 || find_all(argv[1]) != 0) {
    printf("-1 cannot find the driver\n");
    return 2;
  }
  while (fgets(line, sizeof line, stdin))
    answer(line);
  return 0;
}
