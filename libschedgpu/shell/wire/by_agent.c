/*
 * by_agent.c - the operations of a broker client: only the agent writes the region, and this
 * process asks it.
 */
#include "link.h"
#include "../client/notice.h"
#include "../client/operations.h"
#include "../../core/lanes/lanes.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define RETRY_NS 10000000
#define SLICE_NS UINT64_C(200000000)
#define AWAY_NS UINT64_C(3000000000)
#define TRIES 100
/** Time-out of the message that tells the agent of a detach. */
#define DETACH_NS UINT64_C(1000000000)

/* --- attaching --- */

/** True if only the agent may write the region, or it is in another IPC namespace. */
static bool serves(const char *run_dir, int refused) {
  return ((refused == SCHEDGPU_EPERM || refused == SCHEDGPU_ENOREGION) &&
          sg_link_exists(run_dir)) ||
         (refused == SCHEDGPU_EPERM && sg_link_expected(run_dir));
}

static int find_agent(struct sg_self *self, const char *run_dir, int refused) {
  (void)self;
  return serves(run_dir, refused) ? SCHEDGPU_OK : refused;
}

static int attach(struct sg_self *self, const char *run_dir, const struct sg_job_key *key,
                  int64_t timeout_ns, struct sg_joined *joined, struct sg_client **record) {
  int rc = sg_link_attach(self, run_dir, key, timeout_ns, joined);
  if (rc == SCHEDGPU_OK)
    *record = &self->link.page->client;
  return rc;
}

/** If the agent does not do it, the unmapped liveness file does. */
static int detach(struct sg_self *self) {
  pthread_mutex_lock(&self->mutex);
  if (self->link.attached) {
    atomic_store(&self->record, NULL);
    sg_readers_wait(&self->readers);
    self->link.deadline_ns = sg_now_ns() + DETACH_NS;
    sg_link_detach(self);
  }
  pthread_mutex_unlock(&self->mutex);
  return SCHEDGPU_OK;
}

/* --- transitions --- */

static int run(struct sg_self *self, int64_t timeout_ns, sg_transition transition, void *argument) {
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

/** The agent looks for them. */
static bool find_dead(const struct sg_self *self, bool job_at_least) {
  (void)self, (void)job_at_least;
  return false;
}

/** No damage of the region reaches the page. */
static bool has_job(const struct sg_self *self) {
  (void)self;
  return false;
}

/* --- requests --- */

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

static struct schedgpu_wait_notice notice_of(const struct sg_wire_queued *a,
                                             const struct sg_wire_ask *q, int ordinal) {
  return (struct schedgpu_wait_notice){.device = ordinal,
                                       .region_device = (int)q->device,
                                       .request_bytes = a->request_bytes,
                                       .free_bytes = a->free_bytes,
                                       .place = a->place,
                                       .is_context = q->subject == SG_WIRE_CONTEXT,
                                       .holder_job_id = a->holder_job_id,
                                       .holder_uid = a->holder_uid,
                                       .holders = a->holders};
}

/** A job with lanes or a share may have to wait for its turn: the agent wakes who says so. */
static void may_wait_for_turn(struct sg_link *link) {
  if (!sg_is_lane_job(link->view, 0))
    return;
  atomic_store(&link->page->wait_state, SG_WAIT_GOES_ON);
  atomic_store(&link->page->turn_waits, 1);
}

static void note_answer(struct sg_link *link, int rc) {
  if (rc != SCHEDGPU_ETURN)
    atomic_store(&link->page->turn_waits, 0);
}

static struct schedgpu_wait_notice turn_notice(const struct sg_link *link,
                                               const struct sg_wire_queued *a, uint32_t device,
                                               int ordinal) {
  bool share = link->view->job[0].lane_policy == SCHEDGPU_LANE_SHARE;
  return (struct schedgpu_wait_notice){.device = ordinal,
                                       .region_device = (int)device,
                                       .is_turn =
                                           share ? SCHEDGPU_COMPUTE_TURN : SCHEDGPU_LANE_TURN,
                                       .holder_job_id = a->holder_job_id,
                                       .holder_uid = a->holder_uid,
                                       .holders = a->holders};
}

static int ask_once(struct sg_self *self, const struct sg_wire_ask *ask, struct sg_wait *wait,
                    bool *again) {
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_ASK, .ask = *ask};
  struct sg_wire_answer a;
  if (ask->may_wait)
    atomic_store(&link->page->wait_state, SG_WAIT_GOES_ON);
  if (ask->may_wait)
    may_wait_for_turn(link);
  int rc = sg_link_exchange(self, &q, &a, NULL);
  if (ask->may_wait)
    note_answer(link, rc);
  if (rc == SCHEDGPU_ETURN)
    wait->notice = turn_notice(link, &a.queued, ask->device, wait->ordinal);
  if (rc == SCHEDGPU_OK)
    *again = !take(link, ask->subject, ask->device, ask->bytes, q.head.sequence);
  if (rc != SCHEDGPU_EWOULDBLOCK || !ask->may_wait || a.queued.ticket == 0)
    return rc;
  link->wait_ticket = link->page->wait.ticket = a.queued.ticket;
  link->wait_lost = false;
  wait->waiter = link->slot;
  wait->ticket = a.queued.ticket;
  wait->subject = ask->subject;
  wait->device = ask->device;
  wait->bytes = ask->bytes;
  wait->notice = notice_of(&a.queued, ask, wait->ordinal);
  return rc;
}

static int ask(struct sg_self *self, const struct sg_request *r, bool in_turn, struct sg_wait *wait,
               struct sg_wakes *wakes) {
  (void)in_turn, (void)wakes;
  if (r->gate && sg_turn_begin_alone(&self->link.page->lane, self->link.slot, sg_now_ns()))
    return SCHEDGPU_OK; /* the agent gave it the turn that it waited for */
  struct sg_wire_ask question = {.bytes = r->bytes,
                                 .deadline_ns = r->deadline_ns,
                                 .subject = r->gate      ? SG_WIRE_GATE
                                            : r->context ? SG_WIRE_CONTEXT
                                                         : SG_WIRE_MEMORY,
                                 .device = r->device,
                                 .may_wait = r->may_wait};
  for (int i = 0; i < TRIES; i++) {
    bool again = false;
    int rc = ask_once(self, &question, wait, &again);
    if (!again)
      return rc;
  }
  return SCHEDGPU_EBUDGET;
}

static int settle(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct sg_wait *wait = argument;
  (void)wakes;
  struct sg_link *link = &self->link;
  struct sg_wire_question q = {.head.type = SG_WIRE_SETTLE, .settle = {wait->ticket}};
  struct sg_wire_answer a;
  if (self->h.r != wait->region || link->wait_lost)
    return SCHEDGPU_ENOJOB;
  may_wait_for_turn(link);
  int rc = sg_link_exchange(self, &q, &a, NULL);
  note_answer(link, rc);
  if (rc == SCHEDGPU_OK && !take(link, wait->subject, wait->device, wait->bytes, q.head.sequence))
    return SCHEDGPU_EBUDGET; /* as if other processes of the job had used up the budget */
  if (rc != SCHEDGPU_ECORRUPT)
    return rc;
  link->wait_lost = true; /* damage that was repaired lost the wait: the client asks again */
  return SCHEDGPU_ENOJOB;
}

/** True if the wait goes on. Connects again if necessary. */
static bool goes_on(struct sg_self *self, uint64_t *away_since_ns) {
  pthread_mutex_lock(&self->mutex);
  bool attached = self->link.attached && atomic_load(&self->record);
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

static void sleep_in_queue(struct sg_self *self, const struct sg_wait *wait) {
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

/** Ends a wait. True if it was lost with an agent that ended; then it is asked for again. */
static bool forget_wait(struct sg_self *self) {
  struct sg_link *link = &self->link;
  pthread_mutex_lock(&self->mutex);
  bool lost = link->attached && link->wait_lost;
  if (link->attached) {
    link->wait_ticket = link->page->wait.ticket = 0;
    link->wait_lost = false;
  }
  pthread_mutex_unlock(&self->mutex);
  return lost;
}

/**
 * Waits for the agent, until the deadline. A grant that was not taken returns when the agent is
 * there again.
 */
static int wait_for_agent(struct sg_self *self, struct sg_wait *wait,
                          struct sg_lock_timeout *unused) {
  (void)unused;
  uint64_t start_ns = sg_now_ns();
  sg_notice_send(&wait->notice);
  sleep_in_queue(self, wait);
  struct sg_lock_timeout timeout = {.give_up_ns = wait->deadline_ns};
  int rc = sg_self_do(self, &timeout, settle, wait);
  rc = rc == SCHEDGPU_EWOULDBLOCK ? SCHEDGPU_ETIMEDOUT : rc;
  sg_notice_end(&wait->notice, sg_now_ns() - start_ns, rc);
  wait->lost = forget_wait(self);
  return rc;
}

/* --- turns --- */

static struct sg_lane *lane_of(const struct sg_self *self, uint32_t lane) {
  (void)lane; /* a job has one */
  return &self->link.page->lane;
}

/** Says who has the turn, once. */
static bool tell_turn(struct schedgpu_wait_notice *notice, uint64_t waited_ns, bool told) {
  if (!told && waited_ns >= SG_TELL_TURN_NS) {
    notice->waited_ns = waited_ns;
    sg_notice_send(notice);
  }
  return told || waited_ns >= SG_TELL_TURN_NS;
}

/** True if somebody was told. */
static bool sleep_for_turn(struct sg_self *self, struct sg_wait *wait, uint64_t start_ns) {
  uint64_t away_since_ns = 0, now_ns = start_ns;
  bool told = false;
  _Atomic uint32_t *state = &self->link.page->wait_state;
  for (; atomic_load(state) == SG_WAIT_GOES_ON && now_ns < wait->deadline_ns;
       now_ns = sg_now_ns()) {
    uint64_t left_ns = wait->deadline_ns - now_ns;
    if (!sg_futex_wait(state, SG_WAIT_GOES_ON, left_ns < SLICE_NS ? left_ns : SLICE_NS) &&
        !goes_on(self, &away_since_ns))
      return told;
    told = tell_turn(&wait->notice, sg_now_ns() - start_ns, told);
  }
  return told;
}

static int leave_line(struct sg_self *self, void *argument, struct sg_wakes *wakes) {
  const struct sg_wait *wait = argument;
  struct sg_wire_question q = {.head.type = SG_WIRE_LEAVE_LINE};
  struct sg_wire_answer a;
  (void)wakes;
  return self->h.r == wait->region ? sg_link_exchange(self, &q, &a, NULL) : SCHEDGPU_ENOJOB;
}

/** Leaves the line, unless the turn was given. */
static int settle_turn(struct sg_self *self, struct sg_wait *wait) {
  struct sg_lane *lane = &self->link.page->lane;
  struct sg_lock_timeout timeout = {.give_up_ns = wait->deadline_ns};
  if (sg_turn_begin_alone(lane, self->link.slot, sg_now_ns()))
    return SCHEDGPU_OK;
  int rc = sg_self_do(self, &timeout, leave_line, wait);
  return rc == SCHEDGPU_OK && !sg_turn_begin_alone(lane, self->link.slot, sg_now_ns())
             ? SCHEDGPU_EWOULDBLOCK
             : rc;
}

/** The codes of sg_self_wait_for_turn(). A wait that ended too early is asked for again. */
static int wait_for_turn(struct sg_self *self, struct sg_wait *wait,
                         struct sg_lock_timeout *unused) {
  (void)unused;
  uint64_t start_ns = sg_now_ns();
  bool told = sleep_for_turn(self, wait, start_ns);
  int rc = settle_turn(self, wait);
  atomic_store(&self->link.page->turn_waits, 0);
  if (rc != SCHEDGPU_OK) /* it was given this moment, and nobody wants it */
    sg_turn_end_alone(&self->link.page->lane, self->link.slot, sg_now_ns());
  if (rc == SCHEDGPU_EWOULDBLOCK && sg_now_ns() < wait->deadline_ns) {
    wait->lost = true;
    rc = SCHEDGPU_ENOJOB;
  } else if (rc == SCHEDGPU_EWOULDBLOCK) {
    rc = SCHEDGPU_ETIMEDOUT;
  }
  if (told)
    sg_notice_end(&wait->notice, sg_now_ns() - start_ns, rc);
  return rc;
}

/** A message that is lost does no harm: the agent looks at the pages while a process waits. */
static int hand_over(struct sg_self *self) {
  int rc = sg_link_tell(self, SG_WIRE_END_TURN);
  return rc == SCHEDGPU_ENOJOB || rc == SCHEDGPU_EKEPT ? rc : SCHEDGPU_OK;
}

static bool turn_is_due(struct sg_self *self) {
  const struct sg_client *record = sg_self_enter(self);
  bool due = record && atomic_load(&self->link.page->turn_due) != 0;
  sg_self_exit(self);
  return due;
}

/* --- the page has changed --- */

/** Tells the agent that the page has changed, after memory was freed or refused. */
static int sync_page(struct sg_self *self) {
  int rc = sg_link_tell(self, SG_WIRE_SYNC);
  return rc == SCHEDGPU_ENOJOB ? rc : SCHEDGPU_OK;
}

/** Releases memory of a broker client: the agent sees it in the page. */
static int give_back(struct sg_self *self, uint32_t device, uint64_t bytes) {
  bool idle;
  struct sg_client *record = sg_self_enter(self);
  bool given =
      record && sg_lease_give(&record->lease[device], sg_round_up(bytes) / SG_UNIT_BYTES, &idle);
  sg_self_exit(self);
  return given ? sync_page(self) : SCHEDGPU_EUNDERFLOW;
}

static int leave_context(struct sg_self *self, uint32_t device) {
  pthread_mutex_lock(&self->mutex);
  bool entered = self->link.attached && self->context_depth[device] > 0;
  bool last = entered && --self->context_depth[device] == 0;
  if (last)
    self->link.page->client.contexts[device] = 0;
  pthread_mutex_unlock(&self->mutex);
  return last ? sync_page(self) : entered ? SCHEDGPU_OK : SCHEDGPU_EUNDERFLOW;
}

static bool others_wait(const struct sg_self *self) {
  return atomic_load(&self->link.page->sync_wanted) != 0;
}

/** No other process reads the page, and the job may end before the agent does. */
static void refused(struct sg_self *self) {
  sync_page(self);
}

/* --- questions --- */

static int ask_about(struct sg_self *self, uint32_t type, uint32_t device,
                     struct sg_wire_answer *a) {
  struct sg_wire_question q = {.head.type = (uint16_t)type, .device = {.device = device}};
  pthread_mutex_lock(&self->mutex);
  self->link.deadline_ns = sg_now_ns() + AWAY_NS;
  int rc = self->link.attached ? sg_link_ask_in_time(self, &q, a, NULL) : SCHEDGPU_ENOJOB;
  pthread_mutex_unlock(&self->mutex);
  return rc;
}

static int query(struct sg_self *self, uint32_t device, struct schedgpu_info *info) {
  struct sg_wire_answer a;
  int rc = ask_about(self, SG_WIRE_QUERY, device, &a);
  if (rc == SCHEDGPU_OK)
    *info = a.info;
  return rc;
}

static int holders(struct sg_self *self, uint32_t device, char *text, size_t size) {
  struct sg_wire_answer a;
  int rc = ask_about(self, SG_WIRE_HOLDERS, device, &a);
  if (rc == SCHEDGPU_OK)
    snprintf(text, size, "%.*s", (int)sizeof a.text - 1, a.text);
  return rc;
}

const struct sg_operations sg_by_agent = {.open = find_agent,
                                          .attach = attach,
                                          .detach = detach,
                                          .run = run,
                                          .no_lock = SCHEDGPU_EAGENT,
                                          .find_dead = find_dead,
                                          .has_job = has_job,
                                          .ask = ask,
                                          .wait = wait_for_agent,
                                          .lane = lane_of,
                                          .wait_for_turn = wait_for_turn,
                                          .hand_over = hand_over,
                                          .turn_is_due = turn_is_due,
                                          .give_back = give_back,
                                          .leave_context = leave_context,
                                          .others_wait = others_wait,
                                          .serve = sync_page,
                                          .refused = refused,
                                          .query = query,
                                          .holders = holders};
