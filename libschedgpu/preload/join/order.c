/* order.c - see order.h. */
#include "order.h"
#include "message.h"
#include "../resolve/this_library.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ": \t\n"

static bool is_file(const char *entry, size_t length, const char *begin) {
  size_t start = length;
  while (start > 0 && entry[start - 1] != '/')
    start--;
  return length - start >= strlen(begin) && memcmp(entry + start, begin, strlen(begin)) == 0;
}

void sgp_tell_of_driver_before_us(void) {
  const char *job = getenv("SCHEDGPU_JOB"), *list = getenv("LD_PRELOAD");
  if (sgp_is_proxy || !job || !*job || !list)
    return;
  for (list += strspn(list, SEPARATORS); *list; list += strspn(list, SEPARATORS)) {
    size_t length = strcspn(list, SEPARATORS);
    if (is_file(list, length, "libschedgpu-preload.so"))
      return;
    if (is_file(list, length, "libcuda.so")) {
      sgp_say_once(
          SGP_DRIVER_FIRST,
          "LD_PRELOAD names %.*s before libschedgpu-preload.so: the program's memory is not "
          "scheduled, take the driver out of LD_PRELOAD",
          (int)length, list);
      return;
    }
    list += length;
  }
}
