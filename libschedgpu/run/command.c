/* command.c - see command.h. */
#include "command.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENDED_BY_SIGNAL 128

static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDINGS (sizeof ENDING / sizeof *ENDING)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigset_t before; /**< signal mask for the command */
static bool caught;
/* The following variables are protected by the mutex. */
static enum { STARTS, RUNS, IS_OVER } phase;
static pid_t child;
static bool early[ENDINGS];
static void (*end_job)(void *);
static void *end_argument;

/**
 * True for a Ctrl-C that the terminal sent to the whole foreground group, so that the command has
 * received it already. Only the kernel sends it with SI_KERNEL (sigaction(2)); a process that sends
 * SIGINT may mean this process alone.
 */
static bool was_sent_to_all(const siginfo_t *signal) {
  return signal->si_signo == SIGINT && signal->si_code == SI_KERNEL;
}

static void keep(int signal) {
  for (size_t i = 0; i < ENDINGS; i++)
    early[i] = early[i] || ENDING[i] == signal;
}

static void give(const siginfo_t *signal) {
  pthread_mutex_lock(&mutex);
  if (end_job)
    end_job(end_argument);
  if (end_job || phase == IS_OVER)
    _exit(ENDED_BY_SIGNAL + signal->si_signo);
  if (phase == STARTS)
    keep(signal->si_signo);
  else if (!was_sent_to_all(signal))
    kill(child, signal->si_signo);
  pthread_mutex_unlock(&mutex);
}

static void *wait_for_signals(void *argument) {
  const sigset_t *signals = argument;
  for (siginfo_t signal;;)
    if (sigwaitinfo(signals, &signal) > 0)
      give(&signal);
  return NULL;
}

int sgr_signals_catch(void) {
  static sigset_t signals;
  pthread_t thread;
  sigemptyset(&signals);
  for (size_t i = 0; i < ENDINGS; i++) {
    struct sigaction action;
    if (sigaction(ENDING[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals, ENDING[i]);
  }
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  caught = true;
  return pthread_create(&thread, NULL, wait_for_signals, &signals);
}

void sgr_signals_end_with(void (*end)(void *), void *argument) {
  pthread_mutex_lock(&mutex);
  end_job = end;
  end_argument = argument;
  pthread_mutex_unlock(&mutex);
}

/**
 * Executes the command, in the child. An error is written to the pipe; a successful start closes
 * it.
 */
static void become(char *const *command, char *const *environment, int pipe_fd) {
  if (caught)
    sigprocmask(SIG_SETMASK, &before, NULL);
  execvpe(command[0], command, environment);
  int problem = errno;
  if (write(pipe_fd, &problem, sizeof problem) < 0) {
    /* no process is left to report it to */
  }
  _exit(127);
}

static pid_t start(char *const *command, char *const *environment, int output) {
  int pipe_ends[2], problem = 0;
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return -1;
  pid_t pid = fork();
  if (pid == 0) {
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))
      _exit(127);
    become(command, environment, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  bool failed = pid > 0 && read(pipe_ends[0], &problem, sizeof problem) == sizeof problem;
  close(pipe_ends[0]);
  if (!failed)
    return pid;
  waitpid(pid, NULL, 0);
  errno = problem;
  return -1;
}

static int exit_code(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(status) ? ENDED_BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/** Sets the state of the started command, and sends it the signals that came before. */
static void give_early(pid_t pid) {
  child = pid;
  phase = pid > 0 ? RUNS : IS_OVER;
  for (size_t i = 0; pid > 0 && i < ENDINGS; i++)
    if (early[i])
      kill(pid, ENDING[i]);
}

int sgr_command_run(char *const *command, char *const *environment) {
  siginfo_t info;
  pthread_mutex_lock(&mutex);
  pid_t pid = start(command, environment, -1);
  int problem = errno;
  give_early(pid);
  pthread_mutex_unlock(&mutex);
  errno = problem;
  if (pid < 0)
    return -1;
  /* The pid is not reused before the process was waited for; after that no signal is sent. */
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    ;
  pthread_mutex_lock(&mutex);
  phase = IS_OVER;
  int code = exit_code(pid);
  pthread_mutex_unlock(&mutex);
  return code;
}

int sgr_command_ask(char *const *command, char *const *environment, char *said, size_t size) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  FILE *output = fdopen(ends[0], "r");
  pid_t pid = output ? start(command, environment, ends[1]) : -1;
  close(ends[1]);
  size_t length = pid > 0 ? fread(said, 1, size - 1, output) : 0;
  said[length] = '\0';
  while (pid > 0 && fgetc(output) != EOF)
    ;
  if (output)
    fclose(output);
  return pid > 0 ? exit_code(pid) : -1;
}
