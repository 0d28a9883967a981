/* users.c - limits per user: no user takes so much of the agent that nothing is left for others. */
#include "../core/rules/shares.h"
#include "broker.h"
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

uint32_t schedgpu_share_owner(uint32_t uid, const uint32_t *first, const uint32_t *count,
                              const uint32_t *owner, uint32_t n) {
  uint32_t found = uid;
  for (uint32_t i = 0; i < n && uid != 0; i++)
    if (uid >= first[i] && uid - first[i] < count[i])
      found = owner[i] ? owner[i] : first[i];
  return found;
}

uint32_t sg_account_of(schedgpu_broker *b, uint32_t uid) {
  pthread_mutex_lock(&b->subordinates_mutex);
  const struct subordinates *s = &b->subordinates;
  uint32_t account = schedgpu_share_owner(uid, s->first, s->count, s->owner, s->n);
  pthread_mutex_unlock(&b->subordinates_mutex);
  return account;
}

int schedgpu_broker_set_subordinates(schedgpu_broker *b, const uint32_t *first,
                                     const uint32_t *count, const uint32_t *owner, uint32_t n) {
  if (n > SCHEDGPU_BROKER_MAX_SUBORDINATES)
    return SCHEDGPU_EINVAL;
  struct subordinates fresh = {.n = n, .first = calloc(3 * (n + 1), sizeof *fresh.first)};
  if (!fresh.first)
    return SCHEDGPU_ESYSTEM;
  fresh.count = fresh.first + n;
  fresh.owner = fresh.count + n;
  memcpy(fresh.first, first, n * sizeof *first);
  memcpy(fresh.count, count, n * sizeof *count);
  memcpy(fresh.owner, owner, n * sizeof *owner);
  pthread_mutex_lock(&b->subordinates_mutex);
  struct subordinates old = b->subordinates;
  b->subordinates = fresh;
  pthread_mutex_unlock(&b->subordinates_mutex);
  free(old.first);
  return SCHEDGPU_OK;
}

struct user *sg_user_of(schedgpu_broker *b, uint32_t uid) {
  uid = sg_account_of(b, uid);
  for (struct user *u = b->users; u; u = u->next)
    if (u->uid == uid)
      return u;
  struct user *u = calloc(1, sizeof *u);
  if (!u)
    return NULL;
  *u = (struct user){.uid = uid,
                     .tokens = b->limits.messages_per_second,
                     .filled_ns = sg_now_ns(),
                     .next = b->users};
  b->users = u;
  return u;
}

/** Keeps an account whose allowance is not full, so that connecting again does not refill it. */
void sg_user_free_if_unused(schedgpu_broker *b, struct user *user) {
  if (user->connections || user->clients ||
      (user->tokens < b->limits.messages_per_second && sg_now_ns() - user->filled_ns < NS_PER_S))
    return;
  for (struct user **p = &b->users; *p; p = &(*p)->next)
    if (*p == user) {
      *p = user->next;
      free(user);
      return;
    }
}

void sg_users_tick(schedgpu_broker *b) {
  for (struct user *u = b->users, *next; u; u = next) {
    next = u->next;
    sg_user_free_if_unused(b, u);
  }
}

bool sg_user_may_send(const schedgpu_broker *b, struct user *u) {
  uint64_t now_ns = sg_now_ns(), most = b->limits.messages_per_second;
  uint64_t passed_ns = now_ns - u->filled_ns;
  uint64_t fresh = passed_ns > NS_PER_S ? most : passed_ns * most / NS_PER_S;
  if (fresh > 0) {
    u->tokens =
        u->tokens + (int64_t)fresh < (int64_t)most ? u->tokens + (int64_t)fresh : (int64_t)most;
    u->filled_ns = now_ns;
  }
  if (u->uid == 0)
    return true;
  if (u->tokens <= 0)
    return false;
  u->tokens--;
  return true;
}

/** The allowance may become negative; the user is then read again when it is positive. */
void sg_user_charge(struct user *u, uint32_t messages) {
  u->tokens -= messages;
}

/** The rule of the core, and a limit. */
bool sg_fair(uint32_t has, uint32_t limit, uint32_t left) {
  return has < limit && sg_leaves_some(has, left);
}
