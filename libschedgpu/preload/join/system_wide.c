/* system_wide.c - see system_wide.h. */
#include "system_wide.h"
#include "../../shell/sys/small_file.h"
#include <string.h>

#define LIST "/etc/ld.so.preload"
#define LIST_BYTES 4096

/* Skips separators as ld.so does: blanks, newlines and colons, and comments from # to the end of
 * the line. */
static const char *skip_between(const char *at) {
  for (;;) {
    at += strspn(at, " \t\n:");
    if (*at != '#')
      return at;
    at += strcspn(at, "\n");
  }
}

bool sgp_names_library(const char *text, const char *library) {
  size_t wanted = strlen(library);
  for (const char *at = skip_between(text); *at; at = skip_between(at)) {
    size_t length = strcspn(at, " \t\n:#");
    bool apart = length > wanted ? at[length - wanted - 1] == '/' : true;
    if (length >= wanted && apart && memcmp(at + length - wanted, library, wanted) == 0)
      return true;
    at += length;
  }
  return false;
}

bool sgp_is_system_wide(void) {
  char text[LIST_BYTES];
  return sg_read_small_file(LIST, text, sizeof text) &&
         sgp_names_library(text, "libschedgpu-preload.so");
}
