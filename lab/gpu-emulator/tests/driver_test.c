/* Start, symbols, devices and contexts of the emulated driver. */
#include "driver_support.h"

#include <signal.h>
#include <sys/wait.h>

static void nothing_works_before_init(void) {
  int count;
  CUcontext context;
  REQUIRE_EQUAL(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  REQUIRE_EQUAL(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  REQUIRE_EQUAL(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  OK(cuInit(0));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  REQUIRE_EQUAL(count, 2);
}

static void devices_say_what_they_are(void) {
  OK(cuInit(0));
  char name[64], bus[32];
  CUuuid uuid;
  size_t bytes;
  CUdevice device;
  int major, minor, value;
  OK(cuDeviceGet(&device, 1));
  OK(cuDeviceGetName(name, sizeof name, device));
  REQUIRE(!strcmp(name, "Emulated GPU 1"));
  OK(cuDeviceGetUuid_v2(&uuid, device));
  REQUIRE_EQUAL((unsigned char)uuid.bytes[0], 0xe0);
  REQUIRE_EQUAL(uuid.bytes[15], 1);
  OK(cuDeviceTotalMem_v2(&bytes, device));
  REQUIRE_EQUAL(bytes, 1024 * MIB);
  OK(cuDeviceGetPCIBusId(bus, sizeof bus, device));
  REQUIRE(!strcmp(bus, "0000:02:00.0"));
  OK(cuDeviceGetByPCIBusId(&device, "0000:01:00.0"));
  REQUIRE_EQUAL(device, 0);
  OK(cuDeviceComputeCapability(&major, &minor, device));
  OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  REQUIRE_EQUAL(value, major);
  OK(cuDeviceCanAccessPeer(&value, 0, 1));
  REQUIRE_EQUAL(value, 0);
  REQUIRE_EQUAL(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  REQUIRE_EQUAL(cuDeviceGetName(name, sizeof name, -1), CUDA_ERROR_INVALID_DEVICE);
}

static void visible_devices_are_renumbered(void) {
  setenv("CUDA_VISIBLE_DEVICES", "GPU-e0e0e0e0-0000-4000-8000-000000000001", 1);
  OK(cuInit(0));
  int count;
  CUuuid uuid;
  OK(cuDeviceGetCount(&count));
  REQUIRE_EQUAL(count, 1);
  OK(cuDeviceGetUuid(&uuid, 0));
  REQUIRE_EQUAL(uuid.bytes[15], 1);
}

static void no_visible_device_is_no_device(void) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  REQUIRE_EQUAL(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

static void *address(const char *name, int version, cuuint64_t flags, int wanted_status) {
  void *function;
  CUdriverProcAddressQueryResult status;
  CUresult result = cuGetProcAddress_v2(name, &function, version, flags, &status);
  REQUIRE_EQUAL(status, wanted_status);
  REQUIRE_EQUAL(result, CUDA_SUCCESS);
  REQUIRE(!function == !!wanted_status);
  return function;
}

static void symbols_by_version_and_kind_of_stream(void) {
  cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  REQUIRE(address("cuMemAlloc", 3020, 0, 0) == (void *)cuMemAlloc_v2);
  REQUIRE(address("cuMemAlloc", 13000, 0, 0) == (void *)cuMemAlloc_v2);
  REQUIRE(address("cuMemAlloc", 3010, 0, 0) == (void *)cuMemAlloc);
  address("cuMemCreate", 10010, 0, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  address("cuNoSuchCall", 13000, 0, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  REQUIRE(address("cuDevicePrimaryCtxReset", 7000, 0, 0) == (void *)cuDevicePrimaryCtxReset);
  REQUIRE(address("cuDevicePrimaryCtxReset", 11000, 0, 0) == (void *)cuDevicePrimaryCtxReset_v2);
  REQUIRE(address("cuGetProcAddress", 11030, 0, 0) == (void *)cuGetProcAddress);
  REQUIRE(address("cuGetProcAddress", 12000, 0, 0) == (void *)cuGetProcAddress_v2);
  REQUIRE(address("cuCtxCreate", 12050, 0, 0) == (void *)cuCtxCreate_v4);
  REQUIRE(address("cuMemFreeAsync", 11020, 0, 0) == (void *)cuMemFreeAsync);
  REQUIRE(address("cuMemFreeAsync", 11020, per_thread, 0) == (void *)cuMemFreeAsync_ptsz);
  address("cuMemcpy", 4000, per_thread, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  REQUIRE(address("cuMemAlloc", -5, 0, 0) == (void *)cuMemAlloc_v2);
  REQUIRE(address("cuMemAlloc", 2000, per_thread, 0) == (void *)cuMemAlloc);
  REQUIRE(address("cuCtxPopCurrent", 2000, 0, 0) == (void *)cuCtxPopCurrent);
  REQUIRE(address("cuMemcpy", 7000, per_thread, 0) == (void *)cuMemcpy_ptds);
  REQUIRE(address("cuMemAlloc", 13000, per_thread, 0) == (void *)cuMemAlloc_v2);
  REQUIRE(address("cuStreamWriteValue32", 11000, 0, 0) == (void *)cuStreamWriteValue32);
  REQUIRE(address("cuStreamWriteValue32", 12000, 0, 0) == (void *)cuStreamWriteValue32_v2);
}

/* What drivers 535 and 550 answer. */
static void refused_look_ups_leave_the_place_as_it_was(void) {
  void *function = &function;
  CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)-7;
  REQUIRE_EQUAL(cuGetProcAddress("cuNoSuchCall", &function, 12000, 0), CUDA_ERROR_NOT_FOUND);
  REQUIRE_EQUAL(cuGetProcAddress("cuMemCreate", &function, 10010, 0), CUDA_ERROR_NOT_FOUND);
  REQUIRE_EQUAL(cuGetProcAddress("cuMemAlloc", &function, 12000, 99), CUDA_ERROR_INVALID_VALUE);
  REQUIRE_EQUAL(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 4, &status),
                CUDA_ERROR_INVALID_VALUE);
  REQUIRE(function == &function);
  REQUIRE_EQUAL((int)status, -7);
  OK(cuGetProcAddress_v2("cuNoSuchCall", &function, 12000, 0, NULL));
  REQUIRE(!function);
}

static void ask_without_a_name(void) {
  void *function;
  cuGetProcAddress_v2(NULL, &function, 12000, 0, NULL);
}

static void ask_without_a_place(void) {
  cuGetProcAddress("cuInit", NULL, 12000, 0);
}

static void look_ups_without_a_name_or_a_place_abort(void) {
  void (*const asks[])(void) = {ask_without_a_name, ask_without_a_place};
  for (unsigned i = 0; i < sizeof asks / sizeof *asks; i++) {
    int status, child = start_child(asks[i]);
    REQUIRE_EQUAL(waitpid(child, &status, 0), child);
    REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
}

static void errors_have_names(void) {
  const char *text;
  OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  REQUIRE(!strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
  OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  REQUIRE(!strcmp(text, "out of memory"));
  REQUIRE_EQUAL(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!text);
}

static void export_tables_are_refused(void) {
  const void *table = &table;
  CUuuid id = {{0x6b}};
  REQUIRE_EQUAL(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  REQUIRE(!table);
}

static void context_costs_memory_once(void) {
  CUcontext first = use_device(0), second;
  unsigned flags;
  int active;
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuDevicePrimaryCtxRetain(&second, 0));
  REQUIRE(first == second);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  allocate(100 * MIB);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  REQUIRE_EQUAL(free_bytes(), 860 * MIB);
  OK(cuDevicePrimaryCtxRelease(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  REQUIRE_EQUAL(active, 0);
  REQUIRE_EQUAL(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  CUdeviceptr unused;
  REQUIRE_EQUAL(cuMemAlloc_v2(&unused, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuDevicePrimaryCtxRetain(&first, 0));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void reset_gives_everything_back(void) {
  use_device(0);
  CUcontext again;
  OK(cuDevicePrimaryCtxRetain(&again, 0));
  allocate(100 * MIB);
  OK(cuDevicePrimaryCtxReset_v2(0));
  use_device(0);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void created_contexts_stack(void) {
  CUcontext first, second, current;
  CUdevice device;
  OK(cuInit(0));
  REQUIRE_EQUAL(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxCreate_v2(&first, 0, 0));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuCtxCreate_v4(&second, NULL, 0, 1));
  OK(cuCtxGetDevice(&device));
  REQUIRE_EQUAL(device, 1);
  allocate(MIB);
  OK(cuCtxDestroy_v2(second));
  OK(cuCtxGetCurrent(&current));
  REQUIRE(current == first);
  OK(cuCtxPopCurrent(&current));
  OK(cuCtxPushCurrent(current));
  OK(cuCtxPopCurrent_v2(&current));
  REQUIRE(current == first);
  REQUIRE_EQUAL(cuCtxPopCurrent_v2(&current), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxPushCurrent_v2(first));
  OK(cuCtxCreate_v3(&second, NULL, 0, 0, 0));
  REQUIRE_EQUAL(free_bytes(), 896 * MIB);
  OK(cuCtxDestroy_v2(second));
  REQUIRE_EQUAL(cuCtxDestroy_v2(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void attached_context_lives_until_the_last_detaches(void) {
  CUcontext context, again;
  OK(cuInit(0));
  OK(cuCtxCreate(&context, 0, 0));
  OK(cuCtxAttach(&again, 0));
  REQUIRE(context == again);
  REQUIRE_EQUAL(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxDetach(context));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuCtxDetach(context));
  use_device(0);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  REQUIRE_EQUAL(cuCtxDestroy_v2(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

static void green_context_is_a_part_of_the_primary_one(void) {
  CUdevResource processors;
  CUdevResourceDesc resources;
  CUgreenCtx green;
  CUcontext context, current;
  unsigned flags;
  int active;
  OK(cuInit(0));
  OK(cuDeviceGetDevResource(0, &processors, CU_DEV_RESOURCE_TYPE_SM));
  OK(cuDevResourceGenerateDesc(&resources, &processors, 1));
  OK(cuGreenCtxCreate(&green, resources, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  OK(cuCtxFromGreenCtx(&context, green));
  OK(cuCtxSetCurrent(context));
  OK(cuCtxGetCurrent(&current));
  REQUIRE(current == context);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  allocate(100 * MIB);
  REQUIRE(use_device(0) != context);
  REQUIRE_EQUAL(free_bytes(), 860 * MIB);
  OK(cuGreenCtxDestroy(green));
  REQUIRE_EQUAL(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_VALUE);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  REQUIRE_EQUAL(active, 0);
}

static void heap_of_kernels_costs_what_is_set_beyond_the_first(void) {
  size_t value;
  use_device(0);
  OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 64 * MIB));
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 8 * MIB));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 108 * MIB));
  OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 11 * MIB));
  REQUIRE_EQUAL(free_bytes(), 850 * MIB);
  REQUIRE_EQUAL(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2048 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
  REQUIRE_EQUAL(value, 108 * MIB);
  OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, MIB));
  REQUIRE_EQUAL(free_bytes(), 950 * MIB);
  OK(cuDevicePrimaryCtxReset_v2(0));
  use_device(0);
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
}

static void modules_cost_what_is_set(void) {
  CUmodule module;
  use_device(0);
  OK(cuModuleLoadData(&module, "any image"));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  setenv("EMULATED_GPU_MODULE", "10M", 1);
  OK(cuModuleLoadData(&module, "any image"));
  REQUIRE_EQUAL(free_bytes(), 950 * MIB);
  OK(cuModuleUnload(module));
  REQUIRE_EQUAL(free_bytes(), 960 * MIB);
  OK(cuModuleLoadData(&module, "any image"));
  OK(cuDevicePrimaryCtxReset_v2(0));
  use_device(0);
  allocate(10 * MIB);
  OK(cuModuleUnload(module));
  REQUIRE_EQUAL(free_bytes(), 950 * MIB);
}

static void whatever_is_linked_is_an_image(void) {
  CUlinkState state;
  CUmodule module;
  CUfunction function;
  void *image;
  size_t bytes;
  use_device(0);
  OK(cuLinkCreate_v2(0, NULL, NULL, &state));
  OK(cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, "any", 4, "a name", 0, NULL, NULL));
  REQUIRE_EQUAL(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/nowhere", 0, NULL, NULL),
                CUDA_ERROR_FILE_NOT_FOUND);
  OK(cuLinkComplete(state, &image, &bytes));
  REQUIRE(bytes > 0);
  OK(cuModuleLoadData(&module, image));
  OK(cuLinkDestroy(state));
  OK(cuModuleGetFunction(&function, module, "kernel"));
}

static void context_needs_room(void) {
  use_device(0);
  allocate(950 * MIB);
  CUcontext context;
  REQUIRE_EQUAL(cuCtxCreate_v2(&context, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

#define TEST(name)                                                                                 \
  static void test_##name(void **unused) {                                                         \
    (void)unused;                                                                                  \
    assert_in_child(name);                                                                         \
  }
#define ALL(X)                                                                                     \
  X(nothing_works_before_init)                                                                     \
  X(devices_say_what_they_are)                                                                     \
  X(visible_devices_are_renumbered)                                                                \
  X(no_visible_device_is_no_device)                                                                \
  X(symbols_by_version_and_kind_of_stream)                                                         \
  X(refused_look_ups_leave_the_place_as_it_was)                                                    \
  X(look_ups_without_a_name_or_a_place_abort)                                                      \
  X(errors_have_names)                                                                             \
  X(export_tables_are_refused)                                                                     \
  X(context_costs_memory_once)                                                                     \
  X(reset_gives_everything_back)                                                                   \
  X(created_contexts_stack)                                                                        \
  X(attached_context_lives_until_the_last_detaches)                                                \
  X(green_context_is_a_part_of_the_primary_one)                                                    \
  X(heap_of_kernels_costs_what_is_set_beyond_the_first)                                            \
  X(modules_cost_what_is_set)                                                                      \
  X(whatever_is_linked_is_an_image)                                                                \
  X(context_needs_room)
ALL(TEST)

#define ENTER(name) cmocka_unit_test_setup_teardown(test_##name, setup_state, teardown_state),
int main(void) {
  const struct CMUnitTest tests[] = {ALL(ENTER)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
