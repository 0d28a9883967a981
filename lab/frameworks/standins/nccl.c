/* nccl.c - one process only: nothing is sent. */
#include "standin.h"

enum { VERSION = 22203 };

int ncclGetVersion(int *version);
int ncclGetVersion(int *version) {
  *version = VERSION;
  return 0;
}

ERROR_TEXT(ncclGetErrorString)
