/*
 * names.c - limits and statistics by name, so that other languages need not repeat the structures.
 */
#include "broker.h"
#include <string.h>

#define LIMIT(field)                                                                               \
  { #field, offsetof(struct schedgpu_broker_limits, field) }
#define COUNT(field)                                                                               \
  { #field, offsetof(struct schedgpu_broker_stats, field) }

struct name {
  const char *name;
  size_t at;
};

static const struct name limits[] = {LIMIT(connections),       LIMIT(connections_per_user),
                                     LIMIT(clients_per_user),  LIMIT(jobs_per_user),
                                     LIMIT(jobs_per_second),   LIMIT(messages_per_second),
                                     LIMIT(patience_ms),       LIMIT(idle_ms),
                                     LIMIT(accepts_per_second)};
static const struct name large[] = {COUNT(messages),  COUNT(refused_messages),
                                    COUNT(accepted),  COUNT(refused_connections),
                                    COUNT(throttled), COUNT(slow),
                                    COUNT(idle),      COUNT(gave_way)};
static const struct name small[] = {COUNT(connections), COUNT(clients),     COUNT(adopting),
                                    COUNT(adopted),     COUNT(not_adopted), COUNT(adoption_denied),
                                    COUNT(stuck)};

static const struct name *find(const struct name *table, size_t size, const char *name) {
  for (size_t i = 0; name && i < size; i++)
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  return NULL;
}
#define FIND(table, name) find(table, sizeof(table) / sizeof *(table), name)

int schedgpu_broker_set_limit(schedgpu_broker *b, const char *name, uint32_t value) {
  const struct name *n = FIND(limits, name);
  if (!n)
    return SCHEDGPU_EINVAL;
  memcpy((char *)&b->limits + n->at, &value, sizeof value);
  return SCHEDGPU_OK;
}

int64_t schedgpu_broker_count(const schedgpu_broker *b, const char *name) {
  uint64_t wide;
  uint32_t narrow;
  const struct name *n = FIND(large, name);
  if (n) {
    memcpy(&wide, (const char *)&b->stats + n->at, sizeof wide);
    return (int64_t)wide;
  }
  n = FIND(small, name);
  if (!n)
    return -1;
  memcpy(&narrow, (const char *)&b->stats + n->at, sizeof narrow);
  return narrow;
}
