/* options_env.c - see options_env.h. */
#include "options_env.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** The source of the variables, and the buffer for a message. */
struct source {
  const char *prefix;
  sg_env_get get;
  void *context;
  char *error;
  size_t error_size;
};

int sg_env_get_own(void *context, const char *name, char *value, size_t size) {
  (void)context;
  const char *found = getenv(name);
  if (!found)
    return 0;
  if (strlen(found) >= size)
    return -1;
  strcpy(value, found);
  return 1;
}

static int report_problem(const struct source *s, const char *name, const char *what) {
  snprintf(s->error, s->error_size, "environment variable %s%s: %s", s->prefix, name, what);
  return SCHEDGPU_EINVAL;
}

/** Reads a variable into `value`. 0 = not set or empty, 1 = set, or EINVAL. */
static int fetch(const struct source *s, const char *name, char *value) {
  char full[64];
  snprintf(full, sizeof full, "%s%s", s->prefix, name);
  int got = s->get(s->context, full, value, SG_OPTION_SIZE);
  if (got < 0)
    return report_problem(s, name, "longer than any value: correct it or unset it");
  return got && value[0];
}

static int fetch_text(const struct source *s, enum sg_option option,
                      struct sg_job_options *options) {
  char reason[512], name[SG_OPTION_SIZE], value[SG_OPTION_SIZE];
  if (sg_option_text(options, option)[0])
    return SCHEDGPU_OK;
  int got = fetch(s, sg_option_variable(option, name), value);
  if (got <= 0)
    return got;
  return sg_option_take(options, option, value, reason, sizeof reason) == SCHEDGPU_OK
             ? SCHEDGPU_OK
             : report_problem(s, name, reason);
}

/** Parses 1 or yes, 0 or no. Returns 1 or 0, else EINVAL. */
static int parse_truth(const char *value) {
  if (strcmp(value, "1") == 0 || strcasecmp(value, "yes") == 0)
    return 1;
  return strcmp(value, "0") == 0 || strcasecmp(value, "no") == 0 ? 0 : SCHEDGPU_EINVAL;
}

static int fetch_truth(const struct source *s, const char *name, bool *truth, bool *said) {
  char value[SG_OPTION_SIZE];
  int got = *said ? 0 : fetch(s, name, value);
  if (got <= 0)
    return got;
  int parsed = parse_truth(value);
  if (parsed < 0)
    return report_problem(s, name, "must be 1 or 0");
  *truth = parsed;
  *said = true;
  return SCHEDGPU_OK;
}

int sg_parse_switch(const char *value, bool *off) {
  if (strcasecmp(value, "on") != 0 && strcasecmp(value, "off") != 0)
    return SCHEDGPU_EINVAL;
  *off = strcasecmp(value, "off") == 0;
  return SCHEDGPU_OK;
}

static int fetch_switch(const struct source *s, struct sg_given *given) {
  char value[SG_OPTION_SIZE];
  int got = given->switched || s->prefix[0] ? 0 : fetch(s, "SCHEDGPU", value);
  if (got <= 0)
    return got;
  if (sg_parse_switch(value, &given->options.off) != SCHEDGPU_OK)
    return report_problem(s, "SCHEDGPU", "must be on or off");
  given->switched = true;
  return SCHEDGPU_OK;
}

int sg_options_from_env(struct sg_given *given, const char *prefix, sg_env_get get, void *context,
                        char *error, size_t error_size) {
  const struct source s = {prefix, get, context, error, error_size};
  int rc = fetch_switch(&s, given);
  for (enum sg_option o = 0; rc == SCHEDGPU_OK && o < SG_OPTIONS; o++)
    rc = sg_option_rows[o].of_slurm ? fetch_text(&s, o, &given->options) : rc;
  bool distinct_said = given->options.distinct;
  if (rc == SCHEDGPU_OK)
    rc = fetch_truth(&s, "SCHEDGPU_DISTINCT", &given->options.distinct, &distinct_said);
  if (rc == SCHEDGPU_OK && prefix[0])
    rc = fetch_truth(&s, "SCHEDGPU_OFF", &given->options.off, &given->switched);
  return rc;
}

void sg_options_inherit(struct sg_given *given, const struct sg_given *from) {
  for (enum sg_option o = 0; o < SG_OPTIONS; o++)
    if (!sg_option_text(&given->options, o)[0])
      sg_option_copy(&given->options, &from->options, o);
  given->options.distinct |= from->options.distinct;
  if (!given->switched) {
    given->options.off = from->options.off;
    given->switched = from->switched;
  }
}

static void add(char *text, size_t size, const char *name, const char *value) {
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s=%s;", name, value);
}

void sg_options_to_text(const struct sg_given *given, const struct sg_given *but, char *text,
                        size_t size) {
  char name[SG_OPTION_SIZE];
  text[0] = '\0';
  for (enum sg_option o = 0; o < SG_OPTIONS; o++) {
    const char *value = sg_option_text(&given->options, o);
    if (value[0] && strcmp(value, sg_option_text(&but->options, o)) != 0)
      add(text, size, sg_option_variable(o, name), value);
  }
  if (given->options.distinct && !but->options.distinct)
    add(text, size, "SCHEDGPU_DISTINCT", "1");
  if (given->switched && (!but->switched || given->options.off != but->options.off))
    add(text, size, "SCHEDGPU", given->options.off ? "off" : "on");
}

/** sg_env_get over a text of sg_options_to_text(). */
static int get_from_text(void *context, const char *name, char *value, size_t size) {
  size_t length = strlen(name);
  for (const char *at = context, *end; (end = strchr(at, ';')); at = end + 1) {
    if (strncmp(at, name, length) != 0 || at[length] != '=')
      continue;
    size_t of_value = (size_t)(end - at) - length - 1;
    if (of_value >= size)
      return -1;
    memcpy(value, at + length + 1, of_value);
    value[of_value] = '\0';
    return 1;
  }
  return 0;
}

int sg_options_from_text(struct sg_given *given, const char *text, char *error, size_t error_size) {
  return sg_options_from_env(given, "", get_from_text, (void *)text, error, error_size);
}
