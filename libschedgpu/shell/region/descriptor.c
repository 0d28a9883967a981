/* descriptor.c - see descriptor.h */
#include "descriptor.h"
#include "run_dir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_LINE "schedgpu region "
#define TEXT_SIZE 512

static uint64_t checksum(const char *text, size_t size) {
  uint64_t sum = UINT64_C(14695981039346656037); /* FNV-1a */
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return sum;
}

static size_t format(const struct sg_descriptor *d, char *text) {
  int n = snprintf(text, TEXT_SIZE,
                   FIRST_LINE "%u\nshmid %d\nkey 0x%08x\nsize %llu\ncreated_ns %llu\n"
                              "directory %llu\n",
                   SG_LAYOUT_VERSION, d->shmid, d->key, (unsigned long long)d->size,
                   (unsigned long long)d->created_ns, (unsigned long long)d->directory);
  n += snprintf(text + n, TEXT_SIZE - (size_t)n, "checksum %016llx\n",
                (unsigned long long)checksum(text, (size_t)n));
  return (size_t)n;
}

/**
 * True for a descriptor of another version. Until layout 2 this file was the region itself and
 * began with the magic number of the layout.
 */
static bool of_another_version(const char *text, size_t size) {
  const uint64_t magic = SG_MAGIC;
  if (size >= sizeof magic && memcmp(text, &magic, sizeof magic) == 0)
    return true;
  return strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0 &&
         strtoul(text + strlen(FIRST_LINE), NULL, 10) != SG_LAYOUT_VERSION;
}

/** Parses strictly: the text must be exactly what these values are written as. */
static int parse(const char *text, size_t size, struct sg_descriptor *d) {
  char again[TEXT_SIZE];
  unsigned long long bytes, created_ns, directory;
  unsigned version;
  if (sscanf(text, FIRST_LINE "%u shmid %d key 0x%x size %llu created_ns %llu directory %llu",
             &version, &d->shmid, &d->key, &bytes, &created_ns, &directory) != 6)
    return SCHEDGPU_ECORRUPT;
  d->size = bytes;
  d->created_ns = created_ns;
  d->directory = directory;
  return format(d, again) == size && memcmp(text, again, size) == 0 ? SCHEDGPU_OK
                                                                    : SCHEDGPU_ECORRUPT;
}

static uint64_t inode_of(const char *run_dir) {
  struct stat st;
  return stat(run_dir, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

int sg_descriptor_read(const char *run_dir, struct sg_descriptor *d) {
  char text[TEXT_SIZE + 1];
  size_t size = TEXT_SIZE;
  struct stat st;
  int rc = sg_file_read(run_dir, SG_REGION_FILE, text, &size, &st);
  if (rc != SCHEDGPU_OK)
    return rc;
  text[size] = 0;
  *d = (struct sg_descriptor){.owner = st.st_uid, .dev = st.st_dev, .ino = st.st_ino};
  if (!sg_trusted_owner(st.st_uid))
    return SCHEDGPU_EOWNER;
  if (of_another_version(text, size))
    return SCHEDGPU_EVERSION;
  rc = parse(text, size, d);
  return rc == SCHEDGPU_OK && d->directory != inode_of(run_dir) ? SCHEDGPU_ECORRUPT : rc;
}

int sg_descriptor_write(const char *run_dir, struct sg_descriptor *d, int32_t group) {
  char text[TEXT_SIZE];
  d->directory = inode_of(run_dir);
  size_t size = format(d, text);
  return sg_file_replace(run_dir, SG_REGION_FILE, text, size, group >= 0 ? 0640 : 0644, group);
}
