/*
 * conf_file.h - parses the Key=Value syntax of schedgpu.conf and devices.conf, and collects all
 * problems of a file. It does not know any key: the tables of conf_keys.c and conf_devices.c do.
 */
#ifndef SG_CONF_FILE_H
#define SG_CONF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SG_CONF_PAIRS 32

/**
 * All problems of one file. The text is always terminated, and ends with "..." if it was too long.
 */
struct sg_problems {
  const char *path;
  char *text;
  size_t size;
  size_t length;
  int line; /**< 0: the problem concerns the whole file */
  int count;
};

struct sg_conf_pair {
  const char *key;
  const char *value;
};

/** One line with at least one pair. The strings are in `text` until the next line is read. */
struct sg_conf_line {
  char *text;
  size_t capacity;
  int number;
  int count;
  struct sg_conf_pair pair[SG_CONF_PAIRS];
};

struct sg_conf_key;

/** Stores `value` in `target` as `key` says. SCHEDGPU_OK, or EINVAL if `key` does not allow it. */
typedef int sg_conf_set_fn(const struct sg_conf_key *key, void *target, const char *value);

/** A key of a file: the values that it allows, and the field that gets the value. */
struct sg_conf_key {
  const char *name;
  const char *by_default; /**< as written in the file; "": none, or it depends on the node */
  const char *allowed;    /**< allowed values, in words, for messages and the manual */
  sg_conf_set_fn *set;
  size_t offset, size; /**< the field of the target; size 0: the value is checked only */
  int64_t least,
      most;        /**< limits of a number, a time (ns) or a size (bytes; most: SG_PERCENT or 0) */
  const char *yes; /**< for sg_set_flag(): the word that means true */
  const char *default_words; /**< for the manual, where the default depends on the node */
  const char *meaning;       /**< for the manual, in Markdown */
};

/** The size of the device for which a percentage is checked; any size does. */
#define SG_PERCENT (INT64_C(1) << 40)
/** For `offset` and `size`. */
#define SG_AT(type, field) .offset = offsetof(type, field), .size = sizeof((type *)0)->field

void sg_problems_init(struct sg_problems *problems, const char *path, char *text, size_t size);
void sg_problem(struct sg_problems *problems, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Reads to the next line with a pair. False at the end of the file. */
bool sg_conf_next_line(FILE *file, struct sg_conf_line *line, struct sg_problems *problems);
void sg_conf_line_free(struct sg_conf_line *line);

/**
 * Returns the index of the key named `name` (in any case), or -1 after a problem that suggests the
 * nearest key.
 */
int sg_conf_find_key(const struct sg_conf_key *keys, int count, const char *name,
                     struct sg_problems *problems);

/** Stores `value` in `target`, or reports a problem if `key` does not allow it. */
void sg_conf_put(const struct sg_conf_key *key, const char *value, void *target,
                 struct sg_problems *problems);

/**
 * Finds the pair's key in `keys` and stores its value in `target`. Returns the index of the key, or
 * -1 after a problem.
 */
int sg_conf_set(const struct sg_conf_key *keys, int count, const struct sg_conf_pair *pair,
                void *target, struct sg_problems *problems);

/** Copies `value`; EINVAL if it does not fit. */
int sg_copy_text(char *to, size_t size, const char *value);

/** A text that fits. */
sg_conf_set_fn sg_set_text;
/** An absolute path that fits. */
sg_conf_set_fn sg_set_path;
/** Decimal digits, `least` to `most`; into a uint32_t or a uint64_t. */
sg_conf_set_fn sg_set_number;
/** A time in ns, `least` to `most`; forever where `most` is SCHEDGPU_FOREVER; into an int64_t. */
sg_conf_set_fn sg_set_time;
/** A size of at least `least` bytes, or a percentage if `most` is SG_PERCENT; kept as text. */
sg_conf_set_fn sg_set_size;
/** One of the words of `allowed` ("a, b or c"), in any case; into a bool, true for `yes`. */
sg_conf_set_fn sg_set_flag;

#endif
