/* link_ask.c - requests of a broker client to the agent. */
#include "../client/client.h"
#include "../client/notice.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RETRY_NS 10000000
#define SLICE_NS UINT64_C(200000000)
#define AWAY_NS UINT64_C(3000000000)
#define TRIES 100

int sg_link_do(struct sg_self *self, int64_t timeout_ns, sg_link_transition transition,
               void *argument) {
  self->link.deadline_ns = sg_now_ns() + (uint64_t)timeout_ns;
  self->h.lock_holder = SG_NOTICE_AGENT;
  for (;;) {
    int rc = sg_link_ready(self);
    if (rc == SCHEDGPU_OK)
      rc = transition(self, argument, NULL);
    if (rc != SCHEDGPU_ELOCK || sg_now_ns() >= self->link.deadline_ns)
      return rc;
    struct timespec pause = {0, RETRY_NS};
    nanosleep(&pause, NULL);
  }
}

/**
 * Takes a grant. It is leased now and becomes used only here, so the use is exact whichever process
 * dies. False if another thread was faster.
 */
static bool take(struct sg_link *link, uint32_t subject, uint32_t device, uint64_t bytes,
                 uint32_t sequence) {
  bool taken = true;
  if (subject == SG_WIRE_MEMORY)
    taken = sg_lease_take(&link->page->client, device, sg_round_up(bytes) / SG_UNIT_BYTES);
  else if (subject == SG_WIRE_CONTEXT)
    link->page->client.contexts[device] += link->view->device[device].context_bytes;
  atomic_store(&link->page->taken, sequence);
  return taken;
}

static void note_queued(const struct sg_wire_queued *a, const struct sg_wire_ask *q, int ordinal,
                        struct schedgpu_wait_notice *n) {
  *n = (struct schedgpu_wait_notice){.device = ordinal,
                                     .region_device = (int)q->device,
                                     .request_bytes = a->request_bytes,
                                     .free_bytes = a->free_bytes,
                                     .place = a->place,
                                     .is_context = q->subject == SG_WIRE_CONTEXT,
                                     .holder_job_id = a->holder_job_id,
                                     .holder_uid = a->holder_uid,
                                     .holders = a->holders};
}

static int ask_once(struct sg_self *self, const struct sg_wire_ask *ask, struct sg_wait *wait,
                    struct schedgpu_wait_notice *notice, bool *again) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_ASK, .ask = *ask};
  struct sg_wire_answer a;
  if (ask->may_wait)
    atomic_store(&link->page->wait_state, SG_WAIT_GOES_ON);
  int rc = sg_link_exchange(self, &q, &a, NULL);
  if (rc == SCHEDGPU_OK)
    *again = !take(link, ask->subject, ask->device, ask->bytes, q.head.sequence);
  if (rc != SCHEDGPU_EWOULDBLOCK || !ask->may_wait || a.queued.ticket == 0)
    return rc;
  link->wait.ticket = link->page->wait.ticket = a.queued.ticket;
  link->wait_lost = false;
  wait->waiter = link->slot;
  wait->ticket = a.queued.ticket;
  wait->subject = ask->subject;
  wait->device = ask->device;
  wait->bytes = ask->bytes;
  note_queued(&a.queued, ask, wait->ordinal, notice);
  return rc;
}

int sg_link_ask(struct sg_self *self, const struct sg_request *r, struct sg_wait *wait,
                struct schedgpu_wait_notice *notice) {
  struct sg_wire_ask ask = {.bytes = r->bytes,
                            .deadline_ns = r->deadline_ns,
                            .subject = r->gate      ? SG_WIRE_GATE
                                       : r->context ? SG_WIRE_CONTEXT
                                                    : SG_WIRE_MEMORY,
                            .device = r->device,
                            .may_wait = r->may_wait};
  for (int i = 0; i < TRIES; i++) {
    bool again = false;
    int rc = ask_once(self, &ask, wait, notice, &again);
    if (!again)
      return rc;
  }
  return SCHEDGPU_EBUDGET;
}

bool sg_link_forget(struct sg_self *self) {
  struct sg_link *link = &self->link;
  bool lost = link->wait_lost;
  link->wait.ticket = link->page->wait.ticket = 0;
  link->wait_lost = false;
  return lost;
}

int sg_link_settle(struct sg_self *self, const struct sg_wait *wait) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_SETTLE, .settle = {wait->ticket}};
  struct sg_wire_answer a;
  if (link->wait_lost)
    return SCHEDGPU_ENOJOB;
  int rc = sg_link_exchange(self, &q, &a, NULL);
  if (rc == SCHEDGPU_OK && !take(link, wait->subject, wait->device, wait->bytes, q.head.sequence))
    return SCHEDGPU_EBUDGET; /* as if other processes of the job had used up the budget */
  if (rc != SCHEDGPU_ECORRUPT)
    return rc;
  link->wait_lost = true; /* damage that was repaired lost the wait: the client asks again */
  return SCHEDGPU_ENOJOB;
}

/**
 * A message that is lost does no harm, because the next agent reads the use from the page. So the
 * wait is short.
 */
int sg_link_sync(struct sg_self *self) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_SYNC};
  struct sg_wire_answer a;
  pthread_mutex_lock(&self->mutex);
  int rc = link->on ? SCHEDGPU_OK : SCHEDGPU_EUNDERFLOW;
  if (rc == SCHEDGPU_OK && sg_now_ns() >= link->quiet_until_ns) {
    link->deadline_ns = sg_now_ns() + SLICE_NS;
    rc = sg_link_ready(self);
    if (rc == SCHEDGPU_OK)
      rc = sg_link_exchange(self, &q, &a, NULL);
    if (rc == SCHEDGPU_ELOCK)
      link->quiet_until_ns = sg_now_ns() + 5 * SLICE_NS;
  }
  pthread_mutex_unlock(&self->mutex);
  return rc == SCHEDGPU_ENOJOB ? rc : SCHEDGPU_OK;
}

static int ask_about(struct sg_self *self, uint32_t type, uint32_t device,
                     struct sg_wire_answer *a) {
  struct sg_wire_question q = {.head.type = (uint16_t)type, .device = {.device = device}};
  pthread_mutex_lock(&self->mutex);
  self->link.deadline_ns = sg_now_ns() + AWAY_NS;
  int rc = self->link.on ? sg_link_ask_in_time(self, &q, a, NULL) : SCHEDGPU_ENOJOB;
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

int sg_link_query(struct sg_self *self, uint32_t device, struct schedgpu_info *info) {
  struct sg_wire_answer a;
  int rc = ask_about(self, SG_WIRE_QUERY, device, &a);
  if (rc == SCHEDGPU_OK)
    *info = a.info;
  return rc;
}

int sg_link_holders(struct sg_self *self, uint32_t device, char *text, size_t size) {
  struct sg_wire_answer a;
  int rc = ask_about(self, SG_WIRE_HOLDERS, device, &a);
  if (rc == SCHEDGPU_OK)
    snprintf(text, size, "%.*s", (int)sizeof a.text - 1, a.text);
  return rc;
}

/** True if the wait goes on. Connects again if necessary. */
static bool goes_on(struct sg_self *self, uint64_t *away_since_ns) {
  pthread_mutex_lock(&self->mutex);
  bool attached = self->link.on && atomic_load(&self->record);
  self->link.deadline_ns = sg_now_ns() + SLICE_NS;
  int rc = attached ? sg_link_ready(self) : SCHEDGPU_ENOJOB;
  bool lost = self->link.wait_lost;
  pthread_mutex_unlock(&self->mutex);
  uint64_t now_ns = sg_now_ns();
  if (rc != SCHEDGPU_ELOCK)
    *away_since_ns = 0;
  else if (*away_since_ns == 0)
    *away_since_ns = now_ns;
  else if (*away_since_ns != UINT64_MAX && now_ns - *away_since_ns > AWAY_NS) {
    sg_notice_lock(SG_NOTICE_AGENT, '?');
    *away_since_ns = UINT64_MAX; /* once */
  }
  return !lost && (rc == SCHEDGPU_OK || rc == SCHEDGPU_ELOCK);
}

void sg_link_sleep(struct sg_self *self, const struct sg_wait *wait) {
  uint64_t away_since_ns = 0;
  _Atomic uint32_t *state = &self->link.page->wait_state;
  while (atomic_load(state) == SG_WAIT_GOES_ON) {
    uint64_t now_ns = sg_now_ns();
    if (now_ns >= wait->deadline_ns)
      return;
    uint64_t left_ns = wait->deadline_ns - now_ns;
    if (!sg_futex_wait(state, SG_WAIT_GOES_ON, left_ns < SLICE_NS ? left_ns : SLICE_NS) &&
        !goes_on(self, &away_since_ns))
      return;
  }
}
