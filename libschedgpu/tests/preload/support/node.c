/* node.c - see node.h. */
#include "node.h"
#include "../../../core/rules/core.h"
#include "schedgpu/broker.h"
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define TIMEOUT_ROUNDS 60000 /* of a millisecond; only a failing test takes so long */

const char *node_uuid(unsigned device, char text[SCHEDGPU_UUID_SIZE]) {
  snprintf(text, SCHEDGPU_UUID_SIZE, "GPU-e0e0e0e0-0000-4000-8000-0000000000%02x", device);
  return text;
}

void node_up_with_rule(struct node *node, unsigned devices, uint32_t rule) {
  uint32_t user = node->user;
  *node = (struct node){.devices = devices, .gpu_bytes = DEVICE_BYTES, .user = user};
  strcpy(node->dir, access("/dev/shm", W_OK) == 0 ? "/dev/shm/preload-test-XXXXXX"
                                                  : "/tmp/preload-test-XXXXXX");
  assert_non_null(mkdtemp(node->dir));
  struct schedgpu_setup setup = {.policy = SCHEDGPU_POLICY_FIFO,
                                 .device_count = devices,
                                 .overtake_limit = 64,
                                 .group = user ? SCHEDGPU_GROUP_NONE : -1,
                                 .deadlock_rule = rule};
  for (unsigned i = 0; i < devices; i++) {
    setup.device[i] = (struct schedgpu_device_spec){
        .index = i, .total_bytes = DEVICE_BYTES, .context_bytes = CONTEXT_BYTES};
    node_uuid(i, setup.device[i].uuid);
  }
  assert_int_equal(schedgpu_admin_setup(node->dir, &setup), 0);
  assert_int_equal(schedgpu_admin_open(node->dir, &node->admin), 0);
}

void node_start_agent(struct node *node) {
  schedgpu_broker *broker;
  char path[128];
  node->agent = fork();
  assert_true(node->agent >= 0);
  if (node->agent == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (schedgpu_broker_open(node->dir, NULL, &broker) == SCHEDGPU_OK)
      schedgpu_broker_run(broker);
    _exit(1);
  }
  snprintf(path, sizeof path, "%s/agent.sock", node->dir);
  while (access(path, F_OK) != 0)
    usleep(1000);
}

void node_kill_agent(struct node *node) {
  if (node->agent > 0) {
    kill(node->agent, SIGKILL);
    waitpid(node->agent, NULL, 0);
  }
  node->agent = 0;
}

bool node_up_brokered(struct node *node, unsigned devices) {
  if (geteuid() != 0)
    return false;
  *node = (struct node){.user = NODE_USER};
  node_up_with_rule(node, devices, SCHEDGPU_DEADLOCK_DETECT);
  assert_int_equal(chmod(node->dir, 0777), 0); /* the programs create the emulated GPU themselves */
  node_start_agent(node);
  return true;
}

void node_up(struct node *node, unsigned devices) {
  node->user = 0;
  node_up_with_rule(node, devices, SCHEDGPU_DEADLOCK_DETECT);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)st, (void)type, (void)ftw;
  return remove(path);
}

void node_down(struct node *node) {
  node_kill_agent(node);
  schedgpu_admin_close(node->admin);
  node->admin = NULL;
  if (node->dir[0]) {
    schedgpu_admin_remove(node->dir, 1);
    nftw(node->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  }
}

static void begin(struct node *node, uint64_t id, uint32_t mode, uint64_t budget_bytes,
                  int64_t wait_ns, uint32_t mask) {
  struct schedgpu_job_spec spec = {.job_id = id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = node->user ? node->user : (uint32_t)getuid(),
                                   .priority = 50,
                                   .mode = mode,
                                   .device_mask = mask,
                                   .wait_ns = wait_ns};
  for (unsigned i = 0; i < node->devices; i++)
    spec.budget_bytes[i] = mask & 1u << i ? budget_bytes : 0;
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
}

void node_job(struct node *node, uint64_t id, uint64_t budget_bytes, int64_t wait_ns) {
  begin(node, id, budget_bytes ? SCHEDGPU_MODE_PEAK : SCHEDGPU_MODE_ONDEMAND, budget_bytes, wait_ns,
        (1u << node->devices) - 1);
}

void node_job_ondemand(struct node *node, uint64_t id, uint64_t budget_bytes, int64_t wait_ns,
                       uint32_t mask) {
  begin(node, id, SCHEDGPU_MODE_ONDEMAND, budget_bytes, wait_ns, mask);
}

void node_share_job(struct node *node, uint64_t id, uint32_t weight) {
  struct schedgpu_job_spec spec = {.job_id = id,
                                   .kind = SCHEDGPU_JOB_SLURM,
                                   .uid = node->user ? node->user : (uint32_t)getuid(),
                                   .priority = 50,
                                   .mode = SCHEDGPU_MODE_PEAK,
                                   .device_mask = 1,
                                   .wait_ns = SCHEDGPU_FOREVER,
                                   .lane = SCHEDGPU_LANE_SHARE,
                                   .share = weight,
                                   .persistent_bytes = GIB,
                                   .budget_bytes = {GIB}};
  assert_int_equal(schedgpu_admin_job_begin(node->admin, &spec), 0);
}

static struct sg_region *snapshot(struct node *node) {
  struct sg_region *r = aligned_alloc(64, schedgpu_snapshot_size());
  assert_non_null(r);
  assert_int_equal(schedgpu_admin_snapshot(node->admin, r, schedgpu_snapshot_size()), 0);
  return r;
}

uint64_t node_in_use(struct node *node, uint64_t id, unsigned device) {
  struct sg_region *r = snapshot(node);
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
  uint64_t bytes = job == SG_NONE ? 0 : sg_job_in_use(r, job, device);
  free(r);
  return bytes;
}

uint32_t node_refusals(struct node *node, uint64_t id, uint64_t *largest_bytes) {
  struct schedgpu_job_use use;
  assert_int_equal(schedgpu_admin_note_peaks(node->admin), 0);
  assert_int_equal(schedgpu_admin_job_use(node->admin, SCHEDGPU_JOB_SLURM, id, &use), 0);
  if (largest_bytes)
    *largest_bytes = use.refused_bytes;
  return use.refusals;
}

uint64_t node_contexts(struct node *node, uint64_t id, unsigned device) {
  struct sg_region *r = snapshot(node);
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    if (r->client[i].state == SG_ACTIVE && r->client[i].job == job)
      bytes += r->client[i].contexts[device];
  free(r);
  return bytes;
}

static uint32_t waiting(struct node *node, unsigned device) {
  struct sg_region *r = snapshot(node);
  uint32_t count = 0;
  for (uint32_t i = 0; i < SG_SLOTS; i++)
    count += r->waiter[i].state == SG_WAITING && r->waiter[i].device == device;
  free(r);
  return count;
}

void node_await_waiting(struct node *node, unsigned device, uint32_t count) {
  for (int round = 0; waiting(node, device) != count; round++) {
    assert_true(round < TIMEOUT_ROUNDS);
    usleep(1000);
  }
}

void node_await_turn_waiting(struct node *node, uint32_t count) {
  uint32_t found = UINT32_MAX;
  for (int round = 0; found != count; round++) {
    assert_true(round < TIMEOUT_ROUNDS);
    struct sg_region *r = snapshot(node);
    found = 0;
    for (uint32_t i = 0; i < SG_SLOTS; i++)
      found += r->turn[i].state == SG_WAITING;
    free(r);
    usleep(1000);
  }
}

uint64_t node_turns(struct node *node, uint64_t id, uint64_t *service_ns) {
  struct sg_region *r = snapshot(node);
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, id);
  assert_int_not_equal(job, SG_NONE);
  uint64_t turns = r->job[job].turns;
  if (service_ns)
    *service_ns = r->job[job].service_ns;
  free(r);
  return turns;
}

void node_check(struct node *node) {
  char text[256] = "";
  int error = schedgpu_admin_check(node->admin, text, sizeof text);
  if (error)
    fail_msg("%s", text);
}
