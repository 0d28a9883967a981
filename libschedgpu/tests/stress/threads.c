/* threads.c - several threads of one process inside the library at once. */
#include "worker.h"
#include <pthread.h>

#define MAX_THREADS 4u

struct helper {
  struct worker *w;
  struct dice dice;
  uint32_t rounds;
  bool keeps; /**< what it got is released by the process's detach */
};

/* A thread holds nothing while it waits: the rule against deadlocks counts a waiting process as
 * served when its one request can be. */
static void *help(void *argument) {
  struct helper *me = argument;
  struct worker *w = me->w;
  for (uint32_t i = 0; i < me->rounds && may_begin(w); i++) {
    uint32_t ordinal = (uint32_t)dice_below(&me->dice, w->devices);
    uint64_t bytes = random_request(&me->dice, w, ordinal);
    int64_t timeout_ns = random_timeout(&me->dice);
    /* other threads of the process may hold something */
    if (me->keeps && timeout_ns == SCHEDGPU_FOREVER)
      timeout_ns = 200000000;
    if (!call_reserve(w, &me->dice, ordinal, bytes, timeout_ns) || me->keeps)
      continue;
    nap_us(dice_below(&me->dice, 1500));
    call_release(w, ordinal, bytes);
  }
  return NULL;
}

struct team {
  uint32_t size;
  struct helper helper[MAX_THREADS];
  pthread_t thread[MAX_THREADS];
};

static void team_start(struct team *team, struct worker *w, bool keeps) {
  uint32_t wanted = 2 + (uint32_t)dice_below(&w->dice, MAX_THREADS - 1);
  team->size = 0;
  for (uint32_t i = 0; i < wanted; i++) {
    struct helper *h = &team->helper[i];
    *h = (struct helper){w, dice_of(dice_next(&w->dice), i, 0), 1, keeps};
    if (!keeps)
      h->rounds += (uint32_t)dice_below(&w->dice, 4);
    if (pthread_create(&team->thread[i], NULL, help, h) != 0) {
      if (w->index < WORKERS) /* a child may die with its namespace */
        page_fail(w->page, "entry %u cannot start a thread", w->index);
      break;
    }
    page_count(w->page, TALLY_THREADS);
    team->size++;
  }
}

static void team_join(struct team *team) {
  for (uint32_t i = 0; i < team->size; i++)
    pthread_join(team->thread[i], NULL);
}

void act_threads(struct worker *w, bool may_fork) {
  struct team team;
  /* otherwise this thread would hold memory while it waits for the others */
  worker_release_memory(w);
  team_start(&team, w, false);
  if (may_fork && dice_one_in(&w->dice, 4))
    act_fork(w, true);
  team_join(&team);
}

/* A thread that is still inside attaches again and may get memory. The second detach, with no
 * thread inside, releases that. */
void act_detach_under_threads(struct worker *w) {
  struct team team;
  worker_release_memory(w);
  uint64_t state = atomic_exchange(&w->entry->state, ENTRY_NOT_COUNTED);
  team_start(&team, w, true);
  nap_us(dice_below(&w->dice, 3000));
  call_detach(w);
  team_join(&team);
  call_detach(w);
  atomic_store(&w->entry->state, state);
}
