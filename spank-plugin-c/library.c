/* library.c - see library.h. */
#include "library.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool sg_library_loads(const char *library, char *reason, size_t size) {
  struct statvfs fs;
  if (faccessat(AT_FDCWD, library, R_OK, AT_EACCESS) != 0) {
    snprintf(reason, size,
             "PreloadLibrary=%s: the job's user cannot read it: %s: let every user read it, or "
             "correct schedgpu.conf",
             library, strerror(errno));
    return false;
  }
  if (statvfs(library, &fs) == 0 && (fs.f_flag & ST_NOEXEC)) {
    snprintf(reason, size,
             "PreloadLibrary=%s: its file system is mounted with noexec, so no program can load "
             "it: install it elsewhere, or mount that without noexec",
             library);
    return false;
  }
  return true;
}
