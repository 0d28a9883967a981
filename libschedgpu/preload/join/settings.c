/* settings.c - see settings.h. */
#include "settings.h"
#include "message.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>

/** A variable that takes one of a few words; the first is the default. */
struct setting {
  const char *name;
  const char *allowed;
  const char *words[4];
  enum sgp_reason wrong;
};

static int read_word(const struct setting *setting) {
  const char *value = getenv(setting->name);
  if (!value || !*value)
    return 0;
  for (int i = 0; setting->words[i]; i++)
    if (strcasecmp(value, setting->words[i]) == 0)
      return i;
  sgp_say_once(setting->wrong, "%s=%.40s: must be %s: taken as %s", setting->name, value,
               setting->allowed, setting->words[0]);
  return 0;
}

/** The index of the word. `cache` is the index + 1, 0 = not read yet. */
static int word_of(const struct setting *setting, atomic_int *cache) {
  int known = atomic_load_explicit(cache, memory_order_relaxed);
  if (known == 0) {
    known = read_word(setting) + 1;
    atomic_store_explicit(cache, known, memory_order_relaxed);
  }
  return known - 1;
}

enum sgp_first_try sgp_setting_first_try(void) {
  static const struct setting setting = {
      "SCHEDGPU_FIRST_TRY", "auto, wait or fail", {"auto", "wait", "fail"}, SGP_BAD_FIRST_TRY};
  static atomic_int cache;
  return (enum sgp_first_try)word_of(&setting, &cache);
}

enum sgp_managed sgp_setting_managed(void) {
  static const struct setting setting = {
      "SCHEDGPU_MANAGED", "reserve or pass", {"reserve", "pass"}, SGP_BAD_MANAGED};
  static atomic_int cache;
  return (enum sgp_managed)word_of(&setting, &cache);
}
