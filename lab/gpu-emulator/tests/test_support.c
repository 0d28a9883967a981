/* test_support.c - see test_support.h. */
#include "test_support.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static char folder[64];

int setup_state(void **unused) {
  (void)unused;
  char file[96];
  snprintf(folder, sizeof folder, "%s/emulated-gpu-test-XXXXXX",
           access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
  if (!mkdtemp(folder))
    return -1;
  snprintf(file, sizeof file, "%s/state", folder);
  setenv("EMULATED_GPU_STATE", file, 1);
  setenv("EMULATED_GPU_COUNT", "2", 1);
  setenv("EMULATED_GPU_MEM", "1G", 1);
  setenv("EMULATED_GPU_CONTEXT", "64M", 1);
  unsetenv("EMULATED_GPU_DEV_DIR");
  unsetenv("EMULATED_GPU_KERNEL_NS");
  unsetenv("EMULATED_GPU_POOL_CHUNK");
  unsetenv("EMULATED_GPU_LOG");
  unsetenv("EMULATED_GPU_MIG");
  unsetenv("EMULATED_GPU_CPUS");
  unsetenv("CUDA_VISIBLE_DEVICES");
  return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk) {
  (void)info;
  (void)type;
  (void)walk;
  return remove(path);
}

int teardown_state(void **unused) {
  (void)unused;
  return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int start_child(void (*function)(void)) {
  fflush(NULL);
  int pid = fork();
  if (pid)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no process that waits for it */
  function();
  _exit(0); /* not exit(): cmocka's handlers belong to the parent */
}

void assert_child_ends_well(int pid) {
  int status;
  assert_true(pid > 0);
  while (waitpid(pid, &status, 0) < 0)
    assert_int_equal(errno, EINTR);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

void assert_in_child(void (*function)(void)) {
  assert_child_ends_well(start_child(function));
}

void gate_make(struct gate *gate) {
  assert_int_equal(pipe(gate->ends), 0);
}

void gate_open(struct gate *gate) {
  if (write(gate->ends[1], "", 1) != 1)
    _exit(1);
}

void gate_pass(struct gate *gate) {
  char byte;
  if (read(gate->ends[0], &byte, 1) != 1)
    _exit(1);
}
