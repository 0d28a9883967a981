/* learned.c - see learned.h. */
#include "learned.h"
#include "lane.h"
#include "learned_table.h"
#include "schedgpu/conf_text.h"
#include <string.h>

bool sg_takes_learned(const struct sg_conf *conf, const struct sg_job_options *options) {
  uint64_t mode = sg_option_number(options, SG_OPTION_mode);
  bool peak = mode == 0 || mode == SCHEDGPU_MODE_PEAK;
  bool fails = options->overflow[0] && sg_option_number(options, SG_OPTION_overflow) == 0;
  return conf->learned_mem && !options->mem[0] && options->job_name[0] && peak && !fails &&
         !sg_wants_lane(options);
}

uint64_t sg_learned_bytes(const struct sg_conf *conf, const struct sg_job_options *options,
                          uint32_t uid) {
  if (!sg_takes_learned(conf, options))
    return 0;
  return sg_learned_find(conf->run_dir, SCHEDGPU_LEARNED_BUDGETS, uid, options->job_name);
}

/** True for a byte inside a UTF-8 character, not at its start. */
static bool is_inside(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

void sg_take_job_name(struct sg_job_options *options, const char *name) {
  size_t length = strlen(name);
  if (length >= sizeof options->job_name) {
    length = sizeof options->job_name - 1;
    while (length > 0 && is_inside(name[length]))
      length--;
  }
  memset(options->job_name, 0, sizeof options->job_name);
  memcpy(options->job_name, name, length);
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
      options->job_name[i] = '_';
}
