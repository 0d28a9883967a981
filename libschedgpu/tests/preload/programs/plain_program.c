/*
 * plain_program.c - a program that does not use CUDA. Prints the number of its open files and
 * threads just before main() ends, and whether it finds a CUDA driver.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

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

/* Names at the very end of a page: a read behind them would fault. */
static int short_names(void) {
  static const char *const names[] = {"c", "n", "nv", "nvm", "nvml", ""};
  char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int found = 0;
  munmap(pages + 4096, 4096);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *name = pages + 4096 - strlen(names[i]) - 1;
    strcpy(name, names[i]);
    found += dlsym(RTLD_DEFAULT, name) != NULL;
  }
  return found;
}

int main(int argc, char **argv) {
  void *symbol = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
  const char *error = dlerror();
  void *next = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  void *nvml = dlsym(RTLD_DEFAULT, "nvmlDeviceGetMemoryInfo");
  int short_ones = short_names();
  void *ordinary = dlsym(RTLD_DEFAULT, "qsort");
  printf("fds %d threads %d libcuda %d region %d preload %d cu %d/%d dlerror %d ordinary %d nvml "
         "%d short %d\n",
         entries("/proc/self/fd"), entries("/proc/self/task"), mapped("libcuda"),
         argc > 1 ? mapped(argv[1]) : -1, mapped("libschedgpu-preload"), symbol != NULL,
         next != NULL, error != NULL, ordinary != NULL, nvml != NULL, short_ones);
  return 0;
}
