/* processes_test.c - several processes on one device, and NVML's view of them. */
#include "driver_support.h"
#include "emulated_gpu.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct gate allocated, go_on;

static nvmlDevice_t nvml_device_0(void) {
  nvmlDevice_t device;
  REQUIRE_EQUAL(nvmlInit_v2(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  return device;
}

static uint64_t busy_ns(void) {
  uint64_t ns;
  REQUIRE_EQUAL(emulatedGpuBusyNs(nvml_device_0(), &ns), NVML_SUCCESS);
  return ns;
}

static uint64_t used_bytes(void) {
  uint64_t bytes;
  REQUIRE_EQUAL(emulatedGpuMemoryUsed(nvml_device_0(), &bytes), NVML_SUCCESS);
  return bytes;
}

static void hold_600_mib(void) {
  use_device(0);
  allocate(600 * MIB);
  gate_open(&allocated);
  gate_pass(&go_on);
}

static void find_too_little(void) {
  use_device(0);
  CUdeviceptr block;
  REQUIRE_EQUAL(free_bytes(), 296 * MIB);
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, 300 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAlloc_v2(&block, 296 * MIB));
}

static void find_all(void) {
  use_device(0);
  allocate(960 * MIB);
}

static void second_process_runs_out_of_memory(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  int holder = start_child(hold_600_mib);
  gate_pass(&allocated);
  assert_in_child(find_too_little);
  gate_open(&go_on);
  assert_child_ends_well(holder);
  assert_in_child(find_all); /* the first process ended without freeing */
}

static void kill_and_reap(int pid) {
  int status;
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void memory_of_a_killed_process_is_freed(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  int holder = start_child(hold_600_mib);
  gate_pass(&allocated);
  kill_and_reap(holder);
  assert_in_child(find_all);
}

/* Reads from outside when the driver frees: the free memory before and after. */
static void find_it_freed_late(void) {
  use_device(0);
  CUdeviceptr block;
  REQUIRE_EQUAL(cuMemAlloc_v2(&block, 600 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  while (cuMemAlloc_v2(&block, 600 * MIB) != CUDA_SUCCESS)
    usleep(1000);
}

static void memory_of_a_killed_process_may_be_freed_late(void **unused) {
  (void)unused;
  setenv("EMULATED_GPU_LATE_FREE_MS", "100", 1);
  gate_make(&allocated);
  gate_make(&go_on);
  int holder = start_child(hold_600_mib);
  gate_pass(&allocated);
  kill_and_reap(holder);
  assert_in_child(find_it_freed_late);
  unsetenv("EMULATED_GPU_LATE_FREE_MS");
}

static void allocate_and_free_for_ever(void) {
  use_device(0);
  gate_open(&allocated);
  CUfunction kernel = busy_kernel();
  for (;;) {
    CUdeviceptr block = allocate(10 * MIB);
    launch_busy(kernel, 1000, NULL);
    OK(cuMemFreeAsync(block, NULL));
  }
}

static void processes_may_be_killed_at_any_moment(void **unused) {
  (void)unused;
  gate_make(&allocated);
  for (int round = 0; round < 30; round++) {
    int a = start_child(allocate_and_free_for_ever), b = start_child(allocate_and_free_for_ever);
    gate_pass(&allocated);
    gate_pass(&allocated);
    usleep((useconds_t)(round * 97)); /* a different moment each time */
    kill_and_reap(a);
    kill_and_reap(b);
  }
  assert_in_child(find_all);
}

static void child_of_a_user_of_cuda(void) {
  use_device(0);
  allocate(100 * MIB);
  int pid = fork();
  if (pid == 0) {
    int count;
    CUdeviceptr block;
    REQUIRE_EQUAL(cuInit(0), CUDA_ERROR_NOT_INITIALIZED);
    REQUIRE_EQUAL(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    REQUIRE_EQUAL(cuMemAlloc_v2(&block, 1), CUDA_ERROR_NOT_INITIALIZED);
    _exit(0);
  }
  int status;
  REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
  REQUIRE_EQUAL(free_bytes(), 860 * MIB); /* the child's end cost the parent nothing */
  allocate(MIB);
}

static void forked_child_is_not_initialized(void **unused) {
  (void)unused;
  assert_in_child(child_of_a_user_of_cuda);
}

/* Two processes that launch at the same time. Each kernel finishes only after the device has run
 * both for as long as they overlapped; the device's busy time shows that exactly. */
static void run_100_ms(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  gate_open(&allocated);
  gate_pass(&go_on);
  launch_busy(kernel, 100 * MS, NULL);
  OK(cuCtxSynchronize());
}

static void expect_200_ms(void) {
  REQUIRE_EQUAL(busy_ns(), 200 * MS);
}

static void busy_time_of_two_processes_adds_up(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  int a = start_child(run_100_ms), b = start_child(run_100_ms);
  gate_pass(&allocated);
  gate_pass(&allocated);
  gate_open(&go_on);
  gate_open(&go_on);
  assert_child_ends_well(a);
  assert_child_ends_well(b);
  assert_in_child(expect_200_ms);
}

static void occupy(void) {
  use_device(0);
  launch_busy(busy_kernel(), 3600ull * 1000 * MS, NULL);
  gate_open(&allocated);
  gate_pass(&go_on);
}

/* Beside a neighbour that is always busy, 30 ms of kernel take at least 60 ms of the device. */
static void run_beside_a_neighbour(void) {
  use_device(0);
  uint64_t before_ns = busy_ns();
  launch_busy(busy_kernel(), 30 * MS, NULL);
  OK(cuCtxSynchronize());
  REQUIRE(busy_ns() - before_ns >= 60 * MS);
}

static void expect_rest(void) {
  uint64_t first_ns = busy_ns();
  usleep(5000);
  REQUIRE_EQUAL(busy_ns(), first_ns);
}

static void neighbour_halves_the_speed_until_it_is_killed(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  int neighbour = start_child(occupy);
  gate_pass(&allocated);
  assert_in_child(run_beside_a_neighbour);
  kill_and_reap(neighbour);
  assert_in_child(expect_rest);
}

static void run_while_the_neighbour_is_stopped(void) {
  run_beside_a_neighbour();
}

static void kernels_of_a_stopped_process_go_on(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  int neighbour = start_child(occupy);
  gate_pass(&allocated);
  assert_int_equal(kill(neighbour, SIGSTOP), 0);
  assert_in_child(run_while_the_neighbour_is_stopped);
  kill_and_reap(neighbour);
}

static void become_nobody(void) {
  if (setgid(65534) || setuid(65534))
    _exit(77);
  find_too_little();
}

static void users_share_the_devices(void **unused) {
  (void)unused;
  if (geteuid()) {
    print_message("skipped: only root can become another user\n");
    skip();
  }
  gate_make(&allocated);
  gate_make(&go_on);
  char folder[128];
  snprintf(folder, sizeof folder, "%s", getenv("EMULATED_GPU_STATE"));
  *strrchr(folder, '/') = 0;
  assert_int_equal(chmod(folder, 01777), 0);
  int holder = start_child(hold_600_mib);
  gate_pass(&allocated);
  assert_in_child(become_nobody);
  kill_and_reap(holder);
}

static void ask_nvml_of_a_neighbour(void) {
  nvmlDevice_t device = nvml_device_0();
  nvmlMemory_t v1;
  nvmlMemory_v2_t v2 = {.version = 0x02000028};
  REQUIRE_EQUAL(nvmlDeviceGetMemoryInfo(device, &v1), NVML_SUCCESS);
  REQUIRE_EQUAL(v1.total, 1024 * MIB);
  REQUIRE_EQUAL(v1.used, 664 * MIB);
  REQUIRE_EQUAL(v1.free, 360 * MIB);
  REQUIRE_EQUAL(nvmlDeviceGetMemoryInfo_v2(device, &v2), NVML_SUCCESS);
  REQUIRE_EQUAL(v2.used, 664 * MIB);
  REQUIRE_EQUAL(v2.reserved, 0);
  v2.version = 1;
  REQUIRE_EQUAL(nvmlDeviceGetMemoryInfo_v2(device, &v2), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  REQUIRE_EQUAL(used_bytes(), 664 * MIB);
}

static int neighbour_pid;

static void ask_nvml_who_runs(void) {
  nvmlDevice_t device = nvml_device_0();
  nvmlProcessInfo_v1_t v1[2];
  nvmlProcessInfo_t v3[2];
  unsigned count = 0;
  REQUIRE_EQUAL(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, NULL),
                NVML_ERROR_INSUFFICIENT_SIZE);
  REQUIRE_EQUAL(count, 1);
  REQUIRE_EQUAL(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, v3), NVML_SUCCESS);
  REQUIRE_EQUAL(v3[0].pid, neighbour_pid);
  REQUIRE_EQUAL(v3[0].usedGpuMemory, 664 * MIB);
  REQUIRE_EQUAL(v3[0].gpuInstanceId, 0xffffffffu);
  count = 2;
  REQUIRE_EQUAL(nvmlDeviceGetComputeRunningProcesses(device, &count, v1), NVML_SUCCESS);
  REQUIRE_EQUAL(count, 1);
  REQUIRE_EQUAL(v1[0].usedGpuMemory, 664 * MIB);
  count = 2;
  REQUIRE_EQUAL(nvmlDeviceGetGraphicsRunningProcesses_v3(device, &count, v3), NVML_SUCCESS);
  REQUIRE_EQUAL(count, 0);
  nvmlProcessUtilizationSample_t samples[2];
  count = 2;
  REQUIRE_EQUAL(nvmlDeviceGetProcessUtilization(device, samples, &count, 0), NVML_SUCCESS);
  REQUIRE_EQUAL(samples[0].pid, neighbour_pid);
}

static void nvml_sees_processes_and_memory(void **unused) {
  (void)unused;
  gate_make(&allocated);
  gate_make(&go_on);
  neighbour_pid = start_child(hold_600_mib);
  gate_pass(&allocated);
  assert_in_child(ask_nvml_of_a_neighbour);
  assert_in_child(ask_nvml_who_runs);
  kill_and_reap(neighbour_pid);
}

static void compare_identities(void) {
  nvmlDevice_t device, same;
  char uuid[96], small[10], name[64];
  unsigned count, index;
  nvmlPciInfo_t pci;
  REQUIRE_EQUAL(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  setenv("CUDA_VISIBLE_DEVICES", "1", 1); /* NVML ignores it */
  OK(cuInit(0));
  REQUIRE_EQUAL(nvmlInit(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  REQUIRE_EQUAL(count, 2);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(2, &device), NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE_EQUAL(nvmlDeviceGetHandleByIndex_v2(1, &device), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlDeviceGetUUID(device, small, sizeof small), NVML_ERROR_INSUFFICIENT_SIZE);
  REQUIRE_EQUAL(nvmlDeviceGetUUID(device, uuid, sizeof uuid), NVML_SUCCESS);
  REQUIRE(!strcmp(uuid, "GPU-e0e0e0e0-0000-4000-8000-000000000001"));
  REQUIRE_EQUAL(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
  REQUIRE(same == device);
  REQUIRE_EQUAL(nvmlDeviceGetPciInfo_v3(device, &pci), NVML_SUCCESS);
  REQUIRE(!strcmp(pci.busId, "00000000:02:00.0"));
  REQUIRE_EQUAL(nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &same), NVML_SUCCESS);
  REQUIRE(same == device);
  REQUIRE_EQUAL(nvmlDeviceGetMinorNumber(device, &index), NVML_SUCCESS);
  REQUIRE_EQUAL(index, 1);
  REQUIRE_EQUAL(nvmlDeviceGetName(device, name, sizeof name), NVML_SUCCESS);
  REQUIRE(!strncmp(name, "Emulated", 8));
  CUuuid bytes;
  OK(cuDeviceGetUuid(&bytes, 0));
  REQUIRE_EQUAL(bytes.bytes[15], 1);
  REQUIRE_EQUAL(nvmlShutdown(), NVML_SUCCESS);
  REQUIRE_EQUAL(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
}

static void cuda_and_nvml_agree(void **unused) {
  (void)unused;
  assert_in_child(compare_identities);
}

static void structures_have_the_sizes_of_the_abi(void **unused) {
  (void)unused;
  assert_int_equal(sizeof(nvmlMemory_t), 24);
  assert_int_equal(sizeof(nvmlMemory_v2_t), 40);
  assert_int_equal(nvmlMemory_v2, 0x02000028);
  assert_int_equal(sizeof(nvmlProcessInfo_v1_t), 16);
  assert_int_equal(sizeof(nvmlProcessInfo_t), 24);
  assert_int_equal(sizeof(nvmlPciInfo_t), 68);
  assert_int_equal(sizeof(nvmlProcessUtilizationSample_t), 32);
}

static void load_for_a_period(void) {
  use_device(0);
  nvmlDevice_t device = nvml_device_0();
  nvmlUtilization_t rates;
  launch_busy(busy_kernel(), 3600ull * 1000 * MS, NULL);
  do {
    usleep(10000);
    REQUIRE_EQUAL(nvmlDeviceGetUtilizationRates(device, &rates), NVML_SUCCESS);
  } while (rates.gpu < 100);
}

static void utilization_reaches_100_percent(void **unused) {
  (void)unused;
  assert_in_child(load_for_a_period);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_state, teardown_state)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(second_process_runs_out_of_memory),
      TEST(memory_of_a_killed_process_is_freed),
      TEST(memory_of_a_killed_process_may_be_freed_late),
      TEST(processes_may_be_killed_at_any_moment),
      TEST(forked_child_is_not_initialized),
      TEST(busy_time_of_two_processes_adds_up),
      TEST(neighbour_halves_the_speed_until_it_is_killed),
      TEST(kernels_of_a_stopped_process_go_on),
      TEST(users_share_the_devices),
      TEST(nvml_sees_processes_and_memory),
      TEST(cuda_and_nvml_agree),
      TEST(structures_have_the_sizes_of_the_abi),
      TEST(utilization_reaches_100_percent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
