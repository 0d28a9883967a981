/* library_stages.c - see library_stages.h. The approach's one device is device 0. */
#include "library_stages.h"
#include "schedgpu/schedgpu.h"

int library_init(void) {
  return schedgpu_attach();
}

int library_reserve(uint64_t bytes, int64_t timeout_ns) {
  return schedgpu_reserve(0, bytes, timeout_ns);
}

int library_release(uint64_t bytes) {
  return schedgpu_release(0, bytes);
}

int library_shut_down(void) {
  return schedgpu_detach();
}
