/*
 * rows.c - prints the table of schedgpu.conf's keys for build-support/conf-pages, a line each:
 * its readers (all, agent), name, default, words for a default that depends on the node, allowed
 * values, meaning; with tabs between.
 */
#include "../conf_keys.h"

int main(void) {
  for (int k = 0; k < SG_CONF_KEYS; k++) {
    const struct sg_conf_key *key = &sg_conf_keys[k];
    printf("%s\t%s\t%s\t%s\t%s\t%s\n", k < SG_CONF_FIRST_OF_AGENT ? "all" : "agent", key->name,
           key->by_default, key->default_words ? key->default_words : "", key->allowed,
           key->meaning);
  }
  return 0;
}
