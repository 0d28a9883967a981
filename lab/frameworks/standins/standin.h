/*
 * standin.h - what the stand-ins share. A stand-in has the functions that its importers name: those
 * of the C file of its library, and for all others one that does nothing and returns 0, which
 * means success in each of these libraries. All functions are thread-safe and return the library's
 * status unless noted.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include "cudart_abi.h"

#include <stdlib.h>

enum { HANDLE_BYTES = 64, NO_MEMORY = 3 };

/* HANDLE(name, further parameters): makes an opaque object in host memory. */
#define HANDLE(name, ...)                                                                          \
  int name(void **handle, ##__VA_ARGS__);                                                          \
  int name(void **handle, ##__VA_ARGS__) {                                                         \
    *handle = calloc(1, HANDLE_BYTES);                                                             \
    return *handle ? 0 : NO_MEMORY;                                                                \
  }

/* RELEASE(name): frees what HANDLE(name) made. */
#define RELEASE(name)                                                                              \
  int name(void *handle);                                                                          \
  int name(void *handle) {                                                                         \
    free(handle);                                                                                  \
    return 0;                                                                                      \
  }

/* ANSWER(name, value): sets the second parameter. */
#define ANSWER(name, value)                                                                        \
  int name(const void *handle, int *answer);                                                       \
  int name(const void *handle, int *answer) {                                                      \
    (void)handle;                                                                                  \
    *answer = (value);                                                                             \
    return 0;                                                                                      \
  }

/* ERROR_TEXT(name): returns a text for every status. */
#define ERROR_TEXT(name)                                                                           \
  const char *name(int status);                                                                    \
  const char *name(int status) {                                                                   \
    return status ? "an error of a stand-in" : "success";                                          \
  }

#endif
