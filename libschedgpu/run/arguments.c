/* arguments.c - see arguments.h. */
#include "arguments.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One option, and the field that gets its value. */
struct option {
  const char *name;
  size_t offset;
  const char *value_name; /**< name of the value in the help */
  bool of_all;            /**< also accepted before "run" */
  const char *alone;      /**< its value if none is given with "="; NULL: the next word */
};

#define AT(field) offsetof(struct sgr_arguments, field)
#define OF_JOB(field, type, value, alone, by_default, limit, same, of_slurm, of_run, ...)          \
  {of_run ? "--" #field : "", AT(option[SG_OPTION_##field]), value, false, alone},
static const struct option OPTIONS[] = {{"--conf", AT(conf), "FILE", true, NULL},
                                        {"--config", AT(conf), "FILE", true, NULL},
                                        {"--run-dir", AT(run_dir), "DIR", true, NULL},
                                        {"--device", AT(device), "LIST", false, NULL},
                                        {"--on-failure", AT(on_failure), "WHAT", false, NULL},
                                        {"--context", AT(context), "SIZE", false, NULL},
                                        SG_JOB_OPTIONS(OF_JOB)};

/** The state of reading: the next word and what was found so far. */
struct reader {
  char **word;
  bool inside; /**< true behind "run" */
  const char
      *given[sizeof OPTIONS / sizeof *OPTIONS]; /**< by option: its value, NULL if not given */
  struct sgr_arguments *to;
  char *error;
  size_t error_size;
};

static bool is(const char *text, const char *word) {
  return strcmp(text, word) == 0;
}

/** The option that `word` names, up to an equals sign; NULL if there is none. */
static const struct option *find(const struct reader *reader, const char *word) {
  size_t length = strcspn(word, "=");
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
    if (strlen(OPTIONS[i].name) == length && memcmp(OPTIONS[i].name, word, length) == 0 &&
        (reader->inside || OPTIONS[i].of_all))
      return &OPTIONS[i];
  return NULL;
}

static bool add_device(struct sgr_arguments *to, uint32_t device) {
  for (uint32_t i = 0; i < to->device_count; i++)
    if (to->device[i] == device)
      return true;
  if (to->device_count == SCHEDGPU_MAX_DEVICES)
    return false;
  to->device[to->device_count++] = device;
  return true;
}

static bool add_devices(struct reader *reader, const char *list) {
  const char *at = list;
  for (char *end;; at = end + 1) {
    errno = 0;
    unsigned long device = strtoul(at, &end, 10);
    bool number = at[0] >= '0' && at[0] <= '9' && errno == 0 && device <= INT32_MAX;
    if (!number || (*end != '\0' && *end != ',') || !add_device(reader->to, (uint32_t)device)) {
      snprintf(reader->error, reader->error_size,
               "--device=%s: must be up to %d numbers of devices, as 0,1", list,
               SCHEDGPU_MAX_DEVICES);
      return false;
    }
    if (*end == '\0')
      return true;
  }
}

/** Stores a value. Only --device may be repeated; its values add up. */
static bool put(struct reader *reader, const struct option *option, const char *value) {
  const char **given = &reader->given[option - OPTIONS];
  if (option->offset == AT(device))
    return add_devices(reader, value);
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
    if (OPTIONS[i].offset == option->offset && reader->given[i]) {
      snprintf(reader->error, reader->error_size, "%s is given more than once: give it once",
               option->name);
      return false;
    }
  *given = value;
  memcpy((char *)reader->to + option->offset, &value, sizeof value);
  return true;
}

static bool take_option(struct reader *reader) {
  const char *word = *reader->word++;
  const struct option *option = find(reader, word);
  if (!option) {
    snprintf(reader->error, reader->error_size, "Unknown option: '%s'", word);
    return false;
  }
  const char *equals = strchr(word, '=');
  const char *next = option->alone ? option->alone : *reader->word;
  const char *value = equals ? equals + 1 : next;
  if (!value || (!equals && is(value, "--"))) {
    snprintf(reader->error, reader->error_size, "Missing required parameter for option '%s' (%s)",
             option->name, option->value_name);
    return false;
  }
  reader->word += !equals && !option->alone;
  return put(reader, option, value);
}

/** Starts the options behind "run", which override those before it. */
static void enter(struct reader *reader) {
  reader->word++;
  reader->inside = true;
  memset(reader->given, 0, sizeof reader->given);
}

static bool read_words(struct reader *reader) {
  while (*reader->word) {
    const char *word = *reader->word;
    if (is(word, "-h") || is(word, "--help"))
      return reader->to->help = true;
    if (!reader->inside && is(word, "run"))
      enter(reader);
    else if (is(word, "--") && reader->inside)
      return reader->word++ && *reader->word;
    else if (word[0] != '-' || !word[1])
      return reader->inside;
    else if (!take_option(reader))
      return false;
  }
  return false;
}

bool sgr_arguments_take(char **words, struct sgr_arguments *arguments, char *error,
                        size_t error_size) {
  struct reader reader = {.word = words, .to = arguments, .error = error, .error_size = error_size};
  *arguments = (struct sgr_arguments){0};
  error[0] = '\0';
  bool read = read_words(&reader);
  if (!read && !error[0])
    snprintf(error, error_size, "Missing required parameter: 'CMD'");
  arguments->command = reader.word;
  if (arguments->device_count == 0)
    arguments->device_count = 1;
  return read;
}
