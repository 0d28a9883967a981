/*
 * stream_test.c - streams, events and launches: the order of events. Times are checked only as
 * lower bounds that hold on any machine: a kernel never takes less than its duration.
 */
#include "driver_support.h"

#include <pthread.h>

/* An hour: "still running" then holds on any machine. The test's process ends without waiting. */
static const uint64_t LONG_NS = 3600ull * 1000 * MS;

static float elapsed_ms(CUevent from, CUevent to) {
  float ms;
  OK(cuEventElapsedTime(&ms, from, to));
  return ms;
}

static CUevent new_event(void) {
  CUevent event;
  OK(cuEventCreate(&event, 0));
  return event;
}

static CUstream new_stream(unsigned flags) {
  CUstream stream;
  OK(cuStreamCreate(&stream, flags));
  return stream;
}

static void launch_returns_at_once(void) {
  use_device(0);
  CUevent before = new_event(), after = new_event();
  float ms;
  OK(cuEventRecord(before, NULL));
  launch_busy(busy_kernel(), LONG_NS, NULL);
  OK(cuEventRecord(after, NULL));
  REQUIRE_EQUAL(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
  REQUIRE_EQUAL(cuEventQuery(after), CUDA_ERROR_NOT_READY);
  REQUIRE_EQUAL(cuEventElapsedTime(&ms, before, after), CUDA_ERROR_NOT_READY);
}

static void synchronization_waits(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUevent before = new_event(), after = new_event();
  OK(cuEventRecord(before, NULL));
  launch_busy(kernel, 20 * MS, NULL);
  OK(cuEventRecord(after, NULL));
  OK(cuStreamSynchronize(NULL));
  OK(cuEventQuery(after));
  OK(cuStreamQuery(NULL));
  REQUIRE(elapsed_ms(before, after) >= 20);
  launch_busy(kernel, 20 * MS, NULL);
  OK(cuCtxSynchronize());
  OK(cuStreamQuery(NULL));
}

static void events_tell_device_time_exactly(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUevent first = new_event(), second = new_event();
  launch_busy(kernel, 5 * MS, NULL);
  OK(cuEventRecord(first, NULL));
  launch_busy(kernel, 10 * MS, NULL);
  OK(cuEventRecord(second, NULL));
  OK(cuEventSynchronize(second));
  REQUIRE(elapsed_ms(first, second) >= 9.99f);
}

static void streams_run_together_but_share(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);
  launch_busy(kernel, LONG_NS, a);
  launch_busy(kernel, 5 * MS, b);
  OK(cuStreamSynchronize(b));
  REQUIRE_EQUAL(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
}

static void default_stream_waits_for_the_others(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUstream blocking = new_stream(0), free_one = new_stream(CU_STREAM_NON_BLOCKING);
  launch_busy(kernel, 10 * MS, blocking);
  OK(cuStreamSynchronize(NULL));
  OK(cuStreamQuery(blocking));
  launch_busy(kernel, LONG_NS, NULL);
  REQUIRE_EQUAL(cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
  OK(cuStreamQuery(free_one));
}

static void stream_waits_for_an_event(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUstream a = new_stream(CU_STREAM_NON_BLOCKING), b = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent done_a = new_event(), done_b = new_event();
  launch_busy(kernel, 10 * MS, a);
  OK(cuEventRecord(done_a, a));
  OK(cuStreamWaitEvent(b, done_a, 0));
  launch_busy(kernel, 1 * MS, b);
  OK(cuEventRecord(done_b, b));
  OK(cuStreamSynchronize(b));
  OK(cuEventQuery(done_a));
  REQUIRE(elapsed_ms(done_a, done_b) >= 1);
}

static void event_of_another_device_is_waited_for(void) {
  CUcontext first = use_device(0), second = use_device(1);
  CUfunction kernel = busy_kernel();
  CUstream there = new_stream(0);
  OK(cuCtxSetCurrent(first));
  CUstream here = new_stream(0);
  CUevent done = new_event();
  launch_busy(kernel, 10 * MS, here);
  OK(cuEventRecord(done, here));
  OK(cuCtxSetCurrent(second));
  OK(cuStreamWaitEvent(there, done, 0));
  launch_busy(kernel, 1 * MS, there);
  OK(cuEventQuery(done));
  OK(cuStreamSynchronize(there));
}

static void copies_wait_for_the_kernels_before_them(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  char byte = 1;
  CUdeviceptr block = allocate(1);
  CUevent done = new_event();
  launch_busy(kernel, 10 * MS, NULL);
  OK(cuEventRecord(done, NULL));
  OK(cuMemcpyHtoD_v2(block, &byte, 1));
  OK(cuEventQuery(done));
}

static void note(void *order) {
  *(int *)order = 1;
}

static void host_functions_run_in_their_turn(void) {
  use_device(0);
  int called = 0;
  CUevent done = new_event();
  launch_busy(busy_kernel(), 5 * MS, NULL);
  OK(cuEventRecord(done, NULL));
  OK(cuLaunchHostFunc(NULL, note, &called));
  OK(cuEventQuery(done));
  OK(cuCtxSynchronize());
  REQUIRE_EQUAL(called, 1);
}

static void more_launches_than_places(void) {
  use_device(0);
  CUfunction kernel = busy_kernel();
  CUevent before = new_event(), after = new_event();
  OK(cuEventRecord(before, NULL));
  for (int i = 0; i < 200; i++)
    launch_busy(kernel, 100000, NULL);
  OK(cuEventRecord(after, NULL));
  OK(cuStreamSynchronize(NULL));
  REQUIRE(elapsed_ms(before, after) >= 19.99f);
}

static void other_kernels_last_what_the_environment_says(void) {
  setenv("EMULATED_GPU_KERNEL_NS", "3600000000000", 1);
  use_device(0);
  CUmodule module;
  CUfunction function;
  OK(cuModuleLoadData(&module, "any"));
  OK(cuModuleGetFunction(&function, module, "_Z6matmulPf"));
  unsetenv("EMULATED_GPU_KERNEL_NS");
  OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  OK(cuStreamQuery(NULL)); /* 0 by default */
  setenv("EMULATED_GPU_KERNEL_NS", "3600000000000", 1);
  OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  REQUIRE_EQUAL(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
}

/* They have no parameters, so the environment says how long they take. */
static void old_launches_take_time_too(void) {
  setenv("EMULATED_GPU_KERNEL_NS", "10000000", 1);
  use_device(0);
  CUmodule module;
  CUfunction function;
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  OK(cuModuleLoadData(&module, "any"));
  OK(cuModuleGetFunction(&function, module, "_Z6matmulPf"));
  CUevent before = new_event(), after = new_event();
  OK(cuEventRecord(before, NULL));
  OK(cuLaunch(function));
  OK(cuLaunchGrid(function, 2, 2));
  OK(cuLaunchGridAsync(function, 2, 2, NULL));
  OK(cuEventRecord(after, NULL));
  OK(cuEventSynchronize(after));
  REQUIRE(elapsed_ms(before, after) >= 30);
  OK(cuLaunchGridAsync(function, 2, 2, stream));
  REQUIRE_EQUAL(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  REQUIRE_EQUAL(cuLaunchGrid(function, 0, 1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuLaunchGrid(function, 1, -1), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuLaunch(NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void a_cooperative_launch_is_one_in_each_stream(void) {
  use_device(0);
  uint64_t ns = LONG_NS;
  void *params[] = {&ns};
  CUDA_LAUNCH_PARAMS list[] = {
      {busy_kernel(), 1, 1, 1, 1, 1, 1, 0, new_stream(CU_STREAM_NON_BLOCKING), params},
      {busy_kernel(), 1, 1, 1, 1, 1, 1, 0, new_stream(CU_STREAM_NON_BLOCKING), params}};
  REQUIRE_EQUAL(cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuLaunchCooperativeKernelMultiDevice(list, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuLaunchCooperativeKernelMultiDevice(list, 2, 0));
  REQUIRE_EQUAL(cuStreamQuery(list[0].hStream), CUDA_ERROR_NOT_READY);
  REQUIRE_EQUAL(cuStreamQuery(list[1].hStream), CUDA_ERROR_NOT_READY);
  list[0].hStream = NULL;
  REQUIRE_EQUAL(cuLaunchCooperativeKernelMultiDevice(list, 1, 0), CUDA_ERROR_INVALID_VALUE);
}

static void a_value_is_written_after_the_work_before_it(void) {
  use_device(0);
  CUdeviceptr word;
  unsigned value = 0;
  OK(cuMemAlloc_v2(&word, 8));
  launch_busy(busy_kernel(), 5 * MS, NULL);
  OK(cuStreamWriteValue32(NULL, word, 41, 0));
  OK(cuStreamQuery(NULL));
  OK(cuStreamWriteValue32_v2_ptsz(NULL, word + 4, 42, 1));
  OK(cuMemcpyDtoH_v2(&value, word, sizeof value));
  REQUIRE_EQUAL(value, 41);
  OK(cuMemcpyDtoH_v2(&value, word + 4, sizeof value));
  REQUIRE_EQUAL(value, 42);
  REQUIRE_EQUAL(cuStreamWriteValue32(NULL, word, 1, 2), CUDA_ERROR_INVALID_VALUE);
}

static void packed_parameters_are_read_too(void) {
  use_device(0);
  uint64_t ns = LONG_NS;
  size_t size = sizeof ns;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &ns, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(busy_kernel(), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  REQUIRE_EQUAL(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
}

static void *query_own_stream(void *context) {
  OK(cuCtxSetCurrent(context));
  OK(cuStreamQuery(CU_STREAM_PER_THREAD));
  return NULL;
}

static void every_thread_has_its_own_default_stream(void) {
  CUcontext context = use_device(0);
  CUfunction kernel = busy_kernel();
  uint64_t ns = LONG_NS;
  void *params[] = {&ns};
  OK(cuLaunchKernel_ptsz(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  REQUIRE_EQUAL(cuStreamQuery_ptsz(NULL), CUDA_ERROR_NOT_READY);
  pthread_t thread;
  REQUIRE_EQUAL(pthread_create(&thread, NULL, query_own_stream, context), 0);
  REQUIRE_EQUAL(pthread_join(thread, NULL), 0);
}

static void reset_stops_kernels(void) {
  use_device(0);
  launch_busy(busy_kernel(), 3600ull * 1000 * MS, NULL);
  OK(cuDevicePrimaryCtxReset_v2(0));
  use_device(0);
  OK(cuCtxSynchronize());
}

static void handles_are_checked(void) {
  use_device(0);
  CUstream stream = new_stream(0);
  CUevent silent;
  float ms;
  unsigned flags;
  OK(cuEventCreate(&silent, CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(silent, NULL));
  REQUIRE_EQUAL(cuEventElapsedTime(&ms, silent, silent), CUDA_ERROR_INVALID_HANDLE);
  REQUIRE_EQUAL(cuEventElapsedTime(&ms, new_event(), new_event()), CUDA_ERROR_INVALID_HANDLE);
  REQUIRE_EQUAL(cuEventRecord(NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
  REQUIRE_EQUAL(cuStreamDestroy_v2(NULL), CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamGetFlags(new_stream(CU_STREAM_NON_BLOCKING), &flags));
  REQUIRE_EQUAL(flags, CU_STREAM_NON_BLOCKING);
  OK(cuEventDestroy_v2(silent));
  OK(cuStreamDestroy_v2(stream));
  REQUIRE_EQUAL(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                CUDA_ERROR_INVALID_HANDLE);
  REQUIRE_EQUAL(cuLaunchKernel(busy_kernel(), 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                CUDA_ERROR_INVALID_VALUE);
}

static void libraries_hold_kernels_and_variables(void) {
  use_device(0);
  CUlibrary library;
  CUkernel kernel, same;
  CUdeviceptr variable;
  const char *name;
  size_t bytes;
  OK(cuLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetKernel(&kernel, library, "k"));
  OK(cuLibraryGetKernel(&same, library, "k"));
  REQUIRE(kernel == same);
  OK(cuKernelGetName(&name, kernel));
  REQUIRE(!strcmp(name, "k"));
  OK(cuLibraryGetGlobal(&variable, &bytes, library, "v"));
  OK(cuMemsetD8_v2(variable, 1, bytes));
  OK(cuLibraryUnload(library));
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(launch_returns_at_once)                                                                        \
  X(synchronization_waits)                                                                         \
  X(events_tell_device_time_exactly)                                                               \
  X(streams_run_together_but_share)                                                                \
  X(default_stream_waits_for_the_others)                                                           \
  X(stream_waits_for_an_event)                                                                     \
  X(event_of_another_device_is_waited_for)                                                         \
  X(copies_wait_for_the_kernels_before_them)                                                       \
  X(host_functions_run_in_their_turn)                                                              \
  X(more_launches_than_places)                                                                     \
  X(other_kernels_last_what_the_environment_says)                                                  \
  X(old_launches_take_time_too)                                                                    \
  X(a_cooperative_launch_is_one_in_each_stream)                                                    \
  X(a_value_is_written_after_the_work_before_it)                                                   \
  X(packed_parameters_are_read_too)                                                                \
  X(every_thread_has_its_own_default_stream)                                                       \
  X(reset_stops_kernels)                                                                           \
  X(handles_are_checked)                                                                           \
  X(libraries_hold_kernels_and_variables)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
