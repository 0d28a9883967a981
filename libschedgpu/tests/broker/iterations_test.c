/*
 * iterations_test.c - the iterations of processes that an agent serves: the tests of Mode=shared
 * (tests/shell/iterations_test.c), with processes of an ordinary user.
 */
#include "agent.h"

static struct child server;
static void (*served_body)(int write_fd, int read_fd);

static struct node served_node(void) {
  struct node node = closed_node(0, 0);
  server = agent_start();
  return node;
}

static void served_free(struct node *node) {
  child_kill(&server);
  node_free(node);
}

static void serve_body(int write_fd, int read_fd) {
  become(ALICE);
  served_body(write_fd, read_fd);
}

static struct child served_start(uint64_t job, void (*body)(int write_fd, int read_fd)) {
  served_body = body;
  return child_start(job, serve_body);
}

#define obeys obeys_here
#define getuid() ALICE
#define node_job(node, id, mode, bytes) job_of(node, id, ALICE, mode, bytes)
#define node_new(context_bytes, grace_ns) served_node()
#define node_free(node) served_free(node)
#define child_start(job, body) served_start(job, body)
#include "../shell/iterations_test.c"
