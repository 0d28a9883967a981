/*
 * sync.c - copies numbers between the region and client pages. The region says what each client may
 * have, and its page says what of that it uses. Before the agent decides something it syncs from
 * pages: leases that are not in use are taken back, so that the core sees what is in use.
 * Afterwards it syncs to pages what the region leases to each client.
 *
 * Only the agent takes back what is not in use. In the region a client with a lease therefore
 * always uses some of it.
 */
#include "broker.h"
#include "../core/history/history.h"

/** Attempts to change a lease. A client that writes it all the time keeps what it has. */
#define TRIES 64

/**
 * Lowers the lease to what the page says is in use plus `pending`, at most `most`. Returns the new
 * lease. All in units.
 */
static uint64_t shrink(_Atomic uint64_t *lease, uint64_t most, uint64_t pending) {
  uint64_t old = atomic_load(lease);
  for (int i = 0; i < TRIES; i++) {
    uint64_t keep = sg_in_use(old) + pending < most ? sg_in_use(old) + pending : most;
    if (atomic_compare_exchange_strong(lease, &old, sg_lease_word(keep, sg_in_use(old))))
      return keep;
  }
  return most;
}

static void grow(_Atomic uint64_t *lease, uint64_t leased) {
  uint64_t old = atomic_load(lease);
  for (int i = 0; i < TRIES; i++)
    if (atomic_compare_exchange_strong(lease, &old, sg_lease_word(leased, sg_in_use(old))))
      return;
}

static void forget_taken(struct broker_client *s) {
  if (atomic_load(&s->page->taken) != s->pending_sequence)
    return;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++)
    s->pending[d] = 0;
  s->pending_contexts = 0;
}

void sg_note_record(const schedgpu_broker *b, struct broker_client *s) {
  const struct sg_client *c = &b->r->client[s->slot];
  uint32_t j = sg_client_job(b->r, c);
  struct last_record *last = &s->last;
  if (!sg_broker_client_has_slot(b, s))
    return;
  last->kind = j != SG_NONE ? b->r->job[j].kind : 0;
  last->id = j != SG_NONE ? b->r->job[j].id : 0;
  last->begun_ns = j != SG_NONE ? b->r->job[j].begun_ns : 0;
  last->live_dev = c->live_dev;
  last->live_ino = c->live_ino;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    last->units[d] = sg_leased(atomic_load(&c->lease[d]));
    last->contexts[d] = c->contexts[d];
  }
}

void sg_backup_of(struct broker_client *s, struct sg_backup *backup) {
  *backup = (struct sg_backup){.slot = s->slot,
                               .gen = s->gen,
                               .uid = s->process.uid,
                               .pid = s->process.pid,
                               .pid_namespace = s->process.pid_namespace,
                               .kind = s->last.kind,
                               .id = s->last.id,
                               .begun_ns = s->last.begun_ns};
  forget_taken(s);
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t units = shrink(&s->page->client.lease[d], s->last.units[d], s->pending[d]);
    backup->lease[d] = sg_lease_word(units, units);
    backup->contexts[d] = s->last.contexts[d];
  }
}

static void sync_memory(schedgpu_broker *b, struct broker_client *s, uint32_t d,
                        struct sg_wakes *wakes) {
  struct sg_client *c = &b->r->client[s->slot];
  uint64_t had = sg_leased(atomic_load(&c->lease[d]));
  uint64_t keep = shrink(&s->page->client.lease[d], had, s->pending[d]);
  if (!sg_reserves_whole_budget(b->r, c->job)) {
    if (keep < had)
      sg_give_back(b->r, s->slot, d, (had - keep) * SG_UNIT_BYTES, sg_now_ns(), wakes);
    return;
  }
  if (had > 0 && keep == 0 && b->r->h.grace_ns > 0)
    SG_PUT(c->idle_since_ns[d], sg_now_ns());
  atomic_store(&c->lease[d], sg_lease_word(keep, keep));
  sg_crash_point();
}

static void sync_context(schedgpu_broker *b, struct broker_client *s, uint32_t d,
                         struct sg_wakes *wakes) {
  bool has = *(volatile uint64_t *)&s->page->client.contexts[d] != 0;
  if (!has && !(s->pending_contexts & 1u << d) && b->r->client[s->slot].contexts[d] != 0)
    sg_context_leave(b->r, s->slot, d, sg_now_ns(), wakes);
}

/** As sg_peak_lower(), for a page that its client may write at any time. */
static void lower_peak(struct sg_client *page, uint32_t d, uint32_t seen) {
  uint64_t in_use = sg_in_use(atomic_load(&page->lease[d]));
  if (in_use >= seen ||
      !atomic_compare_exchange_strong(&page->peak_units[d], &seen, (uint32_t)in_use))
    return;
  uint32_t most = (uint32_t)sg_in_use(atomic_load(&page->lease[d])), old = (uint32_t)in_use;
  for (int i = 0; i < TRIES && old < most; i++)
    if (atomic_compare_exchange_strong(&page->peak_units[d], &old, most))
      return;
}

/**
 * Adds the page's peak, limited to the lease, to the client's record, and lowers the page's peak to
 * the current use.
 */
static void sync_peak(schedgpu_broker *b, struct broker_client *s, uint32_t d) {
  struct sg_client *c = &b->r->client[s->slot], *page = &s->page->client;
  uint32_t seen = atomic_load(&page->peak_units[d]);
  uint64_t leased = sg_leased(atomic_load(&c->lease[d]));
  sg_peak_raise(c, d, seen < leased ? seen : leased);
  lower_peak(page, d, seen);
}

static void sync_refusals(schedgpu_broker *b, struct broker_client *s) {
  sg_refusal_move(&b->r->client[s->slot], &s->page->client);
}

void sg_sync_marks(schedgpu_broker *b, struct broker_client *s) {
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && sg_broker_client_has_slot(b, s); d++)
    sync_peak(b, s, d);
  if (sg_broker_client_has_slot(b, s))
    sync_refusals(b, s);
}

void sg_sync_from_page(schedgpu_broker *b, struct broker_client *s, struct sg_wakes *wakes) {
  bool there =
      sg_broker_client_has_slot(b, s) && sg_client_job(b->r, &b->r->client[s->slot]) != SG_NONE;
  sg_turn_from_page(b, s);
  if (there) {
    forget_taken(s);
    sync_refusals(b, s);
  }
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    if (!there) { /* its job has ended: the client gets nothing more */
      grow(&s->page->client.lease[d], 0);
      continue;
    }
    sync_peak(b, s, d); /* first, because the lease shrinks next */
    sync_memory(b, s, d, wakes);
    sync_context(b, s, d, wakes);
  }
  sg_note_record(b, s);
}

void sg_sync_from_pages(schedgpu_broker *b, struct sg_wakes *wakes) {
  for (struct broker_client *s = b->clients; s; s = s->next)
    sg_sync_from_page(b, s, wakes);
}

void sg_sync_from_job(schedgpu_broker *b, const struct broker_client *of, struct sg_wakes *wakes) {
  uint32_t job = sg_client_job(b->r, &b->r->client[of->slot]);
  for (struct broker_client *s = b->clients; s; s = s->next)
    if (s == of || sg_client_job(b->r, &b->r->client[s->slot]) == job)
      sg_sync_from_page(b, s, wakes);
}

/**
 * The use of a lease to write to the region, in units. Never 0, and the whole lease of a job whose
 * budget may grow, or that is in a lane: other processes would take back what is not in use, and
 * the page would not show that.
 */
static uint64_t published_use(const schedgpu_broker *b, const struct broker_client *s, uint32_t d,
                              uint64_t leased) {
  uint32_t job = sg_client_job(b->r, &b->r->client[s->slot]);
  uint64_t used = sg_in_use(atomic_load(&s->page->client.lease[d])) + s->pending[d];
  bool lane = job != SG_NONE && sg_is_lane_job(b->r, job) &&
              b->r->job[job].lane_policy != SCHEDGPU_LANE_SHARE;
  bool all = used > leased || job == SG_NONE || lane || !sg_reserves_whole_budget(b->r, job) ||
             (b->r->job[job].flags & SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS);
  return all ? leased : used > 0 || leased == 0 ? used : 1;
}

void sg_sync_to_page(schedgpu_broker *b, struct broker_client *s) {
  struct sg_client *c = &b->r->client[s->slot];
  if (!sg_broker_client_has_slot(b, s))
    return;
  for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES; d++) {
    uint64_t leased = sg_leased(atomic_load(&c->lease[d]));
    grow(&s->page->client.lease[d], leased);
    atomic_store(&c->lease[d], sg_lease_word(leased, published_use(b, s, d, leased)));
    sg_crash_point();
  }
  sg_turn_to_page(b, s);
  sg_note_record(b, s);
}

void sg_publish_use(schedgpu_broker *b) {
  for (struct broker_client *s = b->clients; s; s = s->next) {
    forget_taken(s);
    sg_sync_marks(b, s);
    for (uint32_t d = 0; d < SCHEDGPU_MAX_DEVICES && sg_broker_client_has_slot(b, s); d++) {
      _Atomic uint64_t *lease = &b->r->client[s->slot].lease[d];
      uint64_t old = atomic_load(lease);
      if (sg_leased(old) != 0) /* a concurrent change is newer than this one */
        atomic_compare_exchange_strong(
            lease, &old, sg_lease_word(sg_leased(old), published_use(b, s, d, sg_leased(old))));
    }
  }
}

void sg_announce_waiters(schedgpu_broker *b, bool somebody) {
  b->announced = somebody;
  for (struct broker_client *s = b->clients; s; s = s->next)
    atomic_store(&s->page->sync_wanted, somebody);
}
