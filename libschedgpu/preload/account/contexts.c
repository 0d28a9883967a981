/* contexts.c - see contexts.h. */
#include "contexts.h"
#include "reserve.h"
#include "../join/devices.h"
#include "green.h"
#include "ledger.h"
#include "../resolve/resolve.h"
#include "../join/schedule.h"
#include "tiles.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  struct sgp_context context;
  struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *nodes;
static uint32_t last_id;
/* Changes when a record is removed; what threads have cached is then invalid. */

static _Thread_local struct {
  CUcontext context;
  uint32_t epoch;
  struct sgp_place place;
} cached;

static struct node **find(CUcontext context) {
  struct node **link = &nodes;
  while (*link && (*link)->context.context != context)
    link = &(*link)->next;
  return link;
}

bool sgp_context_find(CUcontext context, struct sgp_context *found) {
  pthread_mutex_lock(&lock);
  struct node *node = *find(context);
  if (node)
    *found = node->context;
  pthread_mutex_unlock(&lock);
  return node != NULL;
}

bool sgp_context_find_primary(CUdevice device, struct sgp_context *found) {
  pthread_mutex_lock(&lock);
  struct node *node = nodes;
  while (node && !(node->context.primary && node->context.device == device))
    node = node->next;
  if (node)
    *found = node->context;
  pthread_mutex_unlock(&lock);
  return node != NULL;
}

bool sgp_context_after(uint32_t id, struct sgp_context *found) {
  const struct node *next = NULL;
  pthread_mutex_lock(&lock);
  for (const struct node *node = nodes; node; node = node->next)
    if (node->context.id > id && (!next || node->context.id < next->context.id))
      next = node;
  if (next)
    *found = next->context;
  pthread_mutex_unlock(&lock);
  return next != NULL;
}

bool sgp_context_add(struct sgp_context *context) {
  struct node *fresh = malloc(sizeof *fresh);
  pthread_mutex_lock(&lock);
  struct node *known = *find(context->context);
  if (known) {
    *context = known->context;
  } else {
    context->id = ++last_id ? last_id : ++last_id;
    context->users = 1;
    if (fresh) {
      *fresh = (struct node){*context, nodes};
      nodes = fresh;
    }
  }
  pthread_mutex_unlock(&lock);
  if (known)
    free(fresh);
  return known == NULL;
}

void sgp_context_put_back(const struct sgp_context *context) {
  struct node *fresh = malloc(sizeof *fresh);
  if (!fresh)
    return;
  pthread_mutex_lock(&lock);
  *fresh = (struct node){*context, nodes};
  nodes = fresh;
  pthread_mutex_unlock(&lock);
}

void sgp_context_attached(CUcontext context) {
  pthread_mutex_lock(&lock);
  struct node *node = *find(context);
  if (node)
    node->context.users++;
  pthread_mutex_unlock(&lock);
}

uint64_t sgp_context_first_limit(uint32_t id, CUlimit limit, uint64_t now) {
  pthread_mutex_lock(&lock);
  struct node *node = nodes;
  while (node && node->context.id != id)
    node = node->next;
  if (node && node->context.first_limit[limit] == 0)
    node->context.first_limit[limit] = now;
  uint64_t first = node ? node->context.first_limit[limit] : now;
  pthread_mutex_unlock(&lock);
  return first;
}

enum sgp_detached sgp_context_detached(CUcontext context, struct sgp_context *record) {
  pthread_mutex_lock(&lock);
  struct node *node = *find(context);
  if (node && node->context.primary) /* the driver counts its users */
    node = NULL;
  bool last = node && node->context.users <= 1;
  if (node)
    *record = node->context;
  if (node && !last)
    node->context.users--;
  pthread_mutex_unlock(&lock);
  if (!node)
    return SGP_UNKNOWN_CONTEXT;
  if (!last)
    return SGP_STILL_ATTACHED;
  return sgp_context_remove(record->id) ? SGP_LAST_DETACHED : SGP_UNKNOWN_CONTEXT;
}

bool sgp_context_remove(uint32_t id) {
  pthread_mutex_lock(&lock);
  struct node **link = &nodes;
  while (*link && (*link)->context.id != id)
    link = &(*link)->next;
  struct node *node = *link;
  if (node)
    *link = node->next;
  sgp_places_changed();
  pthread_mutex_unlock(&lock);
  free(node);
  return node != NULL;
}

void sgp_context_ended(const struct sgp_context *context) {
  struct sgp_entry entry;
  bool found;
  do {
    struct sgp_cursor cursor = {0, 0};
    found = false;
    while (sgp_ledger_take_of_context(context->id, &cursor, &entry)) {
      sgp_release(entry.device, entry.bytes);
      found = true;
    }
  } while (found);
  sgp_tiles_context_ended(context->id);
  sgp_leave_context(context->ordinal);
}

/* Retaining an active primary context returns its address, and adds no context. */
CUcontext sgp_primary_context(CUdevice device) {
  sgp_cuDevicePrimaryCtxGetState state = SGP_CALL(cuDevicePrimaryCtxGetState);
  __typeof__(&cuDevicePrimaryCtxRetain) retain = sgp_real(SGP_cuDevicePrimaryCtxRetain);
  __typeof__(&cuDevicePrimaryCtxRelease_v2) release = sgp_real(SGP_cuDevicePrimaryCtxRelease_v2);
  if (!release)
    release = sgp_real(SGP_cuDevicePrimaryCtxRelease);
  unsigned flags;
  int active = 0;
  CUcontext primary = NULL;
  if (!state || !retain || !release || state(device, &flags, &active) != CUDA_SUCCESS || !active ||
      retain(&primary, device) != CUDA_SUCCESS)
    return NULL;
  release(device);
  return primary;
}

/* Admits a context that no hook saw. */
static struct sgp_place admit(struct sgp_context *context) {
  struct sgp_verdict verdict = sgp_admit_context(context->ordinal);
  if (verdict.refused)
    return (struct sgp_place){SGP_NO_DEVICE, 0, true, verdict.error};
  if (!verdict.charged)
    return (struct sgp_place){.ordinal = SGP_NO_DEVICE};
  context->primary = sgp_primary_context(context->device) == context->context;
  if (!sgp_context_add(context))
    sgp_leave_context(context->ordinal);
  return (struct sgp_place){.ordinal = context->ordinal, .context_id = context->id};
}

static CUcontext current_context(void) {
  sgp_cuCtxGetCurrent get_current = SGP_CALL(cuCtxGetCurrent);
  CUcontext context = NULL;
  return get_current && get_current(&context) == CUDA_SUCCESS ? context : NULL;
}

static bool current_device(CUdevice *device) {
  sgp_cuCtxGetDevice get_device = SGP_CALL(cuCtxGetDevice);
  return get_device && get_device(device) == CUDA_SUCCESS;
}

/* Allocations in a green context belong to the primary context of its device. */
static CUcontext owner_of(CUcontext current) {
  CUdevice device;
  CUcontext primary =
      sgp_is_green(current) && current_device(&device) ? sgp_primary_context(device) : NULL;
  return primary ? primary : current;
}

static struct sgp_place find_place(CUcontext current) {
  struct sgp_context context = {.context = owner_of(current)};
  if (sgp_context_find(context.context, &context))
    return (struct sgp_place){.ordinal = context.ordinal, .context_id = context.id};
  if (!current_device(&context.device))
    return (struct sgp_place){.ordinal = SGP_NO_DEVICE};
  context.ordinal = sgp_device_ordinal(context.device);
  if (context.ordinal == SGP_NO_DEVICE)
    return (struct sgp_place){.ordinal = SGP_NO_DEVICE};
  return admit(&context);
}

struct sgp_place sgp_current_place(void) {
  CUcontext current = current_context();
  if (!current)
    return (struct sgp_place){.ordinal = SGP_NO_DEVICE};
  uint32_t now = atomic_load_explicit(&sgp_places_epoch, memory_order_acquire);
  if (cached.context == current && cached.epoch == now)
    return cached.place;
  struct sgp_place place = find_place(current);
  if (place.context_id) {
    cached.context = current;
    cached.epoch = now;
    cached.place = place;
  }
  return place;
}

int sgp_current_ordinal(void) {
  CUdevice device;
  return current_device(&device) ? sgp_device_ordinal(device) : SGP_NO_DEVICE;
}

void sgp_primary_lock(void) {
  pthread_mutex_lock(&primary_lock);
}
void sgp_primary_unlock(void) {
  pthread_mutex_unlock(&primary_lock);
}

/* As in ledger.c: abandoned, not freed. */
void sgp_contexts_after_fork(void) {
  lock = primary_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  nodes = NULL;
  sgp_places_changed();
}
