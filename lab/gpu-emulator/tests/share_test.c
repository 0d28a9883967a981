/* share_test.c - memory of cuMemCreate that several processes use: real processes, and descriptors
 * that go through UNIX sockets. */
#include "driver_support.h"
#include "emulated_gpu.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define DESCRIPTOR CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
enum { GRAIN = 2 << 20 };

static struct gate ready, go_on;
static int wire[2]; /* sockets, made before the processes */

static int set_up(void **state) {
  gate_make(&ready);
  gate_make(&go_on);
  return socketpair(AF_UNIX, SOCK_DGRAM, 0, wire) ? -1 : setup_state(state);
}

static int tear_down(void **state) {
  for (int i = 0; i < 2; i++) {
    close(wire[i]);
    close(ready.ends[i]);
    close(go_on.ends[i]);
  }
  return teardown_state(state);
}

/* --- descriptors through the sockets --- */
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

static void send_descriptor(int descriptor) {
  union control control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec text = {"", 1};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  REQUIRE_EQUAL(sendmsg(wire[0], &message, 0), 1);
}

static int receive_descriptor(void) {
  union control control;
  char byte;
  int descriptor = -1;
  struct iovec text = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  REQUIRE_EQUAL(recvmsg(wire[1], &message, MSG_CMSG_CLOEXEC), 1);
  memcpy(&descriptor, CMSG_DATA(&control.header), sizeof descriptor);
  return descriptor;
}

/* --- calls of the driver --- */
static CUmemAllocationProp properties(int type) {
  return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .requestedHandleTypes = (CUmemAllocationHandleType)type,
                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
}

static CUmemGenericAllocationHandle create(size_t bytes, int type) {
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp wanted = properties(type);
  OK(cuMemCreate(&handle, bytes, &wanted, 0));
  return handle;
}

static int export_of(CUmemGenericAllocationHandle handle) {
  int descriptor;
  OK(cuMemExportToShareableHandle(&descriptor, handle, DESCRIPTOR, 0));
  return descriptor;
}

static CUresult import(CUmemGenericAllocationHandle *handle, int descriptor) {
  return cuMemImportFromShareableHandle(handle, (void *)(intptr_t)descriptor, DESCRIPTOR);
}

static CUmemGenericAllocationHandle imported(int descriptor) {
  CUmemGenericAllocationHandle handle;
  OK(import(&handle, descriptor));
  return handle;
}

static char *map(CUmemGenericAllocationHandle handle, size_t bytes) {
  CUdeviceptr address;
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  OK(cuMemMap(address, bytes, 0, handle, 0));
  OK(cuMemSetAccess(address, bytes, &access, 1));
  return (char *)address;
}

static void unmap(char *address, size_t bytes) {
  OK(cuMemUnmap((CUdeviceptr)address, bytes));
}

/* Maps the memory of the descriptor that comes next, and keeps nothing else of it. */
static char *map_received(size_t bytes) {
  int descriptor = receive_descriptor();
  CUmemGenericAllocationHandle handle = imported(descriptor);
  close(descriptor);
  char *address = map(handle, bytes);
  OK(cuMemRelease(handle));
  return address;
}

/* --- what NVML says --- */
static nvmlDevice_t nvml_device(void) {
  nvmlDevice_t device;
  REQUIRE_EQUAL(nvmlInit_v2(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  return device;
}

static uint64_t used_bytes(void) {
  nvmlMemory_t memory;
  REQUIRE_EQUAL(nvmlDeviceGetMemoryInfo(nvml_device(), &memory), NVML_SUCCESS);
  return memory.used;
}

static uint64_t used_by(int pid) {
  nvmlProcessInfo_t info[8];
  unsigned count = 8;
  REQUIRE_EQUAL(nvmlDeviceGetComputeRunningProcesses_v3(nvml_device(), &count, info), NVML_SUCCESS);
  for (unsigned i = 0; i < count; i++)
    if ((int)info[i].pid == pid)
      return info[i].usedGpuMemory;
  return 0;
}

static void nothing_is_used(void) {
  REQUIRE_EQUAL(used_bytes(), 0);
}

static void one_grain_is_used(void) {
  REQUIRE_EQUAL(used_bytes(), GRAIN);
}

static void kill_and_reap(int pid) {
  int status;
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* --- content and accounting --- */
static void write_and_wait(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(2 * GRAIN, DESCRIPTOR);
  char *address = map(handle, 2 * GRAIN);
  strcpy(address + GRAIN, "from the maker");
  send_descriptor(export_of(handle));
  gate_pass(&go_on);
  REQUIRE(!strcmp(address + 1, "from the user"));
}

static int maker_pid;

static void read_and_answer(void) {
  use_device(0);
  char *address = map_received(2 * GRAIN);
  REQUIRE(!strcmp(address + GRAIN, "from the maker"));
  strcpy(address + 1, "from the user");
  REQUIRE_EQUAL(used_bytes(), 2 * 64 * MIB + 2 * GRAIN);
  REQUIRE_EQUAL(used_by(maker_pid), 64 * MIB + 2 * GRAIN);
  REQUIRE_EQUAL(used_by(getpid()), 64 * MIB);
  REQUIRE_EQUAL(free_bytes(), (1024 - 2 * 64) * MIB - 2 * GRAIN);
  gate_open(&go_on);
}

static void two_processes_see_one_memory_that_counts_once(void **unused) {
  (void)unused;
  maker_pid = start_child(write_and_wait);
  assert_in_child(read_and_answer);
  assert_child_ends_well(maker_pid);
  assert_in_child(nothing_is_used);
}

static void outlive_the_maker(void) {
  use_device(0);
  char *address = map_received(2 * GRAIN);
  gate_open(&ready);
  gate_pass(&go_on);
  REQUIRE(!strcmp(address + GRAIN, "from the maker"));
  REQUIRE_EQUAL(used_bytes(), 64 * MIB + 2 * GRAIN);
  REQUIRE_EQUAL(used_by(getpid()), 64 * MIB + 2 * GRAIN); /* now it counts for its user */
  unmap(address, 2 * GRAIN);
  REQUIRE_EQUAL(used_bytes(), 64 * MIB);
}

static void mapped_memory_outlives_its_killed_maker(void **unused) {
  (void)unused;
  int maker = start_child(write_and_wait), user = start_child(outlive_the_maker);
  gate_pass(&ready);
  kill_and_reap(maker);
  gate_open(&go_on);
  assert_child_ends_well(user);
  assert_in_child(nothing_is_used);
}

static void killed_user_leaves_the_memory_to_its_maker(void **unused) {
  (void)unused;
  int maker = start_child(write_and_wait), user = start_child(outlive_the_maker);
  gate_pass(&ready);
  kill_and_reap(user);
  kill_and_reap(maker);
  assert_in_child(nothing_is_used);
}

static void read_as_nobody(void) {
  if (setgid(65534) || setuid(65534))
    _exit(77);
  read_and_answer();
}

/* A descriptor is a permission, as with the real driver: it does not matter who the user is. */
static void another_user_may_use_a_descriptor(void **unused) {
  (void)unused;
  if (geteuid()) {
    print_message("skipped: only root can become another user\n");
    skip();
  }
  char folder[128];
  snprintf(folder, sizeof folder, "%s", getenv("EMULATED_GPU_STATE"));
  *strrchr(folder, '/') = 0;
  assert_int_equal(chmod(folder, 01777), 0);
  maker_pid = start_child(write_and_wait);
  assert_in_child(read_as_nobody);
  assert_child_ends_well(maker_pid);
}

/* --- descriptors --- */
static void make_and_send(void) {
  OK(cuInit(0));
  send_descriptor(export_of(create(GRAIN, DESCRIPTOR)));
}

/* This process does not use CUDA at all. */
static void open_descriptor_keeps_the_memory(void **unused) {
  (void)unused;
  assert_in_child(make_and_send);
  assert_in_child(one_grain_is_used); /* by a descriptor that waits in the socket */
  int descriptor = receive_descriptor();
  int again = dup(descriptor);
  assert_true(again >= 0);
  assert_in_child(one_grain_is_used);
  close(descriptor);
  assert_in_child(one_grain_is_used);
  close(again);
  assert_in_child(nothing_is_used);
}

static void lost_descriptor_frees_the_memory(void **unused) {
  (void)unused;
  assert_in_child(make_and_send);
  assert_in_child(one_grain_is_used);
  close(wire[0]);
  close(wire[1]);
  wire[0] = wire[1] = -1;
  assert_in_child(nothing_is_used);
}

static void descriptors_end_in_any_order(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(GRAIN, DESCRIPTOR);
  int first = export_of(handle), second = export_of(handle);
  REQUIRE(first != second);
  REQUIRE_EQUAL(fcntl(first, F_GETFD), FD_CLOEXEC);
  OK(cuMemRelease(handle));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  close(first);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  CUmemGenericAllocationHandle again = imported(second);
  close(second);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  OK(cuMemRelease(again));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void allocation_gets_what_a_closed_descriptor_kept(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(960 * MIB, DESCRIPTOR), other;
  CUmemAllocationProp wanted = properties(DESCRIPTOR);
  int descriptor = export_of(handle);
  OK(cuMemRelease(handle));
  REQUIRE_EQUAL(cuMemCreate(&other, GRAIN, &wanted, 0), CUDA_ERROR_OUT_OF_MEMORY);
  close(descriptor);
  OK(cuMemCreate(&other, 960 * MIB, &wanted, 0));
}

static void wrong_descriptors_are_refused(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = 0;
  int descriptors[] = {-1,
                       9999,
                       wire[0],
                       ready.ends[0],
                       open("/dev/null", O_RDWR),
                       open("/", O_RDONLY),
                       memfd_create("emulated-gpu-shared-memory", 0)};
  for (unsigned i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
    REQUIRE_EQUAL(import(&handle, descriptors[i]), CUDA_ERROR_INVALID_VALUE);
  int open_one = export_of(create(GRAIN, DESCRIPTOR));
  REQUIRE_EQUAL(import(NULL, open_one), CUDA_ERROR_INVALID_VALUE);
  void *value = (void *)(intptr_t)open_one;
  REQUIRE_EQUAL(cuMemImportFromShareableHandle(&handle, value, CU_MEM_HANDLE_TYPE_NONE),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemImportFromShareableHandle(&handle, value, CU_MEM_HANDLE_TYPE_WIN32),
                CUDA_ERROR_NOT_SUPPORTED);
  close(open_one);
  REQUIRE_EQUAL(import(&handle, open_one), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(handle, 0);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
}

static void export_must_have_been_requested(void) {
  use_device(0);
  int descriptor = -1;
  CUmemGenericAllocationHandle none = create(GRAIN, 0), one = create(GRAIN, DESCRIPTOR), other;
  REQUIRE_EQUAL(cuMemExportToShareableHandle(&descriptor, none, DESCRIPTOR, 0),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemExportToShareableHandle(&descriptor, one, DESCRIPTOR, 1),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemExportToShareableHandle(&descriptor, one, CU_MEM_HANDLE_TYPE_FABRIC, 0),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuMemExportToShareableHandle(NULL, one, DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(one));
  REQUIRE_EQUAL(cuMemExportToShareableHandle(&descriptor, one, DESCRIPTOR, 0),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(descriptor, -1);
  CUmemAllocationProp wanted = properties(CU_MEM_HANDLE_TYPE_WIN32);
  REQUIRE_EQUAL(cuMemCreate(&other, GRAIN, &wanted, 0), CUDA_ERROR_NOT_SUPPORTED);
  wanted = properties((int)DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC);
  REQUIRE_EQUAL(cuMemCreate(&other, GRAIN, &wanted, 0), CUDA_ERROR_NOT_SUPPORTED);
  wanted = properties(16);
  REQUIRE_EQUAL(cuMemCreate(&other, GRAIN, &wanted, 0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
}

/* --- handles --- */
static void each_import_is_a_reference(void) {
  use_device(0);
  CUmemGenericAllocationHandle made = create(GRAIN, DESCRIPTOR);
  int descriptor = export_of(made);
  CUmemGenericAllocationHandle first = imported(descriptor), second = imported(descriptor), again;
  close(descriptor);
  REQUIRE(first != second && first != made);
  char *one = map(first, GRAIN), *two = map(made, GRAIN);
  one[17] = 'x';
  REQUIRE_EQUAL(two[17], 'x');
  OK(cuMemRetainAllocationHandle(&again, one));
  REQUIRE(again == first);
  OK(cuMemRelease(again));
  OK(cuMemRelease(made));
  OK(cuMemRelease(first));
  REQUIRE_EQUAL(cuMemRelease(first), CUDA_ERROR_INVALID_VALUE);
  unmap(one, GRAIN);
  unmap(two, GRAIN);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  int another = export_of(second); /* imported memory can go on to the next process */
  OK(cuMemRelease(second));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - GRAIN);
  close(another);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void handle_tells_its_properties(void) {
  use_device(0);
  CUmemAllocationProp found;
  CUmemGenericAllocationHandle none = create(GRAIN, 0), one = create(GRAIN, DESCRIPTOR);
  OK(cuMemGetAllocationPropertiesFromHandle(&found, none));
  REQUIRE_EQUAL(found.type, CU_MEM_ALLOCATION_TYPE_PINNED);
  REQUIRE_EQUAL(found.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
  REQUIRE_EQUAL(found.location.id, 0);
  REQUIRE_EQUAL(found.requestedHandleTypes, 0);
  OK(cuMemGetAllocationPropertiesFromHandle(&found, imported(export_of(one))));
  REQUIRE_EQUAL(found.requestedHandleTypes, DESCRIPTOR);
  OK(cuMemRelease(none));
  REQUIRE_EQUAL(cuMemGetAllocationPropertiesFromHandle(&found, none), CUDA_ERROR_INVALID_VALUE);
}

static void see_the_device_second(void) {
  setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  OK(cuInit(0));
  CUmemAllocationProp found;
  OK(cuMemGetAllocationPropertiesFromHandle(&found, imported(receive_descriptor())));
  REQUIRE_EQUAL(found.location.id, 1);
}

static void see_another_device(void) {
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  OK(cuInit(0));
  CUmemGenericAllocationHandle handle;
  REQUIRE_EQUAL(import(&handle, receive_descriptor()), CUDA_ERROR_NOT_SUPPORTED);
}

static void import_needs_to_see_the_device(void **unused) {
  (void)unused;
  assert_in_child(make_and_send);
  assert_in_child(see_the_device_second);
  assert_in_child(make_and_send);
  assert_in_child(see_another_device);
  assert_in_child(nothing_is_used);
}

static void run_out_of_descriptors(void) {
  use_device(0);
  enum { MOST = 64 };
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){MOST, MOST});
  CUmemGenericAllocationHandle handles[MOST];
  CUmemAllocationProp wanted = properties(DESCRIPTOR);
  int count = 0;
  CUresult result;
  while (!(result = cuMemCreate(&handles[count], GRAIN, &wanted, 0)))
    count++;
  REQUIRE_EQUAL(result, CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB - (size_t)count * GRAIN);
  while (count > 0)
    OK(cuMemRelease(handles[--count]));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

/* --- nothing of the memory before --- */
enum { SECRET = 0x5a };

static char *allocate_kind(int kind) {
  CUdeviceptr pooled;
  switch (kind) {
  case 0:
    return (char *)allocate(GRAIN);
  case 1:
    OK(cuMemAllocAsync(&pooled, GRAIN, NULL));
    return (char *)pooled;
  default:
    return map(create(GRAIN, kind == 2 ? 0 : (int)DESCRIPTOR), GRAIN);
  }
}

enum { KINDS = 4 };

static void leave_secrets_and_wait(void) {
  use_device(0);
  for (int kind = 0; kind < KINDS; kind++)
    memset(allocate_kind(kind), SECRET, GRAIN);
  gate_open(&ready);
  gate_pass(&go_on);
}

static void expect_zeros(const char *address) {
  for (size_t i = 0; i < GRAIN; i++)
    REQUIRE_EQUAL(address[i], 0);
}

static void look_for_secrets(void) {
  use_device(0);
  for (int kind = 0; kind < KINDS; kind++)
    expect_zeros(allocate_kind(kind));
}

static void nobody_reads_what_another_process_left(void **unused) {
  (void)unused;
  int killed = start_child(leave_secrets_and_wait);
  gate_pass(&ready);
  assert_in_child(look_for_secrets); /* beside it */
  kill_and_reap(killed);
  assert_in_child(look_for_secrets); /* after it */
}

static void freed_memory_is_zero_when_it_comes_again(void) {
  use_device(0);
  for (int type = 0; type <= (int)DESCRIPTOR; type++)
    for (int round = 0; round < 3; round++) {
      CUmemGenericAllocationHandle handle = create(GRAIN, type);
      char *address = map(handle, GRAIN);
      expect_zeros(address);
      memset(address, SECRET, GRAIN);
      unmap(address, GRAIN);
      OK(cuMemRelease(handle));
    }
}

/* The size of shared memory is fixed: who maps it cannot be ended by a process that cuts it. */
static void nobody_can_cut_shared_memory(void) {
  use_device(0);
  CUmemGenericAllocationHandle handle = create(GRAIN, DESCRIPTOR);
  char *address = map(handle, GRAIN);
  REQUIRE_EQUAL(ftruncate(export_of(handle), 0), -1);
  address[GRAIN - 1] = 1;
}

static void share_for_ever(void) {
  use_device(0);
  gate_open(&ready);
  for (;;) {
    CUmemGenericAllocationHandle made = create(10 * GRAIN, DESCRIPTOR);
    int descriptor = export_of(made);
    CUmemGenericAllocationHandle other = imported(descriptor);
    char *address = map(other, 10 * GRAIN);
    OK(cuMemRelease(made));
    close(descriptor);
    OK(cuMemRelease(other));
    unmap(address, 10 * GRAIN);
    OK(cuMemAddressFree((CUdeviceptr)address, 10 * GRAIN));
  }
}

static void processes_that_share_may_be_killed_at_any_moment(void **unused) {
  (void)unused;
  for (int round = 0; round < 30; round++) {
    int a = start_child(share_for_ever), b = start_child(share_for_ever);
    gate_pass(&ready);
    gate_pass(&ready);
    usleep((useconds_t)(round * 97)); /* a different moment each time */
    kill_and_reap(a);
    kill_and_reap(b);
  }
  assert_in_child(nothing_is_used);
}

#define ALONE(name)                                                                                \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
    assert_in_child(nothing_is_used);                                                              \
  }
#define ALL_ALONE(X)                                                                               \
  X(descriptors_end_in_any_order)                                                                  \
  X(allocation_gets_what_a_closed_descriptor_kept)                                                 \
  X(wrong_descriptors_are_refused)                                                                 \
  X(export_must_have_been_requested)                                                               \
  X(each_import_is_a_reference)                                                                    \
  X(handle_tells_its_properties)                                                                   \
  X(run_out_of_descriptors)                                                                        \
  X(freed_memory_is_zero_when_it_comes_again)                                                      \
  X(nobody_can_cut_shared_memory)
ALL_ALONE(ALONE)

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define ENTER(name) TEST(test_##name),

int main(void) {
  const struct CMUnitTest tests[] = {
      ALL_ALONE(ENTER) TEST(two_processes_see_one_memory_that_counts_once),
      TEST(mapped_memory_outlives_its_killed_maker),
      TEST(killed_user_leaves_the_memory_to_its_maker),
      TEST(another_user_may_use_a_descriptor),
      TEST(open_descriptor_keeps_the_memory),
      TEST(lost_descriptor_frees_the_memory),
      TEST(import_needs_to_see_the_device),
      TEST(nobody_reads_what_another_process_left),
      TEST(processes_that_share_may_be_killed_at_any_moment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
