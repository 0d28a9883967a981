/* files.c - see files.h. */
#include "files.h"
#include "../conf/conf_keys.h"
#include "../node/container_env.h"
#include "../node/node.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "libschedgpu-preload.so"

#define FAIL(job, ...) snprintf((job)->error, sizeof(job)->error, __VA_ARGS__)

/** Opens schedgpu.conf. Only the default file may be missing; then `*file` is NULL. */
static bool open_conf(struct sgr_job *job, FILE **file) {
  const char *given = job->arguments.conf;
  sg_find_conf(given, job->conf_path, sizeof job->conf_path);
  *file = fopen(job->conf_path, "re");
  if (*file || (!given && errno == ENOENT))
    return true;
  if (errno == ENOENT)
    FAIL(job, "%s: there is no such file: check the path", job->conf_path);
  else
    FAIL(job, "%s: cannot be read (%s): check its mode", job->conf_path, strerror(errno));
  return false;
}

bool sgr_read_conf(struct sgr_job *job) {
  struct sg_problems problems;
  FILE *file;
  if (!open_conf(job, &file))
    return false;
  sg_problems_init(&problems, job->conf_path, job->error, sizeof job->error);
  sg_conf_read_file(file, &job->conf, NULL, &problems);
  if (file)
    fclose(file);
  job->conf_read = problems.count == 0;
  return job->conf_read;
}

bool sgr_find_run_dir(struct sgr_job *job) {
  const char *named = job->arguments.run_dir ? job->arguments.run_dir : getenv("SCHEDGPU_RUN_DIR");
  char folder[PATH_MAX] = "";
  if (!named)
    named = job->conf.run_dir;
  if (named[0] != '/' && !getcwd(folder, sizeof folder)) {
    FAIL(job, "%s: the current folder is not known (%s): write the whole path", named,
         strerror(errno));
    return false;
  }
  int length =
      snprintf(job->run_dir, sizeof job->run_dir, "%s%s%s", folder, folder[0] ? "/" : "", named);
  if (length > 0 && (size_t)length < sizeof job->run_dir)
    return true;
  FAIL(job, "%s: the path is too long", named);
  return false;
}

/** Builds the path of `name` in the folder of `file`. False if it is too long. */
static bool beside(const char *file, const char *name, char path[PATH_MAX]) {
  const char *slash = strrchr(file, '/');
  int length = slash ? snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - file), file, name)
                     : snprintf(path, PATH_MAX, "%s", name);
  return length > 0 && length < PATH_MAX;
}

/** Finds the library beside this program (build tree) or in a folder there (installed). */
static bool beside_program(char path[PATH_MAX]) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0)
    return false;
  program[length] = '\0';
  return (beside(program, FILE_NAME, path) && access(path, R_OK) == 0) ||
         (beside(program, SG_CONTAINER_FOLDER "/" FILE_NAME, path) && access(path, R_OK) == 0);
}

/** Chooses the path of the library. An explicit path is never replaced by another one. */
static bool choose_library(struct sgr_job *job) {
  const char *named = getenv("SCHEDGPU_LIBRARY");
  struct sg_conf *defaults = calloc(1, sizeof *defaults);
  if (defaults)
    sg_conf_defaults(defaults);
  bool said = !defaults || strcmp(defaults->preload_library, job->conf.preload_library) != 0;
  free(defaults);
  snprintf(job->library, sizeof job->library, "%s", job->conf.preload_library);
  if (said)
    return true;
  if (named && named[0])
    return beside(named, FILE_NAME, job->library);
  char path[PATH_MAX];
  if (beside_program(path))
    memcpy(job->library, path, sizeof job->library);
  return true;
}

bool sgr_find_library(struct sgr_job *job) {
  if (choose_library(job) && access(job->library, R_OK) == 0)
    return true;
  FAIL(job, "%s: no readable library: install libschedgpu, or set PreloadLibrary in %s",
       job->library, job->conf_path);
  return false;
}
