/*
 * fuzz_test.c - sends random messages from processes in all states to an agent with sanitizers. It
 * must go on, leak nothing, and leave the region right. SG_SEED=... repeats the messages;
 * SG_MESSAGES=... sets their number (default: 100,000 with sanitizers).
 */
#include "raw.h"

#define CONNECTIONS 12
#define BATCH 8

#ifdef __SANITIZE_ADDRESS__
#define MESSAGES 100000
#else
#define MESSAGES 20000 /* without sanitizers, fewer messages: only a crash would show */
#endif

static uint64_t seed, messages = MESSAGES;

static uint64_t dice(void) { /* splitmix64 */
  uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** The number of OK answers by type: a run without any would test little. */
static uint64_t done[SG_WIRE_TYPES];

static bool one_in(uint64_t n) {
  return dice() % n == 0;
}

/** A number that is valid, or nearly so. */
static uint64_t number(void) {
  switch (dice() % 8) {
  case 0:
    return 0;
  case 1:
    return UINT64_MAX - dice() % 3;
  case 2:
    return dice();
  case 3:
    return UINT64_C(1) << dice() % 64;
  case 4:
    return (dice() % 12) * GIB;
  default:
    return dice() % 20;
  }
}

struct peer {
  int fd;
  bool greeted, attached;
  struct sg_page *page;
  void *live;
  struct sg_wire_answer last; /**< the last answer that matters */
  uint32_t slot, gen;         /**< as they were before the connection broke */
  uint64_t begun;             /**< the last job that this process began */
};

static void open_again(struct peer *p) {
  if (p->fd >= 0)
    close(p->fd);
  if (p->page)
    munmap(p->page, SG_PAGE_SIZE);
  if (p->live)
    munmap(p->live, 4096);
  *p = (struct peer){.greeted = !one_in(4)};
  p->fd = p->greeted ? raw_open() : raw_connect();
  if (p->fd < 0)
    _exit(8);
}

/** Connects again as after the end of an agent, with what the process had. */
static void reconnect(struct peer *p) {
  close(p->fd);
  p->fd = raw_open();
  p->greeted = true;
  p->attached = false;
}

/** Chooses mostly a type that can be answered now. */
static uint16_t choose_type(const struct peer *p) {
  static const uint16_t coming[] = {SG_WIRE_ATTACH, SG_WIRE_ATTACH, SG_WIRE_ATTACH,
                                    SG_WIRE_ATTACH, SG_WIRE_RESUME, SG_WIRE_BEGIN};
  static const uint16_t living[] = {
      SG_WIRE_ASK,      SG_WIRE_ASK,        SG_WIRE_ASK,   SG_WIRE_SYNC,    SG_WIRE_SYNC,
      SG_WIRE_SYNC,     SG_WIRE_SETTLE,     SG_WIRE_QUERY, SG_WIRE_HOLDERS, SG_WIRE_DEVICES,
      SG_WIRE_END_TURN, SG_WIRE_LEAVE_LINE, SG_WIRE_USE,   SG_WIRE_END};
  if (!p->greeted && !one_in(8))
    return SG_WIRE_HELLO;
  if (one_in(8))
    return (uint16_t)(SG_WIRE_ATTACH + dice() % (SG_WIRE_TYPES - SG_WIRE_ATTACH));
  if (p->greeted && one_in(200))
    return SG_WIRE_HELLO;
  if (!p->attached && p->page && one_in(2))
    return SG_WIRE_RESUME;
  if (p->attached && p->last.head.type == SG_WIRE_ASK && one_in(2))
    return SG_WIRE_SETTLE;
  return p->attached ? living[dice() % 14] : coming[dice() % 6];
}

/** Writes to the page that all is in use, nothing is, or anything; any peak, and any turn. */
static void write_page(struct peer *p) {
  for (int d = 0; p->page && d < 2; d++) {
    uint64_t leased = atomic_load(&p->page->client.lease[d]) >> 32;
    uint64_t word = one_in(20) ? number() : leased << 32 | (one_in(2) ? leased : 0);
    atomic_store(&p->page->client.lease[d], word);
    p->page->client.contexts[d] = one_in(2);
    atomic_store(&p->page->client.peak_units[d], (uint32_t)number());
    atomic_store(&p->page->client.refused, number());
    atomic_store(&p->page->taken, one_in(2) ? 7 : (uint32_t)number());
  }
  if (p->page && one_in(4)) {
    atomic_store(&p->page->lane.turn, one_in(2) ? p->slot + 1 : number());
    atomic_store(&p->page->lane.begun_ns, number());
    atomic_store(&p->page->lane.busy_ns, number());
    atomic_store(&p->page->turn_waits, one_in(2));
  }
}

/** Keeps the mapping: the process counts as alive while it exists. */
static void keep(struct peer *p, const int fds[2]) {
  if (fds[0] < 0)
    return;
  if (p->page)
    munmap(p->page, SG_PAGE_SIZE);
  if (p->live)
    munmap(p->live, 4096);
  /* an owner of this kind does not connect again */
  bool begun = p->last.head.type == SG_WIRE_BEGIN;
  p->slot = begun ? 0 : p->last.attached.slot;
  p->gen = begun ? 0 : p->last.attached.gen;
  p->live = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[0], 0);
  p->page = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
  if (p->live == MAP_FAILED || p->page == MAP_FAILED)
    _exit(6);
  close(fds[0]);
  close(fds[1]);
  p->attached = true;
}

static void fill(struct sg_wire_question *q) {
  uint32_t body = sg_wire_body(q->head.type);
  for (uint32_t at = 0; at < body; at += 4) {
    uint32_t value = (uint32_t)number();
    memcpy((char *)q + sizeof q->head + at, &value, 4);
  }
}

/** Makes a question that is probably valid. */
static void make_sense(struct sg_wire_question *q, const struct peer *p) {
  switch (q->head.type) {
  case SG_WIRE_ATTACH:
    q->attach = (struct sg_wire_attach){.id = 1 + dice() % 4, .kind = 1 + (uint32_t)(dice() % 2)};
    break;
  case SG_WIRE_ASK:
    /* large enough that some have to wait */
    q->ask.bytes = one_in(2) ? number() : (1 + dice() % 10) * GIB;
    q->ask.subject = (uint32_t)(dice() % 3);
    q->ask.device = one_in(4);
    q->ask.may_wait = !one_in(4);
    break;
  case SG_WIRE_SETTLE:
    q->settle.ticket = p->last.queued.ticket;
    break;
  case SG_WIRE_RESUME:
    q->resume.slot = p->slot;
    q->resume.gen = p->gen;
    break;
  case SG_WIRE_BEGIN:
    q->begin.wait_ns = SCHEDGPU_FOREVER;
    q->begin.mode = 1 + (uint32_t)(dice() % 3);
    q->begin.device_mask = 1;
    q->begin.flags = one_in(4) ? SCHEDGPU_JOB_FLAG_OVERFLOW_WAITS : 0;
    q->begin.processes = 1 + (uint32_t)(dice() % 4);
    q->begin.priority = (int32_t)(dice() % 100);
    q->begin.reserved = 0;
    q->begin.lane = one_in(2) ? SCHEDGPU_LANE_NONE : (uint32_t)(dice() % 4);
    q->begin.share = one_in(2) ? 0 : (uint32_t)(dice() % 200);
    if (!one_in(4))
      q->begin.persistent_bytes = 0, q->begin.length_ns = 0;
    break;
  case SG_WIRE_END:
  case SG_WIRE_USE:
    q->end.id = p->begun;
    break;
  default:
    break;
  }
}

/** Makes the message invalid. True if the agent must close the connection without an answer. */
static bool spoil(struct sg_wire_question *q, size_t *size) {
  switch (dice() % 5) {
  case 0:
    *size = dice() % *size;
    return true; /* of no bytes, like an end of the connection */
  case 1:
    q->head.magic ^= 1u << dice() % 32;
    return true;
  case 2:
    q->head.version ^= (uint16_t)(1u << dice() % 16);
    return true;
  case 3:
    q->head.size += 1 + (uint32_t)(dice() % 100);
    return true;
  default:
    q->head.type = (uint16_t)(SG_WIRE_TYPES + dice() % 60000);
    return true;
  }
}

/** True if the message was carried out. A wait that was not served counts too. */
static bool is_done(const struct sg_wire_answer *a) {
  bool ends_wait = a->head.type == SG_WIRE_SETTLE || a->head.type == SG_WIRE_LEAVE_LINE;
  return a->rc == SCHEDGPU_OK || (ends_wait && a->rc == SCHEDGPU_EWOULDBLOCK);
}

static void send_batch(struct peer *p) {
  int sent = 0, batch = p->greeted ? 1 + (int)(dice() % BATCH) : 1;
  write_page(p);
  for (int i = 0; i < batch; i++) {
    struct sg_wire_question q = question_of(choose_type(p));
    size_t size = q.head.size;
    fill(&q);
    if (!one_in(4))
      make_sense(&q, p);
    bool spoiled = one_in(150) && spoil(&q, &size);
    messages--;
    if (send(p->fd, &q, size, MSG_NOSIGNAL) < 0)
      break;
    sent++;
    if (spoiled)
      break;
  }
  for (; sent > 0; sent--) {
    int fds[2] = {-1, -1};
    struct sg_wire_answer a;
    if (raw_answer(p->fd, &a, fds) == 1) {
      open_again(p);
      return;
    }
    done[a.head.type % SG_WIRE_TYPES] += is_done(&a);
    p->greeted |= a.head.type == SG_WIRE_HELLO && a.rc == SCHEDGPU_OK;
    p->attached &= a.head.type != SG_WIRE_DETACH;
    if (a.head.type == SG_WIRE_BEGIN && a.rc == SCHEDGPU_OK)
      p->begun = a.begun.id;
    if (fds[0] >= 0 || (a.head.type == SG_WIRE_ASK && a.rc == SCHEDGPU_EWOULDBLOCK))
      p->last = a;
    keep(p, fds);
  }
}

static int fuzz(void) {
  static struct peer peer[CONNECTIONS];
  for (int i = 0; i < CONNECTIONS; i++) {
    peer[i].fd = -1;
    open_again(&peer[i]);
  }
  uint64_t total = messages, half = messages / 2;
  while (messages > BATCH && messages < UINT64_MAX / 2) {
    if (messages < half) { /* only the second half counts */
      memset(done, 0, sizeof done);
      half = 0;
    }
    struct peer *p = &peer[dice() % CONNECTIONS];
    send_batch(p);
    if (one_in(30))
      reconnect(p);
    if (one_in(50))
      open_again(p);
  }
  printf("done, by type, in the second half:");
  for (int t = SG_WIRE_HELLO; t < SG_WIRE_TYPES; t++)
    printf(" %llu", (unsigned long long)done[t]);
  printf("\n");
  fflush(stdout);
  for (int t = SG_WIRE_HELLO; t < SG_WIRE_TYPES; t++)
    if (done[t] == 0 && total >= 100000)
      return 1;
  return 0;
}

static void any_message_leaves_the_agent_running_and_the_region_right(void **state) {
  (void)state;
  struct node n = closed_node(GIB / 4, 0);
  job_of(&n, 1, ALICE, ONDEMAND, 0);
  job_of(&n, 2, ALICE, PEAK, 4 * GIB);
  job_of(&n, 3, BOB, PEAK, 4 * GIB);
  struct schedgpu_job_spec lane = job_spec(4, PEAK, 2 * GIB, 50);
  lane.uid = ALICE;
  lane.lane = SCHEDGPU_LANE_FAIR;
  assert_int_equal(schedgpu_admin_job_begin(n.admin, &lane), SCHEDGPU_OK);
  agent_limits.messages_per_second = 100000000;
  struct child agent = agent_start();
  int descriptors = count_descriptors(agent.pid);
  assert_int_equal(as_user(ALICE, fuzz), 0);
  struct child user = user_start(BOB, 3);
  does(user, '1', SCHEDGPU_OK);
  does(user, 'd', SCHEDGPU_OK);
  node_check(&n);
  child_kill(&user);
  while (count_descriptors(agent.pid) > descriptors)
    nap_ms(5);
  send_byte(agent.to, 's');
  assert_int_equal(child_wait(&agent), 0); /* 5: it leaked */
  node_free(&n);
}

int main(void) {
  const char *text = getenv("SG_SEED");
  seed = text ? strtoull(text, NULL, 10) : sg_now_ns();
  text = getenv("SG_MESSAGES");
  messages = text ? strtoull(text, NULL, 10) : messages;
  printf("seed %llu, %llu messages\n", (unsigned long long)seed, (unsigned long long)messages);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_message_leaves_the_agent_running_and_the_region_right),
  };
  alarm(text ? 0 : 900);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
