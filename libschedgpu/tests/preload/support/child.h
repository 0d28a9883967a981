/*
 * child.h - a program under the preload library that obeys commands line by line, and answers each
 * with one line. So a test can read the region between any two steps without timing.
 */
#ifndef PRELOAD_TEST_CHILD_H
#define PRELOAD_TEST_CHILD_H

#include "node.h"
#include <stdbool.h>
#include <sys/types.h>

/** How a program is started. */
struct start {
  const char *program;      /**< name in the folder of programs, or an absolute path */
  const char *arguments[4]; /**< up to the first NULL */
  uint64_t job;             /**< SCHEDGPU_JOB=slurm:<job>; 0: no job */
  bool without_preload;
  bool broken_stderr;         /**< a pipe that nobody reads */
  const char *preload_before; /**< other libraries of LD_PRELOAD, names in the folder of programs */
  const char *preload_after;
  const char *libraries;   /**< folder of libraries, in the folder of programs, that comes first */
  const char *devices;     /**< SCHEDGPU_DEVICES, NULL: all of the node */
  const char *environment; /**< one more "NAME=value", or NULL */
  const char *run_dir;     /**< NULL: the node's */
  /** Called in the new process before its exec. False ends the process with status 126. */
  bool (*before_exec)(const struct node *node);
};

struct child {
  pid_t pid;
  int to, from;
  char errors[96]; /**< file of its stderr */
  char line[512];  /**< its last answer */
};

/** Starts `how` on `node`. Children left over are killed by child_end_all(). */
void child_start(struct child *child, struct node *node, const struct start *how);

/** Sends a line and returns the first number of the answer; the whole answer is in child->line. */
long long child_ask(struct child *child, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** The two halves of child_ask(), for a call that waits. */
void child_tell(struct child *child, const char *format, ...) __attribute__((format(printf, 2, 3)));
long long child_answer(struct child *child);
/** n-th number of the last answer, 0 = the first. */
unsigned long long child_number(const struct child *child, int n);

/** Closes its stdin and returns its exit status; a signal is 128 + number. */
int child_end(struct child *child);
void child_kill(struct child *child);
void child_end_all(void);

/** How many lines of its stderr contain `text`. */
int child_said(const struct child *child, const char *text);

#endif
