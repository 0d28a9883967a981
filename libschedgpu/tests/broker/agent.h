/*
 * agent.h - a node whose region only root may write, its agent in a separate process, and ordinary
 * users.
 */
#ifndef SG_TEST_AGENT_H
#define SG_TEST_AGENT_H

#include "../robustness/robustness.h"
#include "../../shell/wire/wire.h"
#include "schedgpu/broker.h"
#include "unit.h"
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#define ALICE 54321u
#define BOB 54322u

struct agent {
  struct child child;
};

static struct schedgpu_broker_limits agent_limits;
/** What the agent calls before it serves. */
static void (*agent_prepare)(schedgpu_broker *broker);

#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
#else
static inline int __lsan_do_recoverable_leak_check(void) {
  return 0;
}
#endif

/** A capability that this agent lacks, of those of its unit. */
static const char *agent_lacks;
/** The limit of descriptors; 0: that of the unit. */
static rlim_t agent_descriptors;
/** True if the agent reports that it is ready only after its search for earlier clients. */
static bool agent_searches_first = true;

static int agent_says, agent_receives;

/** Forks as a start of another program does: until the exec, the child has every descriptor. */
static inline void agent_forks(void) {
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    _exit(0);
  }
  send_byte(agent_says, 'f');
}

static void *obey_commands(void *broker) {
  char order;
  while (agent_searches_first && schedgpu_broker_count(broker, "adopting") > 0)
    nap_ms(1);
  send_byte(agent_says, 'u');
  while ((order = receive_byte(agent_receives)) == 'f')
    agent_forks();
  if (order == 's')
    schedgpu_broker_stop(broker);
  return NULL;
}

/**
 * Runs the agent until it is killed, or is sent 's' (stop). Then it reports whether it throttled a
 * connection ('t', 'n'), and ends with 0 if all went well. Sent 'f', it forks a child that does
 * nothing.
 */
static inline void agent_body(int write_fd, int read_fd) {
  schedgpu_broker *b;
  pthread_t thread;
  agent_says = write_fd;
  agent_receives = read_fd;
  unit_confine(agent_lacks, agent_descriptors);
  if (schedgpu_broker_open(getenv("SCHEDGPU_RUN_DIR"), &agent_limits, &b) != SCHEDGPU_OK)
    _exit(3);
  if (agent_prepare)
    agent_prepare(b);
  pthread_create(&thread, NULL, obey_commands, b);
  if (schedgpu_broker_run(b) != SCHEDGPU_OK)
    _exit(4);
  struct schedgpu_broker_stats stats;
  schedgpu_broker_stats(b, &stats);
  send_byte(write_fd, stats.throttled > 0 ? 't' : 'n');
  pthread_join(thread, NULL);
  schedgpu_broker_close(b);
  b = NULL;
  _exit(__lsan_do_recoverable_leak_check() ? 5 : 0);
}

static inline struct child agent_start(void) {
  struct child c = child_start(0, agent_body);
  assert_int_equal(receive_byte(c.from), 'u');
  return c;
}

static inline struct node closed_node(uint64_t context_bytes, int64_t grace_ns) {
  if (geteuid() != 0) {
    printf("[  SKIPPED ] because other users are needed: only root can be them\n");
    exit(0);
  }
  struct schedgpu_setup s = fixture_setup(1, 10 * GIB, context_bytes, SCHEDGPU_POLICY_FIFO);
  s.grace_ns = grace_ns;
  s.group = SCHEDGPU_GROUP_NONE;
  return node_of(&s);
}

static inline void job_of(struct node *n, uint64_t id, uint32_t uid, uint32_t mode,
                          uint64_t budget_bytes) {
  struct schedgpu_job_spec s = job_spec(id, mode, budget_bytes, 50);
  s.uid = uid;
  assert_int_equal(schedgpu_admin_job_begin(n->admin, &s), SCHEDGPU_OK);
}

static inline void become(uint32_t uid) {
  if (setgid(uid) != 0 || setuid(uid) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    _exit(9);
}

/** Executes commands, one letter each: */
static inline char answer_of(int rc) {
  return (char)('0' - rc);
}

static inline void obeys(int write_fd, int read_fd) {
  struct schedgpu_info info = {0};
  for (;;) {
    char c = receive_byte(read_fd);
    int rc = 0;
    switch (c) {
    case 'r':
      rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_FOREVER);
      break;
    case 'n':
      rc = schedgpu_reserve(0, 6 * GIB, SCHEDGPU_NO_WAIT);
      break;
    case 'm': /* within a second */
      rc = schedgpu_reserve(0, 6 * GIB, 200 * MS);
      break;
    case '1':
      rc = schedgpu_reserve(0, 1 * GIB, SCHEDGPU_FOREVER);
      break;
    case 'f':
      rc = schedgpu_release(0, 1 * GIB);
      break;
    case 'g':
      rc = schedgpu_release(0, 6 * GIB);
      break;
    case 'q':
      rc = schedgpu_query(0, &info);
      send_byte(write_fd, rc == 0 ? (char)('A' + info.job_used_bytes / GIB) : answer_of(rc));
      continue;
    case 'd':
      rc = schedgpu_detach();
      break;
    case 'a':
      rc = schedgpu_attach();
      break;
    case 'e':
      rc = schedgpu_context_enter(0, SCHEDGPU_FOREVER);
      break;
    case 'l':
      rc = schedgpu_context_leave(0);
      break;
    default:
      return;
    }
    send_byte(write_fd, answer_of(rc));
  }
}

static uint32_t user_uid;
static inline void user_obeys(int write_fd, int read_fd) {
  become(user_uid);
  obeys(write_fd, read_fd);
}

static inline struct child user_start(uint32_t uid, uint64_t job) {
  user_uid = uid;
  return child_start(job, user_obeys);
}

static inline char send_command(const struct child *c, char order) {
  send_byte(c->to, order);
  return receive_byte(c->from);
}

#define OK_ANSWER '0'
#define does(child, order, error) assert_int_equal(send_command(&(child), order), answer_of(error))
#define uses(child, gib) assert_int_equal(send_command(&(child), 'q'), 'A' + (gib))

static inline void await_used(struct node *n, uint64_t bytes) {
  while (node_used(n) != bytes)
    nap_ms(1);
}

#endif
