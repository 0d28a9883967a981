/*
 * text.c - parses sizes, times and priorities as users write them (schedgpu.h). Strict: a text is
 * refused unless all of it is understood, so a typing error never becomes another value.
 */
#include "percent.h"
#include "schedgpu/schedgpu.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MIN (60 * NS_PER_S)
#define NS_PER_HOUR (60 * NS_PER_MIN)
#define NS_PER_DAY (24 * NS_PER_HOUR)

/** Reads decimal digits (at least one) into `value`. Returns what follows them, or NULL. */
static const char *read_digits(const char *text, uint64_t *value) {
  uint64_t sum = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9'; at++) {
    if (__builtin_mul_overflow(sum, UINT64_C(10), &sum) ||
        __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
      return NULL;
  }
  if (at == text)
    return NULL;
  *value = sum;
  return at;
}

/** The power of two of a size's unit ("", "M", "MiB"), or -1. */
static int shift_of_unit(const char *unit) {
  static const char letters[] = "KMGTP";
  if (*unit == '\0')
    return 20;
  for (int i = 0; letters[i]; i++) {
    if (strncasecmp(unit, &letters[i], 1) == 0 &&
        (unit[1] == '\0' || strcasecmp(unit + 1, "iB") == 0))
      return 10 * (i + 1);
  }
  return -1;
}

static int percent_of(uint64_t percent, uint64_t total_bytes, uint64_t *bytes) {
  if (total_bytes == 0 || percent > 100)
    return SCHEDGPU_EINVAL;
  *bytes = sg_percent_of(percent, total_bytes);
  return SCHEDGPU_OK;
}

int schedgpu_parse_bytes(const char *text, uint64_t total_bytes, uint64_t *bytes) {
  uint64_t number;
  if (!text || !bytes)
    return SCHEDGPU_EINVAL;
  const char *unit = read_digits(text, &number);
  if (!unit)
    return SCHEDGPU_EINVAL;
  if (strcmp(unit, "%") == 0)
    return percent_of(number, total_bytes, bytes);
  int shift = shift_of_unit(unit);
  if (shift < 0 || number > UINT64_MAX >> shift)
    return SCHEDGPU_EINVAL;
  *bytes = number << shift;
  return SCHEDGPU_OK;
}

static int64_t ns_of_unit(const char *unit) {
  static const struct {
    const char *name;
    int64_t ns;
  } units[] = {{"", NS_PER_S},    {"s", NS_PER_S},    {"ms", NS_PER_MS},
               {"m", NS_PER_MIN}, {"h", NS_PER_HOUR}, {"d", NS_PER_DAY}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(unit, units[i].name) == 0)
      return units[i].ns;
  }
  return 0;
}

static int scale(uint64_t number, int64_t unit_ns, int64_t *ns) {
  int64_t product;
  if (number > INT64_MAX || __builtin_mul_overflow((int64_t)number, unit_ns, &product))
    return SCHEDGPU_EINVAL;
  *ns = product;
  return SCHEDGPU_OK;
}

/** MM:SS or HH:MM:SS; `at` is behind the first field. Only the first field may be 60 or more. */
static int parse_clock(uint64_t first, const char *at, int64_t *ns) {
  uint64_t seconds = first;
  int fields = 1;
  while (*at == ':' && fields < 3) {
    uint64_t field;
    const char *next = read_digits(at + 1, &field);
    if (!next || next - at > 3 || field > 59 ||
        __builtin_mul_overflow(seconds, UINT64_C(60), &seconds) ||
        __builtin_add_overflow(seconds, field, &seconds))
      return SCHEDGPU_EINVAL;
    at = next;
    fields++;
  }
  return *at == '\0' ? scale(seconds, NS_PER_S, ns) : SCHEDGPU_EINVAL;
}

int schedgpu_parse_time(const char *text, int64_t *ns) {
  uint64_t number;
  if (!text || !ns)
    return SCHEDGPU_EINVAL;
  if (strcasecmp(text, "forever") == 0) {
    *ns = SCHEDGPU_FOREVER;
    return SCHEDGPU_OK;
  }
  const char *unit = read_digits(text, &number);
  if (!unit)
    return SCHEDGPU_EINVAL;
  if (*unit == ':')
    return parse_clock(number, unit, ns);
  int64_t unit_ns = ns_of_unit(unit);
  return unit_ns ? scale(number, unit_ns, ns) : SCHEDGPU_EINVAL;
}

int schedgpu_parse_priority(const char *text, int32_t *priority) {
  static const struct {
    const char *name;
    int32_t priority;
  } names[] = {{"low", 10}, {"normal", 50}, {"high", 90}};
  uint64_t number;
  if (!text || !priority)
    return SCHEDGPU_EINVAL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcasecmp(text, names[i].name) == 0) {
      *priority = names[i].priority;
      return SCHEDGPU_OK;
    }
  }
  const char *end = read_digits(text, &number);
  if (!end || *end || number > 100)
    return SCHEDGPU_EINVAL;
  *priority = (int32_t)number;
  return SCHEDGPU_OK;
}

char *schedgpu_format_bytes(uint64_t bytes, char *text) {
  const uint64_t gib = UINT64_C(1) << 30;
  uint64_t whole = bytes / gib;
  uint64_t tenths = (bytes % gib * 10 + gib / 2) / gib;
  if (tenths == 10) {
    whole++;
    tenths = 0;
  }
  if (bytes != 0 && whole == 0 && tenths == 0) { /* not "0.0 GiB", as if it were nothing */
    snprintf(text, 24, "%llu MiB", (unsigned long long)((bytes + (1 << 20) - 1) >> 20));
    return text;
  }
  snprintf(text, 24, "%llu.%llu GiB", (unsigned long long)whole, (unsigned long long)tenths);
  return text;
}
