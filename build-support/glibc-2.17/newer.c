/*
 * newer.c - functions that glibc 2.17 does not export and that compilers or headers of newer
 * releases call. They are linked into what is shipped (native.mk) and hidden there. Includes no
 * header that may declare them under another name.
 */
#include "older.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

struct stat;
long syscall(long number, ...);

/* The kernel's struct stat is glibc's on x86-64 and aarch64. */
int stat(const char *restrict path, struct stat *restrict about) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, about, 0);
}
int lstat(const char *restrict path, struct stat *restrict about) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat *about) {
  return (int)syscall(SYS_fstat, fd, about);
}
int fstatat(int folder, const char *restrict path, struct stat *restrict about, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, about, flags);
}

int memfd_create(const char *name, unsigned flags) {
  return (int)syscall(SYS_memfd_create, name, flags);
}

/* glibc links its own into each library; musl has not what that calls, and would not load us. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
    __attribute__((weak));
extern void *__dso_handle;
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  return __register_atfork ? __register_atfork(prepare, parent, child, __dso_handle) : ENOSYS;
}

/* glibc 2.38 reads 0b1 as a number, too. */
#define BEFORE_C23(type, name)                                                                     \
  type name(const char *restrict text, char **restrict end, int base);                             \
  type __isoc23_##name(const char *restrict text, char **restrict end, int base) {                 \
    return name(text, end, base);                                                                  \
  }
BEFORE_C23(long, strtol)
BEFORE_C23(long long, strtoll)
BEFORE_C23(unsigned long, strtoul)
BEFORE_C23(unsigned long long, strtoull)

int __isoc99_vsscanf(const char *restrict text, const char *restrict format, va_list arguments);
int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int found = __isoc99_vsscanf(text, format, arguments);
  va_end(arguments);
  return found;
}
struct _IO_FILE;
OLDER(fmemopen);
struct _IO_FILE *older_fmemopen(void *, size_t, const char *);
struct _IO_FILE *fmemopen(void *at, size_t bytes, const char *mode) {
  return older_fmemopen(at, bytes, mode);
}

int __isoc99_vfscanf(struct _IO_FILE *restrict file, const char *restrict format,
                     va_list arguments);
int __isoc23_fscanf(struct _IO_FILE *restrict file, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int found = __isoc99_vfscanf(file, format, arguments);
  va_end(arguments);
  return found;
}
