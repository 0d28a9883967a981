/* job_options.c - see job_options.h: reads the texts of options, each once. */
#include "schedgpu/job_options.h"
#include "../shell/sys/percent.h"
#include "lane.h"
#include "overflow.h"
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** A value that is longer than any valid one. */
#define TOO_LONG "(too long)"
/** The largest share that the core takes. */
#define MAX_WEIGHT 1000

#define TIME_ALLOWED "a time (500ms, 30s, 5m, 2h, MM:SS, HH:MM:SS, a bare number of seconds)"

/** How a type of option is read. False: the text is not allowed. */
typedef bool reader(const char *text, struct sg_value *value);

/** A decimal number from 1 to `most`, or 0. */
static uint64_t number_of(const char *text, uint64_t most) {
  char *end;
  errno = 0;
  unsigned long number = strtoul(text, &end, 10);
  bool wrong = text[0] < '0' || text[0] > '9' || *end || errno || number > most;
  return wrong ? 0 : number;
}

/** A percentage is kept as one: the device is not known yet. */
static bool read_size(const char *text, struct sg_value *value) {
  bool percent = strchr(text, '%') != NULL;
  value->kind = percent ? SG_VALUE_PERCENT : SG_VALUE_BYTES;
  return schedgpu_parse_bytes(text, 100, &value->number) == SCHEDGPU_OK && value->number > 0;
}

static bool read_priority(const char *text, struct sg_value *value) {
  int32_t priority = 0;
  int rc = schedgpu_parse_priority(text, &priority);
  *value = (struct sg_value){SG_VALUE_NUMBER, {(uint64_t)priority}};
  return rc == SCHEDGPU_OK;
}

static bool read_wait(const char *text, struct sg_value *value) {
  value->kind = SG_VALUE_NS;
  return schedgpu_parse_time(text, &value->ns) == SCHEDGPU_OK;
}

static bool read_length(const char *text, struct sg_value *value) {
  return read_wait(text, value) && value->ns > 0;
}

static bool read_processes(const char *text, struct sg_value *value) {
  *value = (struct sg_value){SG_VALUE_NUMBER, {number_of(text, SCHEDGPU_MAX_CLIENTS)}};
  return value->number > 0;
}

/** One of `words`, whose number is its place. */
static bool read_word(const char *text, const char *const *words, struct sg_value *value) {
  value->kind = SG_VALUE_WORD;
  for (value->number = 0; words[value->number]; value->number++)
    if (words[value->number][0] && strcasecmp(text, words[value->number]) == 0)
      return true;
  return false;
}

static bool read_mode(const char *text, struct sg_value *value) {
  static const char *const words[] = {
      "", [SCHEDGPU_MODE_PEAK] = "peak", [SCHEDGPU_MODE_ONDEMAND] = "ondemand",
      [SCHEDGPU_MODE_GATE] = "gate", NULL};
  return read_word(text, words, value);
}

/** 1: it waits. */
static bool read_overflow(const char *text, struct sg_value *value) {
  static const char *const words[] = {"fail", "wait", NULL};
  return read_word(text, words, value);
}

/** The policies that users may call by name: a share has a weight instead. */
static bool read_lane(const char *text, struct sg_value *value) {
  value->kind = SG_VALUE_WORD;
  for (value->number = 0; value->number < SCHEDGPU_LANE_SHARE; value->number++)
    if (strcasecmp(text, schedgpu_lane_policy_name((uint32_t)value->number)) == 0)
      return true;
  return false;
}

/** The weight; 0: `none`. */
static bool read_share(const char *text, struct sg_value *value) {
  *value = (struct sg_value){SG_VALUE_NUMBER, {number_of(text, MAX_WEIGHT)}};
  return value->number > 0 || strcasecmp(text, "none") == 0;
}

/* X(TYPE, what is allowed) */
#define TYPES(X)                                                                                   \
  X(size, "a size (512M, 6G, 6GiB, a bare number of MiB) or a percentage (40%) above 0")           \
  X(priority, "low, normal, high or 0 to 100")                                                     \
  X(mode, "peak, ondemand or gate")                                                                \
  X(wait, TIME_ALLOWED " or forever")                                                              \
  X(length, TIME_ALLOWED " above 0")                                                               \
  X(processes, "a number from 1 to 1024")                                                          \
  X(overflow, "fail or wait")                                                                      \
  X(lane, "fair, pack, srtf, fifo or none")                                                        \
  X(share, "a weight from 1 to 1000, or none")

#define TYPE_INDEX(type, allowed) TYPE_##type,
enum { TYPES(TYPE_INDEX) };
#define TYPE(type, allowed) {read_##type, allowed},
static const struct {
  reader *read;
  const char *allowed;
} types[] = {TYPES(TYPE)};

static bool same_budget(const struct schedgpu_job_spec *one,
                        const struct schedgpu_job_spec *other) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    if ((one->device_mask & other->device_mask & 1u << d) &&
        one->budget_bytes[d] != other->budget_bytes[d])
      return false;
  return true;
}

static uint32_t weight(const struct schedgpu_job_spec *spec) {
  return spec->share ? spec->share : 1;
}

static bool overflow_waits(const struct schedgpu_job_spec *spec) {
  return spec->flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS;
}

#define SAME(field, type, value, alone, by_default, limit, expression, ...)                        \
  static bool same_##field(const struct schedgpu_job_spec *one,                                    \
                           const struct schedgpu_job_spec *other) {                                \
    (void)one;                                                                                     \
    (void)other;                                                                                   \
    return expression;                                                                             \
  }
SG_JOB_OPTIONS(SAME)

#define ROW(field, type, value, alone, by_default, limit, same, ...)                               \
  {#field, value, alone, by_default, limit, __VA_ARGS__, same_##field},
const struct sg_option_row sg_option_rows[SG_OPTIONS] = {SG_JOB_OPTIONS(ROW)};

#define KIND(field, type, ...) {offsetof(struct sg_job_options, field), TYPE_##type},
/** Where the text of an option is, and how it is read. */
static const struct {
  size_t offset;
  int type;
} kinds[] = {SG_JOB_OPTIONS(KIND)};

const char *sg_option_variable(enum sg_option option, char name[SG_OPTION_SIZE]) {
  snprintf(name, SG_OPTION_SIZE, "SCHEDGPU_%s", sg_option_rows[option].name);
  for (char *c = name; *c; c++)
    *c = (char)toupper((unsigned char)*c);
  return name;
}

const char *sg_option_allowed(enum sg_option option) {
  return types[kinds[option].type].allowed;
}

const char *sg_option_text(const struct sg_job_options *options, enum sg_option option) {
  return (const char *)options + kinds[option].offset;
}

static bool read(enum sg_option option, const char *text, struct sg_value *value) {
  return types[kinds[option].type].read(text, value);
}

static int refuse(const struct sg_job_options *options, enum sg_option option, const char *text,
                  char *error, size_t error_size) {
  snprintf(error, error_size, "%s%s=%s: must be %s", sg_option_prefix(options),
           sg_option_rows[option].name, text, sg_option_allowed(option));
  return SCHEDGPU_EINVAL;
}

int sg_option_take(struct sg_job_options *options, enum sg_option option, const char *text,
                   char *error, size_t error_size) {
  struct sg_value value;
  size_t length = strlen(text);
  if (length >= SG_OPTION_SIZE || !read(option, text, &value))
    return refuse(options, option, length < SG_OPTION_SIZE ? text : TOO_LONG, error, error_size);
  memcpy((char *)options + kinds[option].offset, text, length + 1);
  options->value[option] = value;
  return SCHEDGPU_OK;
}

void sg_option_copy(struct sg_job_options *to, const struct sg_job_options *from,
                    enum sg_option option) {
  memcpy((char *)to + kinds[option].offset, sg_option_text(from, option), SG_OPTION_SIZE);
  to->value[option] = from->value[option];
}

struct sg_value sg_option_value(const struct sg_job_options *options, enum sg_option option) {
  struct sg_value value = options->value[option];
  const char *text = sg_option_text(options, option);
  bool known = value.kind != SG_VALUE_NONE || (text[0] && read(option, text, &value));
  return known ? value : (struct sg_value){0};
}

uint64_t sg_value_bytes(struct sg_value value, uint64_t total_bytes) {
  return value.kind == SG_VALUE_PERCENT ? sg_percent_of(value.number, total_bytes) : value.number;
}

int sg_options_check(const struct sg_job_options *options, char *error, size_t error_size) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++) {
    const char *text = sg_option_text(options, o);
    if (text[0] && sg_option_value(options, o).kind == SG_VALUE_NONE)
      return refuse(options, o, text, error, error_size);
  }
  int rc = sg_overflow_check(options, error, error_size);
  return rc == SCHEDGPU_OK ? sg_lane_check(options, error, error_size) : rc;
}
