/* lane_memory.c - see lane_memory.h. */
#include "lane_memory.h"
#include "../../shell/client/lane_memory.h"
#include "../account/charge.h"
#include "../account/late.h"
#include "../join/devices.h"
#include "../join/message.h"
#include "../join/schedule.h"
#include "../resolve/resolve.h"
#include "door.h"
#include "pieces.h"
#include "schedgpu/schedgpu.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A process that has just died may still be listed, and a stopped one may go on: looks are repeated
 * for ten seconds. */
#define LOOKS 500
#define PAUSE_NS 20000000
#define READ_AND_WRITE 3

struct range {
  CUdeviceptr address;
  unsigned pieces;      /**< of which descriptors exist */
  unsigned mapped;      /**< of which are mapped */
  unsigned made;        /**< from here on they are new */
  CUdevice cuda_device; /**< as the driver numbers it */
  int device;           /**< as schedgpu.h numbers it */
  int descriptor[SGP_PIECES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range own;              /* with the lock */
static _Atomic uint64_t mapped_bytes; /* of `own`; 0: nothing is mapped */

#define REAL(name) ((__typeof__(&name))sgp_real(SGP_##name))

/* --- pieces --- */

static bool failed(const char *what, int result) {
  sgp_say_once(SGP_NO_LANE_MEMORY,
               "the memory of the lane cannot be had: %s returned %d; the job has only its "
               "persistent memory: start it without schedgpu_lane_share() to go on without",
               what, result);
  return false;
}

/* Each call of the driver is made if it exists, and says what went wrong. */
#define DO(name, function, ...)                                                                    \
  do {                                                                                             \
    __typeof__(function) call = (function);                                                        \
    CUresult result = call ? call(__VA_ARGS__) : CUDA_ERROR_STUB_LIBRARY;                          \
    if (result != CUDA_SUCCESS)                                                                    \
      return failed(name, (int)result);                                                            \
  } while (0)

/* NVIDIA's structure is longer than what the hooks know of it. */
union properties {
  CUmemAllocationProp known;
  char bytes[64];
};

/* The memory of a member that was killed may come back late. */
static CUresult create(CUmemGenericAllocationHandle *handle, const struct range *range,
                       unsigned piece) {
  union properties properties = {
      .known = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                .location = {CU_MEM_LOCATION_TYPE_DEVICE, range->cuda_device}}};
  __typeof__(&cuMemCreate) call = REAL(cuMemCreate);
  CUresult result = CUDA_ERROR_STUB_LIBRARY;
  unsigned pauses = 0;
  do
    result = call ? call(handle, sgp_piece_bytes(piece), &properties.known, 0) : result;
  while (result == CUDA_ERROR_OUT_OF_MEMORY && sgp_late_memory_pause(range->device, pauses++));
  if (result == CUDA_SUCCESS && pauses)
    sgp_late_memory_came();
  return result;
}

static bool make_piece(struct range *range, unsigned piece) {
  CUmemGenericAllocationHandle handle;
  CUresult result = create(&handle, range, piece);
  if (result != CUDA_SUCCESS)
    return failed("cuMemCreate", (int)result);
  sgp_cuMemExportToShareableHandle pass_on = SGP_CALL(cuMemExportToShareableHandle);
  result = pass_on ? pass_on(&range->descriptor[piece], handle,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)
                   : CUDA_ERROR_STUB_LIBRARY;
  if (result == CUDA_SUCCESS)
    range->pieces = piece + 1;
  REAL(cuMemRelease)(handle); /* the descriptor keeps it */
  return result == CUDA_SUCCESS || failed("cuMemExportToShareableHandle", (int)result);
}

static bool map_piece(struct range *range, unsigned piece) {
  CUmemGenericAllocationHandle handle;
  CUdeviceptr at = range->address + sgp_piece_begin(piece);
  DO("cuMemImportFromShareableHandle", SGP_CALL(cuMemImportFromShareableHandle), &handle,
     (void *)(intptr_t)range->descriptor[piece], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  CUresult result = REAL(cuMemMap)(at, sgp_piece_bytes(piece), 0, handle, 0);
  if (result == CUDA_SUCCESS)
    range->mapped = piece + 1;
  REAL(cuMemRelease)(handle); /* the mapping keeps it */
  return result == CUDA_SUCCESS || failed("cuMemMap", (int)result);
}

/* Nobody sees what an earlier owner of the memory left there. */
static bool clear(const struct range *range, unsigned first, unsigned end) {
  uint64_t from = sgp_piece_begin(first), bytes = sgp_piece_begin(end) - from;
  if (bytes == 0)
    return true;
  DO("cuMemsetD8", SGP_CALL(cuMemsetD8_v2), range->address + from, 0, bytes);
  DO("cuCtxSynchronize", REAL(cuCtxSynchronize));
  return true;
}

static bool map_all(struct range *range, unsigned count) {
  uint64_t bytes = sgp_piece_begin(count);
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, range->cuda_device}, READ_AND_WRITE};
  DO("cuMemAddressReserve", SGP_CALL(cuMemAddressReserve), &range->address, bytes, 0, 0, 0);
  for (unsigned piece = 0; piece < count; piece++)
    if ((piece >= range->pieces && !make_piece(range, piece)) || !map_piece(range, piece))
      return false;
  DO("cuMemSetAccess", SGP_CALL(cuMemSetAccess), range->address, bytes, &access, 1);
  return clear(range, range->made, count);
}

static void unmap_all(struct range *range, unsigned count) {
  for (unsigned piece = 0; piece < range->mapped; piece++)
    REAL(cuMemUnmap)(range->address + sgp_piece_begin(piece), sgp_piece_bytes(piece));
  for (unsigned piece = 0; piece < range->pieces; piece++)
    close(range->descriptor[piece]);
  if (range->address)
    SGP_CALL(cuMemAddressFree)(range->address, sgp_piece_begin(count));
  *range = (struct range){0};
}

/* --- what others have --- */

/* Gets the pieces that other processes have; false: not all of them, as of this look. */
static bool get_pieces(struct range *range, unsigned count, const struct sg_lane_view *view) {
  unsigned had = sgp_pieces_in(view->most_bytes);
  unsigned end = had < count ? had : count;
  for (uint32_t i = 0; i < view->count && range->pieces < end; i++)
    range->pieces = sgp_door_ask(view->door[i], view->lane, range->pieces, end, range->descriptor);
  range->made = range->pieces;
  return range->pieces >= end;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What a live process has is never made again, even if it does not pass it on: both would be on the
 * device. */
static int find_pieces(struct range *range, unsigned *count, struct sg_lane_view *view) {
  for (uint64_t looks = 0; looks < LOOKS; looks++) {
    uint64_t begin_ns = now_ns();
    int rc = sg_lane_memory_view(range->device, view);
    if (rc != SCHEDGPU_OK)
      return rc;
    *count = sgp_pieces_in(view->limit_bytes);
    if (*count == 0)
      return SCHEDGPU_EBUDGET;
    if (get_pieces(range, *count, view))
      return SCHEDGPU_OK;
    looks += (now_ns() - begin_ns) / PAUSE_NS; /* a process that does not answer takes time */
    syscall(SYS_nanosleep, &(struct timespec){0, PAUSE_NS}, NULL);
  }
  sgp_say_once(SGP_NO_LANE_MEMORY,
               "the memory of the lane cannot be had: another process has it and does not pass it "
               "on: it is stopped, or in another network namespace");
  return SCHEDGPU_ETIMEDOUT;
}

/* --- the calls --- */

static int map_lane(struct range *range) {
  struct sg_lane_view view;
  unsigned count = 0;
  uint32_t door = sgp_door_open();
  if (door == 0)
    return SCHEDGPU_ESYSTEM;
  int rc = find_pieces(range, &count, &view);
  if (rc == SCHEDGPU_OK)
    rc = sg_lane_memory_note(range->device, sgp_piece_begin(count), door);
  if (rc == SCHEDGPU_OK && map_all(range, count)) {
    sgp_door_offer(view.lane, range->descriptor, count);
    return SCHEDGPU_OK;
  }
  unmap_all(range, count);
  if (rc != SCHEDGPU_OK)
    return rc;
  sg_lane_memory_note(range->device, 0, 0);
  return SCHEDGPU_ESYSTEM;
}

static int current_device(int device, CUdevice *cuda_device) {
  sgp_cuCtxGetDevice get = SGP_CALL(cuCtxGetDevice);
  if (!get || get(cuda_device) != CUDA_SUCCESS || sgp_device_ordinal(*cuda_device) != device)
    return SCHEDGPU_EDEVICE;
  return SCHEDGPU_OK;
}

static int map_once(int device) {
  struct range range = {.device = device};
  int rc = current_device(device, &range.cuda_device);
  bool inside = sgp_inside;
  sgp_inside = true; /* the driver's calls are not charged */
  if (rc == SCHEDGPU_OK)
    rc = map_lane(&range);
  sgp_inside = inside;
  if (rc != SCHEDGPU_OK)
    return rc;
  own = range;
  atomic_store(&mapped_bytes, sgp_piece_begin(range.mapped));
  return SCHEDGPU_OK;
}

/* The note is lost with the record of the process, if that is damaged and repaired. */
static int check_note(void) {
  uint64_t bytes = atomic_load(&mapped_bytes);
  return sg_lane_memory_noted(own.device) == bytes
             ? SCHEDGPU_OK
             : sg_lane_memory_note(own.device, bytes, sgp_door_open());
}

int schedgpu_lane_memory(int device, uint64_t *address, uint64_t *bytes) {
  int cancel_state;
  if (sgp_mode() != SGP_MODE_ON)
    return SCHEDGPU_ENOJOB;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_mutex_lock(&lock);
  bool mapped = atomic_load(&mapped_bytes) != 0;
  int rc = mapped ? check_note() : map_once(device);
  if (rc == SCHEDGPU_OK && own.device != device)
    rc = SCHEDGPU_EDEVICE;
  if (rc == SCHEDGPU_OK) {
    *address = own.address;
    *bytes = atomic_load(&mapped_bytes);
  }
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(cancel_state, NULL);
  return rc;
}

void sgp_lane_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (unsigned piece = 0; piece < own.pieces; piece++)
    close(own.descriptor[piece]);
  own = (struct range){0};
  atomic_store(&mapped_bytes, 0);
}
