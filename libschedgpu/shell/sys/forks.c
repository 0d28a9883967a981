/*
 * forks.c - holds back the forks of this process. A child forked between a mapping and its
 * MADV_DONTFORK would keep it: its parent's byte locked, and so alive forever, or the segment
 * attached.
 */
#include "../shell.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forbid(void) {
  pthread_mutex_lock(&mutex);
}

static void allow(void) {
  pthread_mutex_unlock(&mutex);
}

static void watch_forks(void) {
  pthread_atfork(forbid, allow, allow);
}

void sg_forbid_forks(void) {
  pthread_once(&once, watch_forks);
  forbid();
}

void sg_allow_forks(void) {
  allow();
}
