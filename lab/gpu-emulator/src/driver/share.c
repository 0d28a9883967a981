/*
 * share.c - memory of cuMemCreate that leaves the process as a file descriptor. The table in the
 * state knows which processes use it; here is how often this process does.
 */
#include "physical.h"
#include "../shared/log.h"
#include "../shared/shareable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each import is a `struct physical` of its own, also of memory that this process has already. */
static unsigned uses[MAX_SHAREABLES];

/* A zeroed file that nobody can resize: who maps it cannot be ended by a SIGBUS. */
static int make_file(size_t bytes) {
  int file = memfd_create("emulated-gpu-shared-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && !ftruncate(file, (off_t)bytes) &&
      !fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return file;
  log_error("cannot create shareable memory of %zu bytes: %s: release some, or raise the limit of "
            "open files",
            bytes, strerror(errno));
  if (file >= 0)
    close(file);
  return -1;
}

CUresult share_make(struct physical *memory, unsigned device, size_t bytes) {
  struct stat info;
  int file = make_file(bytes);
  if (file < 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  fstat(file, &info);
  struct shareable entry = {
      .bytes = bytes, .device = device, .file_device = info.st_dev, .file_inode = info.st_ino};
  state_lock(driver.state);
  int index = shareable_enter(driver.state, (unsigned)driver.slot, &entry);
  state_unlock(driver.state);
  if (index < 0) {
    close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  uses[index] = 1;
  *memory = (struct physical){.device = device, .bytes = bytes, .file = file, .shareable = index};
  return CUDA_SUCCESS;
}

void share_end(const struct physical *memory) {
  close(memory->file);
  if (--uses[memory->shareable])
    return;
  state_lock(driver.state);
  shareable_drop(driver.state, memory->shareable, (unsigned)driver.slot);
  state_unlock(driver.state);
}

/* Opens the file again, with a position and locks of its own. -1 with errno. */
static int open_again(int descriptor) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, O_RDWR | O_CLOEXEC);
}

static CUresult export_file(int *descriptor, const struct physical *memory) {
  int file = open_again(memory->file);
  if (file < 0 || shareable_mark_exported(file)) {
    log_error("cannot export memory: %s", strerror(errno));
    if (file >= 0)
      close(file);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  state_lock(driver.state);
  driver.state->shareables[memory->shareable].exported = 1;
  state_unlock(driver.state);
  *descriptor = file;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  NEED_DRIVER();
  NEED(shareable && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && !flags);
  driver_lock();
  const struct physical *memory = physical_of(handle);
  CUresult result = memory && memory->shareable != NOT_SHAREABLE ? export_file(shareable, memory)
                                                                 : CUDA_ERROR_INVALID_VALUE;
  driver_unlock();
  log_call("export memory -> %d", result);
  return result;
}

/* The ordinal of a device in this process, or -1 if it cannot see it. */
static int ordinal_of(unsigned device) {
  for (unsigned i = 0; i < driver.devices.count; i++)
    if (driver.devices.device[i] == device)
      return (int)i;
  return -1;
}

/* Call with the driver and the state locked. */
static CUresult use_file(struct physical *memory, int file) {
  struct stat info;
  NEED(!fstat(file, &info));
  int index = shareable_find(driver.state, info.st_dev, info.st_ino);
  NEED(index >= 0);
  const struct shareable *entry = &driver.state->shareables[index];
  if (ordinal_of(entry->device) < 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  TRY(driver_claim_slot());
  shareable_use(driver.state, index, (unsigned)driver.slot);
  uses[index]++;
  *memory = (struct physical){
      .device = entry->device, .bytes = entry->bytes, .file = file, .shareable = index};
  return CUDA_SUCCESS;
}

/* Call with the driver locked. */
static CUresult import_file(CUmemGenericAllocationHandle *handle, int descriptor) {
  int file = open_again(descriptor);
  NEED(file >= 0);
  struct physical memory;
  state_lock(driver.state);
  CUresult result = use_file(&memory, file);
  state_unlock(driver.state);
  if (result) {
    close(file);
    return result;
  }
  const struct physical *entered = physical_enter(&memory);
  if (!entered) {
    share_end(&memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *handle = physical_handle(entered);
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type) {
  NEED_DRIVER();
  NEED(handle && type);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  driver_lock();
  CUresult result = import_file(handle, (int)(intptr_t)shareable);
  driver_unlock();
  log_call("import memory of descriptor %d -> %d", (int)(intptr_t)shareable, result);
  return result;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle) {
  NEED_DRIVER();
  NEED(properties);
  driver_lock();
  const struct physical *memory = physical_of(handle);
  if (memory)
    *properties = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = memory->shareable == NOT_SHAREABLE
                                    ? CU_MEM_HANDLE_TYPE_NONE
                                    : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal_of(memory->device)}};
  driver_unlock();
  return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
