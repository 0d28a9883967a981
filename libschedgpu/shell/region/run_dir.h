/* run_dir.h - the files of a run directory, and who may change them. Internal to the shell. */
#ifndef SG_RUN_DIR_H
#define SG_RUN_DIR_H

#include "../shell.h"
#include <sys/stat.h>

#define SG_SETUP_LOCK_FILE "setup.lock"
#define SG_CHECKPOINT_FILE "checkpoint"
/** There while an agent is to write the checkpoint anew. */
#define SG_CHECKPOINT_DUE_FILE "checkpoint.due"
#define SG_AGENT_SOCKET "agent.sock"
/** Locked by the agent as long as it does. */
#define SG_ANSWER_LOCK "answer.lock"
/** Locked by the one process that serves clients. */
#define SG_BROKER_LOCK "broker.lock"

/** "DIR/NAME" in `path` of PATH_MAX bytes; EINVAL if that is too long. */
int sg_path(char *path, const char *dir, const char *name);
/** What errno says about a file or a segment. */
int sg_error_of_errno(void);

/** Reads at most `*size` bytes of a regular file; `*size` gets how many. ENOREGION: not there. */
int sg_file_read(const char *dir, const char *name, void *bytes, size_t *size, struct stat *st);
/**
 * Replaces a file as a whole: whoever opens it finds the old one or the new one, complete. The
 * caller holds the setup lock. `group` -1: none.
 */
int sg_file_replace(const char *dir, const char *name, const void *bytes, size_t size, mode_t mode,
                    int32_t group);
/** Creates a liveness file anew, in place of one that is there; `st` says which file it is. */
int sg_live_create(const char *dir, const char *name, int32_t group, struct stat *st);
/** Which one is there. */
int sg_live_find(const char *dir, const char *name, struct stat *st);
/** Removes every file that we ever make there, but for the setup lock. */
void sg_files_remove(const char *dir);

/**
 * One at a time creates, adopts, mends or removes: a lock on a file that only the owner of the run
 * directory can open, and that goes with its holder. ELOCK if it took too long.
 */
int sg_setup_lock(const char *dir, uint64_t patience_ns, int *fd);
#define SG_SETUP_PATIENCE_NS UINT64_C(5000000000)
void sg_setup_unlock(int fd);

#endif
