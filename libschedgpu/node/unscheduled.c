/* unscheduled.c - see unscheduled.h. */
#include "unscheduled.h"
#include "printable.h"
#include "schedgpu/admin.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

bool sg_unscheduled_text(const char *run_dir, uint32_t kind, uint64_t job_id, const char *step,
                         char *text, size_t size) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/unscheduled/%s-%llu%s%s", run_dir,
                        kind == SCHEDGPU_JOB_RUN ? "run" : "slurm", (unsigned long long)job_id,
                        step[0] ? "." : "", step);
  FILE *file = length < (int)sizeof path ? fopen(path, "re") : NULL;
  if (!file)
    return false;
  bool read = fgets(text, (int)size, file);
  fclose(file);
  if (!read)
    return false;
  text[strcspn(text, "\n")] = '\0';
  sg_printable(text);
  return text[0];
}
