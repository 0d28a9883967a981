/*
 * testing.h - what the plugin's tests share: cmocka, a node with two devices, a region of its own.
 */
#ifndef TESTING_H
#define TESTING_H

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

static char folder[64];

static inline const char *in_folder(const char *name) {
  static char paths[4][PATH_MAX];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static inline void write_file(const char *name, const char *format, ...) {
  va_list arguments;
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

/** Writes a schedgpu.conf with these lines, RunDir and PreloadLibrary. */
static inline void configure(const char *lines) {
  write_file("schedgpu.conf", "RunDir=%s/run\nPreloadLibrary=%s/libours.so\n%s\n", folder, folder,
             lines);
}

/** Virtual GPUs 0-3 are of device 0, 4-7 of device 1. */
static inline int set_up_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/schedgpu-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("SLURMD_NODENAME", "gpu1", 1);
  configure("");
  write_file("libours.so", "a library");
  write_file("devices.conf",
             "NodeName=gpu1 Device=0 UUID=GPU-a File=%s/nvidia0 TotalBytes=17179869184 "
             "ReservedBytes=0 ContextBytes=268435456 Virtual=0-3\n"
             "NodeName=gpu1 Device=1 UUID=GPU-b File=%s/nvidia1 TotalBytes=17179869184 "
             "ReservedBytes=0 ContextBytes=268435456 Virtual=4-7\n",
             folder, folder);
  return 0;
}

static inline int remove_folder(void **state) {
  char command[128];
  (void)state;
  schedgpu_admin_remove(in_folder("run"), 1); /* the segment is not removed with the files */
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

#endif
