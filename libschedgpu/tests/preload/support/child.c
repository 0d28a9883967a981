/* child.c - see child.h. */
#include "child.h"
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define TIMEOUT_MS 120000 /* only a failing test takes so long */
#define CHILDREN 64

static pid_t running[CHILDREN];

/** The environment of one start, as execve() takes it. */
struct environment {
  char text[24][1024];
  char *entry[25];
  int count;
};

static void set(struct environment *e, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  assert_true(e->count < 24);
  vsnprintf(e->text[e->count], sizeof e->text[0], format, arguments);
  va_end(arguments);
  e->entry[e->count] = e->text[e->count];
  e->count++;
}

static void set_preload(struct environment *e, const struct node *node, const struct start *how) {
  char list[1000] = "";
  const char *before = how->preload_before;
  if (!before && node->gpu_bytes < DEVICE_BYTES)
    before = "libshort_pauses.so"; /* a driver that refuses would be asked for ten seconds */
  if (before)
    snprintf(list, sizeof list, PROGRAMS_DIR "/%s:", before);
  size_t end = strlen(list);
  snprintf(list + end, sizeof list - end, "%s", how->without_preload ? "" : PRELOAD_LIBRARY);
  end = strlen(list);
  if (how->preload_after)
    snprintf(list + end, sizeof list - end, ":" PROGRAMS_DIR "/%s", how->preload_after);
  set(e, "LD_PRELOAD=%s", list);
}

static void fill(struct environment *e, const struct node *node, const struct start *how) {
  char uuid[SCHEDGPU_UUID_SIZE];
  set_preload(e, node, how);
  set(e, "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  set(e, "HOME=%s", getenv("HOME") ? getenv("HOME") : "/");
  set(e, "LD_LIBRARY_PATH=%s%s%s" EMULATOR_DIR, how->libraries ? PROGRAMS_DIR "/" : "",
      how->libraries ? how->libraries : "", how->libraries ? ":" : "");
  set(e, "EMULATED_GPU_STATE=%s/gpu", node->dir);
  set(e, "EMULATED_GPU_COUNT=%u", node->devices);
  set(e, "EMULATED_GPU_MEM=%lluM", (unsigned long long)(node->gpu_bytes / MIB));
  set(e, "EMULATED_GPU_CONTEXT=%lluM", (unsigned long long)(CONTEXT_BYTES / MIB));
  set(e, "SCHEDGPU_RUN_DIR=%s", how->run_dir ? how->run_dir : node->dir);
  if (how->job)
    set(e, "SCHEDGPU_JOB=slurm:%llu", (unsigned long long)how->job);
  if (how->devices)
    set(e, "SCHEDGPU_DEVICES=%s", how->devices);
  else if (node->devices == 1)
    set(e, "SCHEDGPU_DEVICES=%s", node_uuid(0, uuid));
  if (how->environment)
    set(e, "%s", how->environment);
}

static void run(const struct child *child, const struct node *node, const struct start *how,
                struct environment *e, int in, int out) {
  char path[512];
  const char *arguments[6] = {how->program,      how->arguments[0], how->arguments[1],
                              how->arguments[2], how->arguments[3], NULL};
  snprintf(path, sizeof path, how->program[0] == '/' ? "%s" : PROGRAMS_DIR "/%s", how->program);
  int unread[2], errors = open(child->errors, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (how->broken_stderr && pipe(unread) == 0) {
    close(unread[0]);
    errors = unread[1];
  }
  signal(SIGPIPE, SIG_DFL);
  dup2(in, 0);
  dup2(out, 1);
  dup2(errors, 2);
  for (int i = 3; i < 64; i++)
    close(i);
  if (how->before_exec && !how->before_exec(node))
    _exit(126);
  if (node->user && (setgid(node->user) != 0 || setuid(node->user) != 0))
    _exit(126);
  execve(path, (char **)arguments, e->entry);
  _exit(127);
}

static void remember(pid_t pid) {
  for (int i = 0; i < CHILDREN; i++)
    if (running[i] == 0) {
      running[i] = pid;
      return;
    }
  fail_msg("too many children");
}

static void forget(pid_t pid) {
  for (int i = 0; i < CHILDREN; i++)
    if (running[i] == pid)
      running[i] = 0;
}

void child_start(struct child *child, struct node *node, const struct start *how) {
  static int number;
  static struct environment e;
  int in[2], out[2];
  e = (struct environment){.count = 0};
  fill(&e, node, how);
  *child = (struct child){0};
  snprintf(child->errors, sizeof child->errors, "%s/stderr.%d", node->dir, ++number);
  assert_int_equal(pipe2(in, O_CLOEXEC), 0);
  assert_int_equal(pipe2(out, O_CLOEXEC), 0);
  signal(SIGPIPE, SIG_IGN); /* a program that died fails the test, and must not end it */
  child->pid = fork();
  assert_true(child->pid >= 0);
  if (child->pid == 0)
    run(child, node, how, &e, in[0], out[1]);
  remember(child->pid);
  close(in[0]);
  close(out[1]);
  child->to = in[1];
  child->from = out[0];
}

void child_tell(struct child *child, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  line[length++] = '\n';
  assert_int_equal(write(child->to, line, (size_t)length), length);
}

long long child_answer(struct child *child) {
  size_t length = 0;
  for (;;) {
    struct pollfd ready = {.fd = child->from, .events = POLLIN};
    if (poll(&ready, 1, TIMEOUT_MS) != 1)
      fail_msg("no answer from the program");
    char c;
    if (read(child->from, &c, 1) != 1)
      fail_msg("the program ended instead of answering (see %s)", child->errors);
    if (c == '\n')
      break;
    if (length < sizeof child->line - 1)
      child->line[length++] = c;
  }
  child->line[length] = '\0';
  return strtoll(child->line, NULL, 10);
}

long long child_ask(struct child *child, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  child_tell(child, "%s", line);
  return child_answer(child);
}

unsigned long long child_number(const struct child *child, int n) {
  const char *at = child->line;
  for (; n > 0 && at; n--)
    at = (at = strchr(at, ' ')) ? at + 1 : NULL;
  return at ? strtoull(at, NULL, 10) : 0;
}

static int reap(struct child *child) {
  int status;
  assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
  forget(child->pid);
  close(child->from);
  child->pid = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_end(struct child *child) {
  close(child->to);
  return reap(child);
}

void child_kill(struct child *child) {
  kill(child->pid, SIGKILL);
  close(child->to);
  reap(child);
}

void child_end_all(void) {
  for (int i = 0; i < CHILDREN; i++)
    if (running[i]) {
      kill(running[i], SIGKILL);
      waitpid(running[i], NULL, 0);
      running[i] = 0;
    }
}

int child_said(const struct child *child, const char *text) {
  char line[1024];
  int count = 0;
  FILE *file = fopen(child->errors, "r");
  while (file && fgets(line, sizeof line, file))
    count += strstr(line, text) != NULL;
  if (file)
    fclose(file);
  return count;
}
