/* preloaded.h - the environment of a program that runs under the preload library in a job. */
#ifndef BENCH_PRELOADED_H
#define BENCH_PRELOADED_H

#include "bench_node.h"

#define EMULATED_UUID "GPU-e0e0e0e0-0000-4000-8000-000000000000"

/** For the calling process, which is about to execute the program. `driver` is the folder of its
 * libcuda.so.1; the state of the emulated GPU is in the folder of the node. */
static inline void set_environment(const struct node *node, uint64_t job, const char *driver) {
  char state[128];
  snprintf(state, sizeof state, "%s/gpu", node->dir);
  be_job(job);
  setenv("LD_LIBRARY_PATH", driver, 1);
  setenv("EMULATED_GPU_STATE", state, 1);
  setenv("SCHEDGPU_RUN_DIR", node->dir, 1);
  setenv("SCHEDGPU_DEVICES", EMULATED_UUID, 1);
  setenv("LD_PRELOAD", PRELOAD_LIBRARY, 1);
}

/** A node with one device, which is the emulated GPU. */
static inline struct node emulated_node(struct schedgpu_setup setup) {
  snprintf(setup.device[0].uuid, sizeof setup.device[0].uuid, EMULATED_UUID);
  return node_of(&setup);
}

static inline void remove_emulated_node(struct node *node) {
  char state[128];
  snprintf(state, sizeof state, "%s/gpu", node->dir);
  unlink(state);
  node_free(node);
}

#endif
