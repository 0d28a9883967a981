/*
 * rows.c - prints the table of a job's options for build-support/option-pages, a line each: name,
 * variable, name of the value, value if none is given, allowed values, "slurm" if Slurm's commands
 * have it, its help in `schedgpu run` (empty: not there), what the manual page says beyond that,
 * and the keys of schedgpu.conf with its default and its limit; with tabs between.
 */
#include "schedgpu/job_options.h"
#include <stdio.h>

int main(void) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++) {
    const struct sg_option_row *row = &sg_option_rows[o];
    char variable[SG_OPTION_SIZE];
    printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row->name, sg_option_variable(o, variable),
           row->value_name, row->alone ? row->alone : "", sg_option_allowed(o),
           row->of_slurm ? "slurm" : "", row->of_run ? row->of_run : "", row->more, row->by_default,
           row->limit);
  }
  return 0;
}
