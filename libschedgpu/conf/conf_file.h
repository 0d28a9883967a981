/*
 * conf_file.h - the Key=Value syntax of schedgpu.conf and devices.conf, and the list of everything
 * that is wrong with a file. Used by conf_schedgpu.c and conf_devices.c only.
 */
#ifndef SG_CONF_FILE_H
#define SG_CONF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SG_CONF_PAIRS 32

/** All problems of one file; the text is always terminated, "..." at its end when it was too long.
 */
struct sg_problems {
  const char *path;
  char *text;
  size_t size;
  size_t length;
  int line; /**< 0: the file as a whole */
  int count;
};

struct sg_conf_pair {
  const char *key;
  const char *value;
};

/** One line with at least one pair; the strings live in `text` until the next line is read. */
struct sg_conf_line {
  char *text;
  size_t capacity;
  int number;
  int count;
  struct sg_conf_pair pair[SG_CONF_PAIRS];
};

/** What a file may say: `set` returns 0, or an error when `value` is none of `allowed`. */
struct sg_conf_key {
  const char *name;
  const char *allowed;
  int (*set)(void *target, const char *value);
};

void sg_problems_init(struct sg_problems *problems, const char *path, char *text, size_t size);
void sg_problem(struct sg_problems *problems, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Reads up to the next line with a pair. False at the end of the file. */
bool sg_conf_next_line(FILE *file, struct sg_conf_line *line, struct sg_problems *problems);
void sg_conf_line_free(struct sg_conf_line *line);

/** Index of the key named `name` (in any case), or -1 after a problem with the near key. */
int sg_conf_find_key(const struct sg_conf_key *keys, int count, const char *name,
                     struct sg_problems *problems);

/** Looks the pair up in `keys` and sets it in `target`; index of the key, or -1 after a problem. */
int sg_conf_set(const struct sg_conf_key *keys, int count, const struct sg_conf_pair *pair,
                void *target, struct sg_problems *problems);

/** Copies `value`; EINVAL if it does not fit. */
int sg_copy_text(char *to, size_t size, const char *value);
/** As sg_copy_text(), for an absolute path. */
int sg_copy_path(char *to, size_t size, const char *value);

#endif
