/*
 * client_server.c - the paper's client-server approach, as Mode=brokered has it: the agent's loop
 * (libschedgpu/broker) in its own process, and clients of another user on its socket. In mode
 * ondemand each call is a message, as in the paper; in mode peak, calls inside a budget need no
 * message.
 */
#include "client_server.h"
#include "../../../../libschedgpu/tests/support/node.h"
#include "../support/clock.h"
#include "../support/must.h"
#include "../support/processes.h"
#include "library_stages.h"
#include "schedgpu/broker.h"
#include <signal.h>
#include <sys/prctl.h>

#define JOB 1
#define USER 54321
#define BUDGET_BYTES APPROACH_TOTAL_BYTES

struct server {
  struct node node;
  pid_t pid;
};

static struct server by_call, by_budget;
static schedgpu_broker *serving;

static void stop_serving(int signal) {
  (void)signal;
  schedgpu_broker_stop(serving);
}

static void serve(const struct server *server, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  MUST(schedgpu_broker_open(server->node.dir, NULL, &serving) == SCHEDGPU_OK);
  signal(SIGTERM, stop_serving);
  MUST(write(ready, "r", 1) == 1);
  MUST(schedgpu_broker_run(serving) == SCHEDGPU_OK);
  schedgpu_broker_close(serving);
  _exit(0);
}

static void start(struct server *server) {
  int pipe_fds[2];
  char ready;
  MUST(pipe(pipe_fds) == 0);
  fflush(NULL);
  server->pid = fork();
  MUST(server->pid >= 0);
  if (server->pid == 0)
    serve(server, pipe_fds[1]);
  MUST(read(pipe_fds[0], &ready, 1) == 1);
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

static void stop_server(struct server *server) {
  kill(server->pid, SIGTERM);
  process_await(server->pid);
}

static void make_node(struct server *server, uint32_t mode) {
  struct schedgpu_setup setup = fixture_setup(1, APPROACH_TOTAL_BYTES, 0, SCHEDGPU_POLICY_FIFO);
  setup.group = SCHEDGPU_GROUP_NONE;
  server->node = node_of(&setup);
  struct schedgpu_job_spec job =
      job_spec(JOB, mode, mode == SCHEDGPU_MODE_PEAK ? BUDGET_BYTES : 0, 50);
  job.uid = USER;
  MUST(schedgpu_admin_job_begin(server->node.admin, &job) == SCHEDGPU_OK);
}

static void remove_node(struct server *server) {
  char path[128];
  static const char *const files[] = {"agent.sock", "broker.lock"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", server->node.dir, files[i]);
    unlink(path);
  }
  node_free(&server->node);
}

bool client_server_possible(void) {
  return geteuid() == 0;
}

void client_server_once(double *start_ns, double *stop_ns) {
  struct server server = {0};
  make_node(&server, SCHEDGPU_MODE_ONDEMAND);
  uint64_t began_ns = now_ns();
  start(&server);
  *start_ns = (double)(now_ns() - began_ns);
  began_ns = now_ns();
  stop_server(&server);
  *stop_ns = (double)(now_ns() - began_ns);
  remove_node(&server);
}

static void set_up_by_call(void) {
  make_node(&by_call, SCHEDGPU_MODE_ONDEMAND);
  start(&by_call);
}

static void set_up_by_budget(void) {
  make_node(&by_budget, SCHEDGPU_MODE_PEAK);
  start(&by_budget);
}

static void tear_down_by_call(void) {
  stop_server(&by_call);
  remove_node(&by_call);
}

static void tear_down_by_budget(void) {
  stop_server(&by_budget);
  remove_node(&by_budget);
}

static void become_client(const struct server *server) {
  setenv("SCHEDGPU_RUN_DIR", server->node.dir, 1);
  be_job(JOB);
  MUST(setgid(USER) == 0 && setuid(USER) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
}

static void become_by_call(void) {
  become_client(&by_call);
}

static void become_by_budget(void) {
  become_client(&by_budget);
}

const struct schedgpu_approach approach_client_server = {.name = "client-server",
                                                         .set_up = set_up_by_call,
                                                         .tear_down = tear_down_by_call,
                                                         .become_client = become_by_call,
                                                         .init = library_init,
                                                         .reserve = library_reserve,
                                                         .release = library_release,
                                                         .shutdown = library_shut_down};

const struct schedgpu_approach approach_server_budget = {.name = "server-budget",
                                                         .set_up = set_up_by_budget,
                                                         .tear_down = tear_down_by_budget,
                                                         .become_client = become_by_budget,
                                                         .init = library_init,
                                                         .reserve = library_reserve,
                                                         .release = library_release,
                                                         .shutdown = library_shut_down};
