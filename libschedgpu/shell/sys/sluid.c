/* sluid.c - see sluid.h */
#include "sluid.h"
#include "schedgpu/schedgpu.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sg_sluid_valid(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool digit = text[i] >= '0' && text[i] <= '9';
    bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
    if (!digit && !letter)
      return false;
  }
  return length > 0 && length < SG_SLUID_SIZE;
}

/** Writes the path RUN_DIR/sluid/SLUID with an ending. */
static bool path_of(char path[PATH_MAX], const char *run_dir, const char *sluid,
                    const char *ending) {
  if (!sg_sluid_valid(sluid, strlen(sluid)))
    return false;
  int n = snprintf(path, PATH_MAX, "%s/" SG_SLUID_DIR "/%s%s", run_dir, sluid, ending);
  return n > 0 && n < PATH_MAX;
}

static bool make_folder(const char *run_dir) {
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/" SG_SLUID_DIR, run_dir);
  if (n < 0 || n >= (int)sizeof path)
    return false;
  return (mkdir(path, 0755) == 0 && chmod(path, 0755) == 0) || errno == EEXIST;
}

int sg_sluid_record(const char *run_dir, const char *sluid, uint64_t job_id) {
  char path[PATH_MAX], fresh[PATH_MAX], number[24];
  if (!path_of(path, run_dir, sluid, "") || !path_of(fresh, run_dir, sluid, ".new"))
    return SCHEDGPU_EINVAL;
  snprintf(number, sizeof number, "%llu", (unsigned long long)job_id);
  if (!make_folder(run_dir))
    return SCHEDGPU_ESYSTEM;
  unlink(fresh); /* left by a prolog that was killed */
  bool done = symlink(number, fresh) == 0 && rename(fresh, path) == 0;
  return done ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}

void sg_sluid_forget(const char *run_dir, const char *sluid) {
  char path[PATH_MAX];
  if (path_of(path, run_dir, sluid, ""))
    unlink(path);
}

void sg_sluid_forget_all(const char *run_dir) {
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/" SG_SLUID_DIR, run_dir);
  DIR *folder = n > 0 && n < (int)sizeof path ? opendir(path) : NULL;
  if (!folder)
    return;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
    unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and ".." */
  closedir(folder);
  rmdir(path);
}

bool sg_sluid_job(const char *run_dir, const char *sluid, uint64_t *job_id) {
  char path[PATH_MAX], number[24], *end;
  int saved = errno;
  ssize_t n = path_of(path, run_dir, sluid, "") ? readlink(path, number, sizeof number - 1) : -1;
  errno = saved;
  if (n < 1)
    return false;
  number[n] = '\0';
  *job_id = strtoull(number, &end, 10);
  errno = saved;
  return number[0] >= '0' && number[0] <= '9' && *end == '\0';
}
