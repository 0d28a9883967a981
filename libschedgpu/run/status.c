/* status.c - see status.h. The agent's side is StatusQuestion.java. */
#include "status.h"
#include "ask.h"
#include "files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMEOUT_S 1
/** As Answers.MAX_BYTES, and the bytes around a printed text. */
#define MAX_BYTES ((2 << 20) + 4096)

/** The options of a command line that this program understands. */
struct words {
  const char *conf, *run_dir;
  bool json;
  bool inside; /**< true behind "status" */
};

static bool is(const char *text, const char *word) {
  return strcmp(text, word) == 0;
}

/** The value of an option with this name, which moves `*word` to its last word; else NULL. */
static const char *value_of(const char *name, char ***word) {
  size_t length = strlen(name);
  if (strncmp(**word, name, length) == 0 && (**word)[length] == '=')
    return **word + length + 1;
  return is(**word, name) && (*word)[1] ? *++*word : NULL;
}

/** False for any other command line: Java reports its errors, or executes it. */
static bool read_words(char **word, struct words *to) {
  for (; *word; word++) {
    const char **option = NULL, *value;
    if ((value = value_of("--conf", &word)) || (value = value_of("--config", &word)))
      option = &to->conf;
    else if ((value = value_of("--run-dir", &word)))
      option = &to->run_dir;
    if (option) {
      if (*option)
        return false;
      *option = value;
    } else if (is(*word, "--json") && to->inside && !to->json) {
      to->json = true;
    } else if (is(*word, "status") && !to->inside) {
      to->inside = true;
    } else {
      return false;
    }
  }
  return to->inside;
}

static const char *find_run_dir(const struct words *words) {
  static struct sgr_job job; /* large: not for the stack */
  const char *named = getenv("SCHEDGPU_RUN_DIR");
  job.arguments.conf = words->conf;
  job.arguments.run_dir = words->run_dir;
  if (!words->run_dir && !named && !sgr_read_conf(&job))
    return NULL;
  return sgr_find_run_dir(&job) ? job.run_dir : NULL;
}

static bool is_of_root_or_us(const char *path) {
  struct stat file;
  return lstat(path, &file) == 0 && (file.st_uid == 0 || file.st_uid == geteuid());
}

/** True if root or this user owns the socket and its folder. Another owner could replace the
 * socket, and the answer is printed unchanged. */
static bool is_trusted(const char *run_dir) {
  char socket[PATH_MAX];
  int length = snprintf(socket, sizeof socket, "%s/" SGR_QUERY_SOCKET, run_dir);
  return length > 0 && (size_t)length < sizeof socket && is_of_root_or_us(run_dir) &&
         is_of_root_or_us(socket);
}

/** True for colours on a terminal, unless NO_COLOR is set or the terminal is dumb; as in
 * Style.java. */
static bool wants_colour(void) {
  const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(unwanted && unwanted[0]) && !(terminal && is(terminal, "dumb"));
}

/** Prints the text of a complete answer: a line of JSON, the text, and a final zero byte, without
 * which the answer was cut off. */
static int print(const char *answer, size_t length) {
  const char *line_end = memchr(answer, '\n', length);
  if (!line_end || answer[length - 1] != '\0')
    return SGR_STATUS_ASK_JAVA;
  size_t head = (size_t)(line_end - answer);
  bool sound = memmem(answer, head, "\"sound\":true", 12);
  if (!sound && !memmem(answer, head, "\"sound\":false", 13))
    return SGR_STATUS_ASK_JAVA; /* an error message for people */
  fwrite(line_end + 1, 1, length - head - 2, stdout);
  return fflush(stdout) == 0 && sound ? 0 : 1;
}

int sgr_status(char **words) {
  static char answer[MAX_BYTES];
  char request[128];
  struct words given = {0};
  const char *run_dir = read_words(words, &given) ? find_run_dir(&given) : NULL;
  if (!run_dir || !is_trusted(run_dir))
    return SGR_STATUS_ASK_JAVA;
  snprintf(request, sizeof request,
           "{\"version\":1,\"ask\":\"status\",\"json\":%s,\"colour\":%s}\n",
           given.json ? "true" : "false", wants_colour() ? "true" : "false");
  size_t length = sgr_ask(run_dir, request, TIMEOUT_S, answer, sizeof answer);
  return length > 0 ? print(answer, length) : SGR_STATUS_ASK_JAVA;
}
