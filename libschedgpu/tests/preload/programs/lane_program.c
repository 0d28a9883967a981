/*
 * A program of a lane job that uses the memory of its shared lane, and one that tries to get it as
 * a stranger. Unlike the other programs it knows of schedGPU.
 */
#include "commands.h"
#include "schedgpu/schedgpu.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define NO_LIBRARY (-99)

#define FUNCTIONS(X)                                                                               \
  X(Init, cuInit, "cuInit", 2000)                                                                  \
  X(Retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000)                            \
  X(SetCurrent, cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                          \
  X(Alloc, cuMemAlloc_v2, "cuMemAlloc", 3020)                                                      \
  X(Free, cuMemFree_v2, "cuMemFree", 3020)                                                         \
  X(Fill, cuMemsetD8_v2, "cuMemsetD8", 3020)                                                       \
  X(Info, cuMemGetInfo_v2, "cuMemGetInfo", 3020)                                                   \
  X(ToHost, cuMemcpyDtoH_v2, "cuMemcpyDtoH", 3020)

static struct { FUNCTIONS(MEMBER) } cu;

static void find_all(void) {
  FUNCTIONS(FIND)
}

static CUcontext primary;
static CUdeviceptr block[8];
static uint64_t lane_at, lane_bytes;

static void (*function(const char *name))(void) {
  typedef void (*any)(void);
  any (*lookup)(const char *) =
      (any(*)(const char *))dlsym(RTLD_DEFAULT, "schedgpu_preload_function");
  return lookup ? lookup(name) : NULL;
}

static CUresult begin(int device) {
  CUresult result = cu.Init(0);
  if (result == CUDA_SUCCESS)
    result = cu.Retain(&primary, device);
  return result ? result : cu.SetCurrent(primary);
}

static int with_device(const char *name, long long device) {
  int (*call)(int) = (int (*)(int))function(name);
  return call ? call((int)device) : NO_LIBRARY;
}

static int turn(long long timeout_ns) {
  int (*call)(int, int64_t) = (int (*)(int, int64_t))function("iteration_begin");
  return call ? call(0, timeout_ns) : NO_LIBRARY;
}

static int lane(void) {
  schedgpu_lane_memory_function call = (schedgpu_lane_memory_function)function("lane_memory");
  int result = call ? call(0, &lane_at, &lane_bytes) : NO_LIBRARY;
  also = lane_bytes;
  return result;
}

static CUresult read_byte(long long offset) {
  unsigned char byte = 0;
  CUresult result = cu.ToHost(&byte, lane_at + (uint64_t)offset, 1);
  also = byte;
  return result;
}

static CUresult see_free(void) {
  size_t left = 0, total;
  CUresult result = cu.Info(&left, &total);
  also = left;
  return result;
}

/* Two threads allocate at the same time; the number of those that fail. */
static size_t of_each;

static void *allocate(void *unused) {
  CUdeviceptr own;
  (void)unused;
  CUresult result = cu.SetCurrent(primary);
  return (void *)(intptr_t)(result != CUDA_SUCCESS || cu.Alloc(&own, of_each) != CUDA_SUCCESS);
}

static int allocate_by_two(size_t bytes) {
  of_each = bytes;
  return begin_threads(2, allocate);
}

/* Counts the bytes of the lane that are not zero. */
static CUresult read_all(void) {
  static unsigned char bytes[2 << 20];
  for (uint64_t at = 0; at < lane_bytes; at += sizeof bytes) {
    CUresult result = cu.ToHost(bytes, lane_at + at, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
      also += bytes[i] != 0;
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

/* Asks a door for the first piece, as the library does. Answers how many bytes came; also: whether
 * there was a descriptor. */
static int knock(long long door, long long lane_number) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  uint32_t wish[3] = {(uint32_t)lane_number, 0, 1}, word = 0;
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec text = {&word, sizeof word};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%05x", (unsigned)door - 1);
  if (connect(connection, (struct sockaddr *)&address,
              offsetof(struct sockaddr_un, sun_path) + 6) != 0)
    return -1;
  int result = -2;
  if (send(connection, wish, sizeof wish, MSG_NOSIGNAL) == sizeof wish)
    result = (int)recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  also = result > 0 && message.msg_controllen != 0;
  close(connection);
  return result;
}

/* PyTorch's way. Answers the offset in the lane. */
static void *taken[8];

static int take(long long n, long long mib) {
  void *(*call)(ssize_t, int, void *) =
      (void *(*)(ssize_t, int, void *))dlsym(RTLD_DEFAULT, "schedgpu_lane_allocate");
  taken[n] = call ? call((ssize_t)mib << 20, 0, NULL) : NULL;
  lane();
  also = taken[n] ? (unsigned long long)((uint64_t)(uintptr_t)taken[n] - lane_at) >> 20 : 0;
  return taken[n] ? 0 : 2;
}

static int give(long long n) {
  void (*call)(void *, ssize_t, int, void *) =
      (void (*)(void *, ssize_t, int, void *))dlsym(RTLD_DEFAULT, "schedgpu_lane_free");
  if (call)
    call(taken[n], 0, 0, NULL);
  return call ? 0 : NO_LIBRARY;
}

static pid_t forked;

/* A child that does nothing, and keeps what it inherited. */
static int fork_idle(void) {
  forked = fork();
  if (forked == 0) {
    alarm(300); /* only a child that is forgotten is ended by this */
    pause();
    _exit(0);
  }
  also = (unsigned long long)forked;
  return forked < 0;
}

// clang-format off
#define COMMANDS(X)                                                                                \
  X("begin", begin((int)n[0]))                                                                     \
  X("used", (also = used_on_device(), 0))                                                          \
  X("share", with_device("lane_share", n[0]))                                                      \
  X("turn", turn(n[0]))                                                                            \
  X("end", with_device("iteration_end", n[0]))                                                     \
  X("wanted", with_device("turn_wanted", n[0]))                                                    \
  X("lane", lane())                                                                                \
  X("alloc", cu.Alloc(&block[n[0]], (size_t)n[1] * MIB))                                           \
  X("alloc-by-two", allocate_by_two((size_t)n[0] * MIB))                                           \
  X("free", cu.Free(block[n[0]]))                                                                  \
  X("fill", cu.Fill(lane_at + (uint64_t)n[0], (unsigned char)n[2], (size_t)n[1]))                  \
  X("read", read_byte(n[0]))                                                                       \
  X("read-all", read_all())                                                                        \
  X("free-bytes", see_free())                                                                      \
  X("take", take(n[0], n[1]))                                                                      \
  X("give", give(n[0]))                                                                            \
  X("fork", fork_idle())                                                                           \
  X("knock", knock(n[0], n[1]))
// clang-format on

static int obey(const char *first, const long long *n) {
  COMMANDS(COMMAND)
  return -1000;
}
