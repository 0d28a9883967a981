/* learned.c - see learned.h. If anything is wrong with the table, the job runs without it. */
#include "learned.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "schedgpu-learned 1\n"
#define MOST_BYTES (1 << 20)

/**
 * True if root owns the file and no other user may write it: only then is it a decision of the root
 * side.
 */
static bool may_be_believed(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
         !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size <= MOST_BYTES;
}

static FILE *open_table(const char *run_dir) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/learned", run_dir);
  if (length < 0 || (size_t)length >= sizeof path)
    return NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  FILE *table = fd >= 0 && may_be_believed(fd) ? fdopen(fd, "r") : NULL;
  if (!table && fd >= 0)
    close(fd);
  return table;
}

/** Reads a decimal number and the blank behind it. False for anything else. */
static bool take_number(char **text, uint64_t *number) {
  char *end;
  errno = 0;
  if ((*text)[0] < '0' || (*text)[0] > '9')
    return false;
  *number = strtoull(*text, &end, 10);
  if (errno || *end != ' ')
    return false;
  *text = end + 1;
  return true;
}

/**
 * Reads a line "UID BYTES NAME", where the name is the rest of the line, with blanks. Returns the
 * bytes, 0 for any other line.
 */
static uint64_t bytes_of_line(char *line, uint32_t uid, const char *name) {
  uint64_t line_uid, bytes;
  line[strcspn(line, "\n")] = '\0';
  if (!take_number(&line, &line_uid) || line_uid != uid || !take_number(&line, &bytes))
    return 0;
  return strcmp(line, name) == 0 ? bytes : 0;
}

static uint64_t find(FILE *table, uint32_t uid, const char *name) {
  char *line = NULL;
  size_t size = 0;
  uint64_t bytes = 0;
  if (getline(&line, &size, table) > 0 && strcmp(line, FIRST_LINE) == 0)
    while (bytes == 0 && getline(&line, &size, table) > 0)
      bytes = bytes_of_line(line, uid, name);
  free(line);
  return bytes;
}

bool sg_takes_learned(const struct sg_conf *conf, const struct sg_job_options *options) {
  bool peak = !options->mode[0] || strcasecmp(options->mode, "peak") == 0;
  return conf->learned_mem && !options->mem[0] && options->job_name[0] && peak &&
         strcasecmp(options->overflow, "fail") != 0;
}

uint64_t sg_learned_bytes(const struct sg_conf *conf, const struct sg_job_options *options,
                          uint32_t uid) {
  if (!sg_takes_learned(conf, options))
    return 0;
  FILE *table = open_table(conf->run_dir);
  uint64_t bytes = table ? find(table, uid, options->job_name) : 0;
  if (table)
    fclose(table);
  return bytes;
}

/** True for a byte inside a UTF-8 character, not at its start. */
static bool is_inside(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

void sg_take_job_name(struct sg_job_options *options, const char *name) {
  size_t length = strlen(name);
  if (length >= sizeof options->job_name) {
    length = sizeof options->job_name - 1;
    while (length > 0 && is_inside(name[length]))
      length--;
  }
  memset(options->job_name, 0, sizeof options->job_name);
  memcpy(options->job_name, name, length);
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
      options->job_name[i] = '_';
}
