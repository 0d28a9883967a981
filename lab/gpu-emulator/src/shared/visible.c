/* visible.c - see visible.h. */
#include "visible.h"
#include "identity.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int visible_probe(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

void visible_permitted(const char *dev_dir, unsigned device_count, open_probe probe,
                       struct visible *permitted) {
  permitted->count = 0;
  for (unsigned i = 0; i < device_count; i++) {
    char path[4096];
    if (dev_dir && *dev_dir) {
      snprintf(path, sizeof path, "%s/nvidia%u", dev_dir, i);
      if (probe(path) == EPERM)
        continue;
    }
    permitted->device[permitted->count++] = i;
  }
}

static int by_ordinal(const struct visible *permitted, const char *entry) {
  char *end;
  unsigned long ordinal = strtoul(entry, &end, 10);
  if (*end || ordinal >= permitted->count)
    return -1;
  return (int)permitted->device[ordinal];
}

static int by_uuid(const struct visible *permitted, const char *entry) {
  int found = -1;
  for (unsigned i = 0; i < permitted->count; i++) {
    char uuid[UUID_TEXT_BYTES];
    identity_uuid_text(permitted->device[i], uuid);
    if (strncasecmp(uuid, entry, strlen(entry)))
      continue;
    if (found >= 0)
      return -1; /* the prefix of two UUIDs selects neither */
    found = (int)permitted->device[i];
  }
  return found;
}

static int device_of(const struct visible *permitted, const char *entry) {
  if (isdigit((unsigned char)*entry))
    return by_ordinal(permitted, entry);
  return strncmp(entry, "GPU-", 4) ? -1 : by_uuid(permitted, entry);
}

static int contains(const struct visible *list, int device) {
  for (unsigned i = 0; i < list->count; i++)
    if ((int)list->device[i] == device)
      return 1;
  return 0;
}

/* Copies the next entry without the blanks around it. Returns the text behind it, or NULL at the
 * end. */
static const char *next_entry(const char *list, char *entry, size_t size) {
  list += strspn(list, " \t");
  size_t length = strcspn(list, ",");
  const char *after = list[length] ? list + length + 1 : NULL;
  while (length && isspace((unsigned char)list[length - 1]))
    length--;
  snprintf(entry, size, "%.*s", (int)length, list);
  return after;
}

void visible_select(const struct visible *permitted, const char *list, struct visible *selected) {
  if (!list) {
    *selected = *permitted;
    return;
  }
  selected->count = 0;
  while (list) {
    char entry[64];
    list = next_entry(list, entry, sizeof entry);
    int device = device_of(permitted, entry);
    if (device < 0)
      return;
    if (contains(selected, device)) {
      selected->count = 0;
      return;
    }
    selected->device[selected->count++] = (unsigned)device;
  }
}
