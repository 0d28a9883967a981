/* files.h - where the parts of the node are, for a job of `schedgpu run`. */
#ifndef SGR_FILES_H
#define SGR_FILES_H

#include "job.h"

/* False, with the reason in `job->error`, if that cannot be found out. */

/** schedgpu.conf: that of --conf, or the usual one; the defaults where there is none. */
bool sgr_read_conf(struct sgr_job *job);

/** --run-dir, else $SCHEDGPU_RUN_DIR, else RunDir of schedgpu.conf; an absolute path. */
bool sgr_find_run_dir(struct sgr_job *job);

/** The preload library: PreloadLibrary of schedgpu.conf, else beside libschedgpu.so. */
bool sgr_find_library(struct sgr_job *job);

#endif
