/*
 * older.h - calls a function of libc.so.6 in the version that glibc 2.17 has.
 */
#ifndef GLIBC_2_17_OLDER_H
#define GLIBC_2_17_OLDER_H

#if defined(__x86_64__)
#define OLDER_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDER_VERSION "GLIBC_2.17"
#else
#error "only the versions of x86-64 and aarch64 are known here"
#endif

/** older_NAME is that function; its declaration follows. */
#define OLDER(name) __asm__(".symver older_" #name ", " #name "@" OLDER_VERSION)

#endif
