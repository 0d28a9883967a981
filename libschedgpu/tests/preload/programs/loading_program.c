/*
 * loading_program.c - a program whose CUDA part is in driver_user.c: in the executable (INSIDE),
 * else in a library that it loads as its first argument says. Obeys lines from stdin.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int user_begin(void);
int user_alloc(size_t bytes);
int user_free(void);

#ifdef INSIDE
static int begin_in(const char *how) {
  (void)how;
  return user_begin();
}
#define ALLOC user_alloc
#define FREE user_free
#else
static int (*alloc_there)(size_t bytes);
static int (*free_there)(void);
#define ALLOC alloc_there
#define FREE free_there

static void *load(const char *how) {
  if (strcmp(how, "dlmopen") == 0)
    return dlmopen(LM_ID_NEWLM, USER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  int deep = strcmp(how, "deepbind") == 0 ? RTLD_DEEPBIND : 0;
  return dlopen(USER_LIBRARY, RTLD_NOW | RTLD_LOCAL | deep);
}

static int begin_in(const char *how) {
  void *library = load(how);
  if (!library)
    return -1;
  int (*begin)(void) = (int (*)(void))dlsym(library, "user_begin");
  alloc_there = (int (*)(size_t))dlsym(library, "user_alloc");
  free_there = (int (*)(void))dlsym(library, "user_free");
  return begin();
}
#endif

int main(int argc, char **argv) {
  char line[128], first[32];
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    unsigned long long slot, bytes = 0;
    sscanf(line, "%31s %llu %llu", first, &slot, &bytes);
    printf("%d\n", strcmp(first, "begin") == 0   ? begin_in(argc > 1 ? argv[1] : "")
                   : strcmp(first, "alloc") == 0 ? ALLOC((size_t)bytes)
                                                 : FREE());
  }
  return 0;
}
