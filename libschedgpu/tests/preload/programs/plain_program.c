/*
 * A program that has nothing to do with CUDA. Says what the process has open and how many threads
 * run before main() ends, and whether it believes that there is a CUDA driver.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int entries(const char *path) {
  int count = 0;
  DIR *dir = opendir(path);
  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count - 2;
}

static int mapped(const char *what) {
  char line[1024];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    found |= strstr(line, what) != NULL;
  if (maps)
    fclose(maps);
  return found;
}

int main(int argc, char **argv) {
  void *symbol = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
  const char *error = dlerror();
  void *next = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  void *ordinary = dlsym(RTLD_DEFAULT, "qsort");
  printf("fds %d threads %d libcuda %d region %d preload %d cu %d/%d dlerror %d ordinary %d\n",
         entries("/proc/self/fd"), entries("/proc/self/task"), mapped("libcuda"),
         argc > 1 ? mapped(argv[1]) : -1, mapped("libschedgpu-preload"), symbol != NULL,
         next != NULL, error != NULL, ordinary != NULL);
  return 0;
}
