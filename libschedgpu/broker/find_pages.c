/*
 * find_pages.c - finds the client pages of an earlier agent in the memory of a process, in one
 * bounded pass over its mappings. The process decides what is mapped there. So nothing is opened
 * other than by O_PATH before it is known to be a page: memory without a name in any folder, of the
 * right name and size, created by this agent's user, and sealed. The content of a page is trusted
 * no more than that of a page that this agent created.
 */
#include "find_pages.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PAGE_LINE "/memfd:" SG_PAGE_NAME " (deleted)\n"
/** Limit for /proc/PID/maps: more than the 65,530 mappings that a process usually may have. */
#define MAPS_BYTES (8u << 20)
/** Limit for pages of slots that the process has released. */
#define SPARE_PAGES 16u

struct mapping {
  unsigned long begin;
  unsigned long end;
  dev_t dev;
};

/** Parses a line of /proc/PID/maps. False: it is not the mapping of a page. */
static bool parse(const char *line, struct mapping *m) {
  unsigned major, minor;
  int path = 0;
  if (sscanf(line, "%lx-%lx rw-s %*x %x:%x %*u %n", &m->begin, &m->end, &major, &minor, &path) <
          4 ||
      path == 0 || strcmp(line + path, PAGE_LINE) != 0)
    return false;
  m->dev = makedev(major, minor);
  return m->end - m->begin == SG_PAGE_SIZE;
}

/** The device number of the file system of memfd_create(). */
static bool page_device(dev_t *dev) {
  struct stat st;
  int fd = memfd_create(SG_PAGE_NAME, MFD_CLOEXEC);
  bool found = fd >= 0 && fstat(fd, &st) == 0;
  if (fd >= 0)
    close(fd);
  *dev = found ? st.st_dev : 0;
  return found;
}

static bool looks_like_page(int fd, dev_t dev) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == dev &&
         st.st_size == SG_PAGE_SIZE && st.st_uid == geteuid();
}

static struct sg_page *map_page(int fd) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (fcntl(fd, F_GET_SEALS) != seals)
    return NULL;
  void *p = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? NULL : p;
}

/**
 * Opens what the process maps there now. NULL: it is not a page. Sets `*denied` if the agent may
 * not read it.
 */
static struct sg_page *open_page(int32_t pid, const struct mapping *m, dev_t dev, bool *denied) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", pid, m->begin, m->end);
  int path_fd = open(path, O_PATH | O_CLOEXEC);
  if (path_fd < 0) {
    *denied |= errno == EPERM || errno == EACCES;
    return NULL;
  }
  struct sg_page *page = NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", path_fd);
  int fd = looks_like_page(path_fd, dev) ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd >= 0) {
    page = map_page(fd);
    close(fd);
  }
  close(path_fd);
  return page;
}

/**
 * Assigns the page to the slot that it names. False: the slot is not wanted, and the page is
 * unmapped.
 */
static bool take_page(struct sg_wanted *wanted, uint32_t count, struct sg_page *page) {
  uint32_t slot = page->slot; /* read once, because the process may change it */
  for (uint32_t i = 0; i < count; i++)
    if (wanted[i].slot == slot && !wanted[i].page) {
      wanted[i].page = page;
      return true;
    }
  munmap(page, SG_PAGE_SIZE);
  return false;
}

static uint32_t scan(FILE *maps, int32_t pid, struct sg_wanted *wanted, uint32_t count,
                     bool *denied) {
  char *line = NULL;
  size_t size = 0, seen = 0;
  ssize_t n;
  uint32_t found = 0, opened = 0;
  dev_t dev;
  if (!page_device(&dev))
    return 0;
  while (found < count && opened < count + SPARE_PAGES && seen < MAPS_BYTES &&
         (n = getline(&line, &size, maps)) > 0) {
    struct mapping m;
    seen += (size_t)n;
    if (!parse(line, &m) || m.dev != dev)
      continue;
    opened++;
    struct sg_page *page = open_page(pid, &m, dev, denied);
    found += page && take_page(wanted, count, page);
  }
  free(line);
  return found;
}

static bool is_alive(int pidfd) {
  struct pollfd p = {.fd = pidfd, .events = POLLIN};
  return poll(&p, 1, 0) == 0;
}

uint32_t sg_find_pages(int32_t pid, int pidfd, struct sg_wanted *wanted, uint32_t count,
                       bool *denied) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  if (!maps) {
    *denied |= errno == EPERM || errno == EACCES;
    return 0;
  }
  uint32_t found = scan(maps, pid, wanted, count, denied);
  fclose(maps);
  if (is_alive(pidfd)) /* then its pid was not reused meanwhile */
    return found;
  sg_forget_pages(wanted, count);
  return 0;
}

void sg_forget_pages(struct sg_wanted *wanted, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (wanted[i].page)
      munmap(wanted[i].page, SG_PAGE_SIZE);
    wanted[i].page = NULL;
  }
}
