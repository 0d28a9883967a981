/* files.h - finds the files that a job of `schedgpu run` needs. */
#ifndef SGR_FILES_H
#define SGR_FILES_H

#include "job.h"

/* All functions return false, with the reason in `job->error`, on failure. */

/**
 * Reads schedgpu.conf: the file of --conf, or the default file. Without a file the defaults apply.
 */
bool sgr_read_conf(struct sgr_job *job);

/**
 * Finds the run directory: --run-dir, else $SCHEDGPU_RUN_DIR, else RunDir of schedgpu.conf. The
 * result is an absolute path.
 */
bool sgr_find_run_dir(struct sgr_job *job);

/**
 * Finds the preload library: PreloadLibrary of schedgpu.conf, else the one beside libschedgpu.so.
 */
bool sgr_find_library(struct sgr_job *job);

#endif
