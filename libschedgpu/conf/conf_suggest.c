/* conf_suggest.c - suggests a budget for a job whose use is known. */
#include "schedgpu/conf_text.h"
#include <stdbool.h>
#include <stdio.h>

#define MIB (UINT64_C(1) << 20)
#define STEP_BYTES (256 * MIB)

uint64_t schedgpu_suggested_budget(uint64_t used_bytes) {
  uint64_t margin = used_bytes / 100 * 10;
  uint64_t bytes = used_bytes + (margin > STEP_BYTES ? margin : STEP_BYTES);
  return (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
}

char *schedgpu_type_bytes(uint64_t bytes, char *text) {
  uint64_t mib = bytes / MIB;
  bool whole = mib % 1024 == 0;
  snprintf(text, 24, "%llu%c", (unsigned long long)(whole ? mib / 1024 : mib), whole ? 'G' : 'M');
  return text;
}
