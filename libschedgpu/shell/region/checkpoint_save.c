/*
 * checkpoint_save.c - when the checkpoint is written, and by whom: this process, or an agent that
 * it asks.
 */
#include "check.h"
#include "run_dir.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/** Time-out of the lock: a longer holder is stopped, and the next writer includes our changes. */
#define TIMEOUT_NS UINT64_C(500000000)
/**
 * Time-out of the agent: if it has not answered for longer it is stopped, and every process writes
 * itself.
 */
#define AGENT_TIMEOUT_S 1

/**
 * Copies the records after a repair: damaged records would be left out, and are only in the older
 * file.
 */
static bool take_repaired(struct sg_handle *h, struct sg_checkpoint *c, struct sg_wakes *wakes) {
  struct sg_report report;
  if (sg_checkpoint_take(h->r, c))
    return true;
  if (sg_check_region(h, false, &report, wakes) != SCHEDGPU_OK)
    return false;
  sg_checkpoint_take(h->r, c);
  return true;
}

/**
 * Writes the checkpoint. Takes the setup lock before the copy, so the last writer has the last
 * copy. Writes nothing for a region that was replaced meanwhile.
 */
static bool save_locked(struct sg_handle *h, struct sg_checkpoint *c) {
  struct sg_wakes wakes;
  sg_wakes_clear(&wakes);
  if (!sg_region_exists(h))
    return true;
  if (sg_lock(h, INT64_C(1000000000)) != SCHEDGPU_OK)
    return false;
  bool taken = take_repaired(h, c, &wakes);
  sg_unlock_and_wake(h, &wakes);
  return taken && sg_checkpoint_put(c, h->run_dir) == SCHEDGPU_OK;
}

bool sg_checkpoint_save(struct sg_handle *h) {
  int fd;
  bool saved = false;
  if (!sg_is_owner(h))
    return true;
  struct sg_checkpoint *c = sg_checkpoint_new();
  if (c && sg_setup_lock(h->run_dir, TIMEOUT_NS, &fd) == SCHEDGPU_OK) {
    saved = save_locked(h, c);
    sg_setup_unlock(fd);
  }
  sg_checkpoint_free(c);
  return saved;
}

/**
 * Takes a lock of the open file, not of the process (as AgentLock does): that would be gone as soon
 * as the agent itself, ending a job, had checked whether an agent is alive.
 */
int sg_answer_lock(const char *run_dir) {
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (sg_path(path, run_dir, SG_ANSWER_LOCK) != SCHEDGPU_OK)
    return -1;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &whole) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

/** True if an agent answers. Ignores read locks. */
static bool agent_lives(const char *run_dir) {
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  if (sg_path(path, run_dir, SG_ANSWER_LOCK) != SCHEDGPU_OK)
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return false;
  bool lives = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  close(fd);
  return lives;
}

/** True if the existing `path` is so new that a working agent may be about to handle it. */
static bool asked_recently(const char *path) {
  struct stat asked;
  struct timespec now;
  if (stat(path, &asked) != 0)
    return false; /* removed just now, perhaps for an earlier copy */
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t age_s = (int64_t)now.tv_sec - asked.st_mtim.tv_sec;
  return age_s >= 0 && age_s <= AGENT_TIMEOUT_S;
}

/** Creates the file of the request once; the agent is notified of it and removes it. */
static bool ask_agent(const char *run_dir) {
  char path[PATH_MAX];
  if (sg_path(path, run_dir, SG_CHECKPOINT_DUE_FILE) != SCHEDGPU_OK)
    return false;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0)
    close(fd);
  return fd >= 0 || (errno == EEXIST && asked_recently(path));
}

void sg_checkpoint_ask(struct sg_handle *h) {
  if (!sg_is_owner(h))
    return;
  if (!agent_lives(h->run_dir) || !ask_agent(h->run_dir))
    sg_checkpoint_save(h);
}

/** Removes the request before the copy, because later changes may not be in it. */
bool sg_checkpoint_answer(struct sg_handle *h) {
  char path[PATH_MAX];
  if (sg_path(path, h->run_dir, SG_CHECKPOINT_DUE_FILE) != SCHEDGPU_OK || unlink(path) != 0)
    return true;
  sg_crash_point();
  bool saved = sg_checkpoint_save(h);
  if (!saved)
    ask_agent(h->run_dir);
  return saved;
}
