/* het_group.c - see het_group.h. */
#include "het_group.h"
#include "schedgpu/conf.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** Slurm allows 128 groups. */
#define MAX_GROUPS 128
/** Of the command line: options come first. */
#define WORDS_SIZE 65536

static const char *next(const char *word) {
  return word + strlen(word) + 1;
}

/** The value of the option in `word`, or in the word after it, if it is this option; else NULL. */
static const char *value_of(const char *word, const char *end, const char *option) {
  size_t length = strlen(option);
  if (strncmp(word, option, length) != 0)
    return NULL;
  if (word[length] == '=')
    return word + length + 1;
  return word[length] == '\0' && next(word) < end ? next(word) : NULL;
}

/** Reads the groups that a word names. Their number; 0 = it names none. */
static int groups_of(const char *word, const char *end, uint16_t *groups) {
  const char *list = value_of(word, end, "--het-group");
  if (!list)
    list = value_of(word, end, "--pack-group"); /* its name until Slurm 20.02 */
  int count = list ? sg_parse_index_list(list, groups, MAX_GROUPS) : 0;
  return count > 0 ? count : 0;
}

unsigned sg_het_group(const char *words, size_t size, unsigned component) {
  const char *word = words, *end = words + size;
  for (unsigned part = 0, before = 0; word < end; part++) {
    uint16_t groups[MAX_GROUPS];
    int named = 0;
    for (; word < end && strcmp(word, ":") != 0; word = next(word)) {
      if (named == 0)
        named = groups_of(word, end, groups);
    }
    unsigned count = named > 0 ? (unsigned)named : 1;
    if (component - before < count)
      return named > 0 ? groups[component - before] : part;
    before += count;
    if (word < end)
      word = next(word); /* passes the colon */
  }
  return component;
}

unsigned sg_het_group_own(unsigned component) {
  static char words[WORDS_SIZE];
  FILE *file = fopen("/proc/self/cmdline", "re");
  if (!file)
    return component;
  size_t size = fread(words, 1, sizeof words - 1, file);
  fclose(file);
  words[size] = '\0';
  return sg_het_group(words, size, component);
}
