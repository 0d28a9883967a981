/* green.c - see green.h. */
#include "green.h"
#include <pthread.h>
#include <stdlib.h>

struct node {
  CUcontext context;
  CUgreenCtx green;
  struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes;
_Atomic uint32_t sgp_places_epoch = 1;

void sgp_places_changed(void) {
  atomic_fetch_add(&sgp_places_epoch, 1);
}

void sgp_green_add(CUcontext context, CUgreenCtx green) {
  struct node *fresh = malloc(sizeof *fresh);
  pthread_mutex_lock(&lock);
  struct node *known = nodes;
  while (known && !(known->context == context && known->green == green))
    known = known->next;
  if (fresh && !known) {
    *fresh = (struct node){context, green, nodes};
    nodes = fresh;
    fresh = NULL;
  }
  pthread_mutex_unlock(&lock);
  free(fresh);
  sgp_places_changed();
}

bool sgp_is_green(CUcontext context) {
  pthread_mutex_lock(&lock);
  struct node *node = nodes;
  while (node && node->context != context)
    node = node->next;
  pthread_mutex_unlock(&lock);
  return node != NULL;
}

CUcontext sgp_green_remove(CUgreenCtx green) {
  CUcontext context = NULL;
  pthread_mutex_lock(&lock);
  struct node **link = &nodes;
  while (*link && (*link)->green != green)
    link = &(*link)->next;
  struct node *node = *link;
  if (node) {
    *link = node->next;
    context = node->context;
  }
  pthread_mutex_unlock(&lock);
  free(node);
  sgp_places_changed();
  return context;
}

/* As in ledger.c: abandoned, not freed. */
void sgp_green_after_fork(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  nodes = NULL;
}
