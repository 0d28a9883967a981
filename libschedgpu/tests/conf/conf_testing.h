/* conf_testing.h - files for the tests of the configuration. */
#ifndef CONF_TESTING_H
#define CONF_TESTING_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "schedgpu/conf.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)
#define SECOND_NS INT64_C(1000000000)

/** Writes `text` to a new file and returns its path, valid until the next call. */
static inline const char *file_with(const char *text) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/schedgpu-test-XXXXXX");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  return path;
}

/** A device of `total_bytes` whose virtual GPUs are `first` to `first + count - 1`. */
static inline void add_device(struct sg_conf_devices *devices, uint32_t index, uint64_t total_bytes,
                              uint16_t first, uint32_t count) {
  struct sg_conf_device *d = &devices->device[devices->count++];
  memset(d, 0, sizeof *d);
  d->spec.index = index;
  d->spec.total_bytes = total_bytes;
  d->spec.context_bytes = 256 * MIB;
  snprintf(d->spec.uuid, sizeof d->spec.uuid, "GPU-%u", index);
  snprintf(d->file, sizeof d->file, "/dev/nvidia%u", index);
  d->virtual_count = count;
  for (uint32_t i = 0; i < count; i++)
    d->virtual_index[i] = (uint16_t)(first + i);
}

#endif
