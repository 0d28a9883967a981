/* conf_file.c - see conf_file.h. */
#include "conf_file.h"
#include "utf8.h"
#include "schedgpu/schedgpu.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KEY_LONGEST 64

void sg_problems_init(struct sg_problems *problems, const char *path, char *text, size_t size) {
  *problems = (struct sg_problems){.path = path, .text = text, .size = size};
  if (size > 0)
    text[0] = '\0';
}

static void append(struct sg_problems *p, const char *format, va_list arguments) {
  static const char more[] = "...";
  if (p->size <= p->length + 1)
    return;
  int n = vsnprintf(p->text + p->length, p->size - p->length, format, arguments);
  if (n >= 0 && (size_t)n < p->size - p->length) {
    p->length += (size_t)n;
    return;
  }
  p->length = p->size - 1;
  if (p->size >= sizeof more)
    memcpy(p->text + p->size - sizeof more, more, sizeof more);
}

static void append_format(struct sg_problems *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(p, format, arguments);
  va_end(arguments);
}

void sg_problem(struct sg_problems *p, const char *format, ...) {
  va_list arguments;
  if (p->count++ > 0)
    append_format(p, "\n");
  if (p->line > 0)
    append_format(p, "%s:%d: ", p->path, p->line);
  else
    append_format(p, "%s: ", p->path);
  va_start(arguments, format);
  append(p, format, arguments);
  va_end(arguments);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/**
 * Terminates the value of the pair, which starts at `at`. Returns where to go on, or NULL after a
 * problem.
 */
static char *end_value(char *at, struct sg_conf_pair *pair, struct sg_problems *problems) {
  char *end;
  bool quoted = *at == '"';
  pair->value = quoted ? at + 1 : at;
  if (quoted) {
    end = strchr(at + 1, '"');
    if (!end) {
      sg_problem(problems, "%s: the quote is never closed", pair->key);
      return NULL;
    }
    if (end[1] && !is_blank(end[1]) && end[1] != '#') {
      sg_problem(problems, "%s: a blank is missing after the closing quote", pair->key);
      return NULL;
    }
  } else {
    end = at + strcspn(at, " \t\r\n#");
  }
  bool comment = *end == '#' || (quoted && end[1] == '#');
  bool last = comment || *end == '\0';
  *end = '\0';
  return last ? end : end + 1;
}

/** What is wrong with a character; NULL: nothing. No length: it is none. */
static const char *wrong_in(size_t length, uint32_t character) {
  if (length == 0)
    return "a byte that is not UTF-8";
  return character < ' ' || character == 0x7F ? "a control character" : NULL;
}

/**
 * Checks that the value is UTF-8, as programs in other languages expect, and has no control
 * characters. They could break the lines of messages and of what schedgpu_conf_parse() writes, and
 * no key needs them.
 */
static bool is_one_text(const struct sg_conf_pair *pair, struct sg_problems *problems) {
  uint32_t character = 0;
  size_t length;
  for (const char *at = pair->value; *at; at += length) {
    length = sg_utf8_character(at, &character);
    const char *wrong = wrong_in(length, character);
    if (!wrong)
      continue;
    sg_problem(problems, "%s: the value has %s (0x%02x): remove it", pair->key, wrong,
               (unsigned char)*at);
    return false;
  }
  return true;
}

/**
 * Splits the line into pairs. A problem with blanks or quotes ends the line, because its rest
 * cannot be trusted.
 */
static void split_line(struct sg_conf_line *line, struct sg_problems *problems) {
  char *at = line->text;
  line->count = 0;
  for (;;) {
    while (is_blank(*at))
      at++;
    if (*at == '\0' || *at == '#')
      return;
    char *equals = at + strcspn(at, "= \t\r\n#");
    if (*equals != '=' || equals == at) {
      *equals = '\0';
      sg_problem(problems, "'%s' is not Key=Value (a value with blanks needs \"quotes\")", at);
      return;
    }
    if (line->count == SG_CONF_PAIRS) {
      sg_problem(problems, "more than %d pairs in a line", SG_CONF_PAIRS);
      return;
    }
    struct sg_conf_pair *pair = &line->pair[line->count];
    *equals = '\0';
    pair->key = at;
    at = end_value(equals + 1, pair, problems);
    if (!at)
      return;
    if (is_one_text(pair, problems))
      line->count++;
  }
}

bool sg_conf_next_line(FILE *file, struct sg_conf_line *line, struct sg_problems *problems) {
  ssize_t length;
  while ((length = getline(&line->text, &line->capacity, file)) >= 0) {
    problems->line = ++line->number;
    if (strlen(line->text) != (size_t)length) {
      sg_problem(problems, "a NUL byte: this is not a text file");
      continue;
    }
    split_line(line, problems);
    if (line->count > 0)
      return true;
  }
  problems->line = 0;
  return false;
}

void sg_conf_line_free(struct sg_conf_line *line) {
  free(line->text);
  line->text = NULL;
}

static int smallest(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/** Edit distance (Levenshtein), ignoring case; KEY_LONGEST if the text is too long. */
static int distance(const char *a, const char *b) {
  int row[KEY_LONGEST + 1];
  size_t length = strlen(b);
  if (length > KEY_LONGEST || strlen(a) > KEY_LONGEST)
    return KEY_LONGEST;
  for (int j = 0; j <= (int)length; j++)
    row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= (int)length; j++) {
      int substitute = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = smallest(row[j] + 1, row[j - 1] + 1, substitute);
    }
  }
  return row[length];
}

static const char *near_key(const struct sg_conf_key *keys, int count, const char *name) {
  const char *nearest = NULL;
  int least = (int)strlen(name) / 3 + 2;
  for (int i = 0; i < count; i++) {
    int d = distance(name, keys[i].name);
    if (d < least) {
      least = d;
      nearest = keys[i].name;
    }
  }
  return nearest;
}

int sg_conf_find_key(const struct sg_conf_key *keys, int count, const char *name,
                     struct sg_problems *problems) {
  for (int i = 0; i < count; i++) {
    if (strcasecmp(keys[i].name, name) == 0)
      return i;
  }
  const char *nearest = near_key(keys, count, name);
  if (nearest)
    sg_problem(problems, "unknown key '%s': did you mean %s?", name, nearest);
  else
    sg_problem(problems, "unknown key '%s'", name);
  return -1;
}

void sg_conf_put(const struct sg_conf_key *key, const char *value, void *target,
                 struct sg_problems *problems) {
  if (key->set(key, target, value) != SCHEDGPU_OK)
    sg_problem(problems, "%s=%s: must be %s", key->name, value, key->allowed);
}

int sg_conf_set(const struct sg_conf_key *keys, int count, const struct sg_conf_pair *pair,
                void *target, struct sg_problems *problems) {
  int k = sg_conf_find_key(keys, count, pair->key, problems);
  if (k >= 0)
    sg_conf_put(&keys[k], pair->value, target, problems);
  return k;
}

int sg_copy_text(char *to, size_t size, const char *value) {
  size_t length = strlen(value);
  if (length >= size)
    return SCHEDGPU_EINVAL;
  memcpy(to, value, length + 1);
  return SCHEDGPU_OK;
}
