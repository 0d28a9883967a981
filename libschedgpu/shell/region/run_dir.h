/* run_dir.h - the files of a run directory and their access rights. Internal to the shell. */
#ifndef SG_RUN_DIR_H
#define SG_RUN_DIR_H

#include "../shell.h"
#include <sys/stat.h>

#define SG_SETUP_LOCK_FILE "setup.lock"
#define SG_CHECKPOINT_FILE "checkpoint"
/** Exists while an agent is to write the checkpoint again. */
#define SG_CHECKPOINT_DUE_FILE "checkpoint.due"
#define SG_AGENT_SOCKET "agent.sock"
/** Locked by the agent while it writes the checkpoint on request. */
#define SG_ANSWER_LOCK "answer.lock"
/** Locked by the process that runs a broker: one at a time. */
#define SG_BROKER_LOCK "broker.lock"

/** Writes "DIR/NAME" into `path` of PATH_MAX bytes; EINVAL if that is too long. */
int sg_path(char *path, const char *dir, const char *name);
/** The error code for errno after a call on a file or a segment. */
int sg_error_of_errno(void);

/** Reads at most `*size` bytes of a regular file; `*size` gets the number. ENOREGION: there
 * is none. */
int sg_file_read(const char *dir, const char *name, void *bytes, size_t *size, struct stat *st);
/**
 * Replaces a file atomically: a reader finds the old or the new one, complete. Call with the setup
 * lock. `group` -1: none.
 */
int sg_file_replace(const char *dir, const char *name, const void *bytes, size_t size, mode_t mode,
                    int32_t group);
/** Creates a liveness file, in place of an existing one; `st` identifies it. */
int sg_live_create(const char *dir, const char *name, int32_t group, struct stat *st);
/** Identifies the existing liveness file. */
int sg_live_find(const char *dir, const char *name, struct stat *st);
/** Removes every file that this project creates there, except for the setup lock. */
void sg_files_remove(const char *dir);

/**
 * Takes the setup lock, so that one process at a time creates, adopts, repairs or removes the
 * region: a lock on a file that only the owner of the run directory can open, and that ends with
 * its holder. ELOCK after `timeout_ns`.
 */
int sg_setup_lock(const char *dir, uint64_t timeout_ns, int *fd);
#define SG_SETUP_TIMEOUT_NS UINT64_C(5000000000)
void sg_setup_unlock(int fd);

#endif
