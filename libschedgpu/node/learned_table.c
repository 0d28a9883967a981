/* learned_table.c - see learned_table.h. If anything is wrong with the table, the job runs without
 * it.
 */
#include "learned_table.h"
#include "schedgpu/conf_text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "schedgpu-learned 1\n"
#define SECOND_LINE "# user, bytes of each device, name of the job; written by the agent\n"
#define MAX_BYTES (1 << 20)

/**
 * True if root owns the file and no other user may write it: only then is it a decision of the root
 * side.
 */
static bool is_trusted_file(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
         !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size <= MAX_BYTES;
}

static bool path_of(const char *run_dir, const char *name, char path[PATH_MAX]) {
  int length = snprintf(path, PATH_MAX, "%s/%s", run_dir, name);
  return length > 0 && length < PATH_MAX;
}

static const char *name_of_table(uint32_t table) {
  return table == SCHEDGPU_LEARNED_PERSISTENT ? "learned.persistent" : "learned";
}

static FILE *open_table(const char *run_dir, uint32_t table_number) {
  char path[PATH_MAX];
  if (!path_of(run_dir, name_of_table(table_number), path))
    return NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  FILE *table = fd >= 0 && is_trusted_file(fd) ? fdopen(fd, "r") : NULL;
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

static uint64_t find_in(FILE *table, uint32_t uid, const char *name) {
  char *line = NULL;
  size_t size = 0;
  uint64_t bytes = 0;
  if (getline(&line, &size, table) > 0 && strcmp(line, FIRST_LINE) == 0)
    while (bytes == 0 && getline(&line, &size, table) > 0)
      bytes = bytes_of_line(line, uid, name);
  free(line);
  return bytes;
}

uint64_t sg_learned_find(const char *run_dir, uint32_t table_number, uint32_t uid,
                         const char *name) {
  FILE *table = open_table(run_dir, table_number);
  uint64_t bytes = table ? find_in(table, uid, name) : 0;
  if (table)
    fclose(table);
  return bytes;
}

/** No job has such a name (sg_take_job_name). It could forge a line of another user. */
static bool has_control_characters(const char *name) {
  for (; *name; name++)
    if ((unsigned char)*name < ' ' || *name == 0x7f)
      return true;
  return false;
}

/** Returns the text of the table, which the caller frees: as many lines as MAX_BYTES allow. */
static char *text_of(const uint32_t *uid, const uint64_t *bytes, const char *names, size_t count) {
  char *text = malloc(MAX_BYTES + 1);
  if (!text)
    return NULL;
  strcpy(text, FIRST_LINE SECOND_LINE);
  size_t used = strlen(text);
  for (size_t i = 0; i < count; i++, names += strlen(names) + 1) {
    if (has_control_characters(names))
      continue;
    int length = snprintf(text + used, MAX_BYTES + 1 - used, "%u %llu %s\n", uid[i],
                          (unsigned long long)bytes[i], names);
    if (length < 0 || used + (size_t)length > MAX_BYTES)
      break;
    used += (size_t)length;
  }
  text[used] = '\0';
  return text;
}

/** True if the table already is `text`. */
static bool is_written(const char *run_dir, uint32_t table_number, const char *text) {
  FILE *table = open_table(run_dir, table_number);
  size_t length = strlen(text);
  char *old = table ? malloc(length + 1) : NULL;
  bool same = old && fread(old, 1, length + 1, table) == length && memcmp(old, text, length) == 0;
  free(old);
  if (table)
    fclose(table);
  return same;
}

/** Writes `fresh` as a new file: a killed agent may have left one. */
static bool write_fresh(const char *fresh, const char *text) {
  unlink(fresh);
  int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!file) {
    if (fd >= 0)
      close(fd);
    return false;
  }
  bool written = fputs(text, file) >= 0;
  return fclose(file) == 0 && written;
}

static bool replace_table(const char *run_dir, uint32_t table, const char *text) {
  char fresh[PATH_MAX], path[PATH_MAX];
  if (!path_of(run_dir, "learned.new", fresh) || !path_of(run_dir, name_of_table(table), path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (write_fresh(fresh, text) && rename(fresh, path) == 0)
    return true;
  int reason = errno;
  unlink(fresh);
  errno = reason;
  return false;
}

int schedgpu_learned_write(const char *run_dir, uint32_t table, const uint32_t *uid,
                           const uint64_t *bytes, const char *names, size_t count, char *error,
                           size_t error_size) {
  char *text = text_of(uid, bytes, names, count);
  bool written = text && (is_written(run_dir, table, text) || replace_table(run_dir, table, text));
  if (!written)
    snprintf(error, error_size, "%s/%s: cannot be written (%s): check RunDir and its file system",
             run_dir, name_of_table(table), strerror(errno));
  free(text);
  return written ? SCHEDGPU_OK : SCHEDGPU_ESYSTEM;
}
