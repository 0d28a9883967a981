/* cgroup_job.c - see cgroup_job.h. */
#include "cgroup_job.h"
#include "small_file.h"
#include <string.h>

#define CGROUP_BYTES 16384

struct word {
  const char *at;
  size_t length;
};

static bool begins_with(struct word w, const char *text) {
  size_t n = strlen(text);
  return w.length >= n && memcmp(w.at, text, n) == 0;
}

static bool ends_with(struct word w, const char *text) {
  size_t n = strlen(text);
  return w.length >= n && memcmp(w.at + w.length - n, text, n) == 0;
}

static bool is(struct word w, const char *text) {
  return begins_with(w, text) && w.length == strlen(text);
}

/* Parses "job_123"; the number must be all of the rest. */
static bool is_job(struct word w, uint64_t *job_id) {
  uint64_t id = 0;
  if (!begins_with(w, "job_") || w.length == 4)
    return false;
  for (size_t i = 4; i < w.length; i++)
    if (w.at[i] < '0' || w.at[i] > '9' || __builtin_mul_overflow(id, UINT64_C(10), &id) ||
        __builtin_add_overflow(id, (uint64_t)(w.at[i] - '0'), &id))
      return false;
  *job_id = id;
  return true;
}

static bool is_scope(struct word w) {
  return is(w, "slurmstepd.scope") || ends_with(w, "_slurmstepd.scope");
}

static bool is_slurms(struct word grandparent, struct word parent) {
  return is_scope(parent) || (begins_with(parent, "uid_") &&
                              (is(grandparent, "slurm") || begins_with(grandparent, "slurm_")));
}

/* Reads a folder of Slurm's scope without a number in its name. */
static bool is_sluid(struct word w, char sluid[SG_SLUID_SIZE]) {
  if (w.length == 0 || is(w, "system"))
    return false;
  bool valid = sg_sluid_valid(w.at, w.length);
  memcpy(sluid, valid ? w.at : "?", valid ? w.length : 1);
  sluid[valid ? w.length : 1] = '\0';
  return true;
}

/* `path` ends at a newline or at the end of the text. */
static bool job_in_path(const char *path, struct sg_group_job *job) {
  struct word before = {"", 0}, last = {"", 0};
  while (*path == '/') {
    struct word w = {path + 1, strcspn(path + 1, "/\n")};
    if (is_slurms(before, last) && is_job(w, &job->job_id)) {
      job->sluid[0] = '\0';
      return true;
    }
    if (is_scope(last) && is_sluid(w, job->sluid))
      return true;
    before = last;
    last = w;
    path = w.at + w.length;
  }
  return false;
}

/* Each line is HIERARCHY:CONTROLLERS:PATH; controllers hold no slash, a v1 name may. */
bool sg_cgroup_job(const char *text, struct sg_group_job *job) {
  while (*text) {
    const char *end = text + strcspn(text, "\n");
    const char *first = memchr(text, ':', (size_t)(end - text));
    const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
    if (second && job_in_path(second + 1, job))
      return true;
    text = *end ? end + 1 : end;
  }
  return false;
}

bool sg_own_cgroup_job(struct sg_group_job *job) {
  char text[CGROUP_BYTES];
  return sg_read_small_file("/proc/self/cgroup", text, sizeof text) && sg_cgroup_job(text, job);
}

bool sg_group_job_id(const char *run_dir, const struct sg_group_job *job, uint64_t *job_id) {
  *job_id = job->job_id;
  return !job->sluid[0] || sg_sluid_job(run_dir, job->sluid, job_id);
}
