/* ours.c - libschedgpu behind the same interface, in mode ondemand, without CUDA contexts: the
 * paper has none. */
#include "../support/bench_node.h"
#include "../../../libschedgpu/shell/client.h"
#include "approach.h"

#define JOB 1

static struct node node;

static void set_up(void) {
  node = node_new(0, 0);
  node_job(&node, JOB, SCHEDGPU_MODE_ONDEMAND, 0);
}

static void tear_down(void) {
  node_free(&node);
}

static void become_client(void) {
  setenv("SCHEDGPU_RUN_DIR", node.dir, 1);
  be_job(JOB);
}

static int init(void) {
  return schedgpu_attach();
}

static int reserve(uint64_t bytes, int64_t timeout_ns) {
  return schedgpu_reserve(0, bytes, timeout_ns);
}

static int release(uint64_t bytes) {
  return schedgpu_release(0, bytes);
}

static int shut_down(void) {
  return schedgpu_detach();
}

static void take_lock(void) {
  MUST(sg_lock(&sg_self()->h, SCHEDGPU_FOREVER) == SCHEDGPU_OK);
}

const struct schedgpu_approach approach_ours = {.name = "ours",
                                                .set_up = set_up,
                                                .tear_down = tear_down,
                                                .become_client = become_client,
                                                .init = init,
                                                .reserve = reserve,
                                                .release = release,
                                                .shutdown = shut_down,
                                                .take_lock = take_lock};
