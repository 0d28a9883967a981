/*
 * ours.c - libschedgpu as an approach, in mode ondemand, without CUDA contexts, since the paper has
 * none.
 */
#include "../support/bench_node.h"
#include "../../../../libschedgpu/shell/client/self.h"
#include "library_stages.h"

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

static void take_lock(void) {
  MUST(sg_lock(&sg_self()->h, SCHEDGPU_FOREVER) == SCHEDGPU_OK);
}

const struct schedgpu_approach approach_ours = {.name = "ours",
                                                .set_up = set_up,
                                                .tear_down = tear_down,
                                                .become_client = become_client,
                                                .init = library_init,
                                                .reserve = library_reserve,
                                                .release = library_release,
                                                .shutdown = library_shut_down,
                                                .take_lock = take_lock};
