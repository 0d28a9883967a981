/*
 * lease.pml - a job's budget, shared by its processes without the lock, and taken away when idle;
 * mirrors libschedgpu/core: leases.c (all of it), requests.c (sg_ask, take_at_once, enqueue,
 * sg_settle), serve.c (sg_serve, grant), account.c, clients.c (sg_client_remove), recount.c,
 * repair.c (sg_repair_finish); and libschedgpu/shell: client.c (schedgpu_reserve), client_budget.c,
 * direct.c, client_wait.c. One device, policy fifo, mode peak, no Grace.
 *
 * Clients 0 and 1 are two processes of job 0, client 2 is job 1; the device has room for one of the
 * two budgets. -DTHREADS: clients 0 and 1 are threads of one process and share a lease.
 * -DADMISSION: each client has a job of its own, and that of client 2 is not admitted yet.
 *
 * The lock is one step here, taken from the dead only (lock.pml); waiters' records are their
 * clients' for good (handoff.pml). Every load, store and compare-and-swap of a lease and of what
 * somebody_waits reads is a step of its own: anybody may run, or be killed, before it.
 */
#ifndef ROUNDS
#define ROUNDS 2 /* how often client 0 reserves and releases; the others once */
#endif
#ifndef DEATHS
#define DEATHS 0 /* how many are killed at most */
#endif
#ifndef SLICES
#define SLICES 0 /* 1: the sleep in the kernel has an end of its own, after which the dead are removed */
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 0 /* 1: client 2 stops waiting at any time */
#endif
#ifndef NEED
#define NEED 1
#endif
#ifndef PAIR
#define PAIR 1 /* 0: client 1 does nothing */
#endif

#define CLIENTS 3
#ifdef ADMISSION
#define JOBS 3
#define job_of(c) (c)
#define BUDGET 1
#define CONTEXT 1
#define TOTAL 4
#else
#define JOBS 2
#define job_of(c) ((c) / 2)
#ifndef BUDGET
#define BUDGET 2
#endif
#define CONTEXT 0
#define TOTAL (BUDGET + 1)
#endif
#ifdef THREADS
#define record_of(c) ((c) & 2)
#else
#define record_of(c) (c)
#endif

#define SG_WAITER_FREE 0
#define SG_WAITING 1
#define SG_GRANTED 2
#define SG_QUEUE_MEMORY 0
#define SG_QUEUE_CONTEXT 1
#define NONE 7

/* What sg_self_do() is to do under the lock. */
#define ASK 1
#define SETTLE 2
#define SERVE 3
#define REAP 4

/* leased units | units in use: one word */
#define word(l, u) ((l) << 4 | (u))
#define sg_leased(w) ((w) >> 4)
#define sg_in_use(w) ((w) & 15)

byte lock; /* client + 1 of its owner; 0 = free */

byte lease[CLIENTS];
bool attached[CLIENTS];
bool alive[CLIENTS]; /* its byte of the liveness file is locked */

bool held[JOBS];     /* held_mask != 0 */
bool admitted[JOBS];

byte state[CLIENTS]; /* struct sg_waiter */
byte ticket[CLIENTS];
byte last_ticket;

byte used;       /* caches */
byte waiting[2]; /* cache; read without the lock by who frees */

bool asleep[CLIENTS];
bool killed[CLIENTS];
byte ended;

byte uses[CLIENTS]; /* for the properties only: what the living use of the device */

#define sum(what) (what(0) + what(1) + what(2))
#define of_job(c, j) (attached[c] && job_of(c) == (j) && record_of(c) == (c))
#define leased_of(j)                                                                               \
  ((of_job(0, j) -> sg_leased(lease[0]) : 0) + (of_job(1, j) -> sg_leased(lease[1]) : 0) +         \
   (of_job(2, j) -> sg_leased(lease[2]) : 0))
#define in_use_of(j)                                                                               \
  ((of_job(0, j) -> sg_in_use(lease[0]) : 0) + (of_job(1, j) -> sg_in_use(lease[1]) : 0) +         \
   (of_job(2, j) -> sg_in_use(lease[2]) : 0))
#define uses_of(j)                                                                                 \
  ((job_of(0) == (j) -> uses[0] : 0) + (job_of(1) == (j) -> uses[1] : 0) +                         \
   (job_of(2) == (j) -> uses[2] : 0))
#define use_of(c) uses[c]
#define queue_of(c) (admitted[job_of(c)] -> SG_QUEUE_MEMORY : SG_QUEUE_CONTEXT)
#define waits_in(c, q) (state[c] == SG_WAITING && queue_of(c) == (q))
#define waits_for_memory(c) (waits_in(c, SG_QUEUE_MEMORY) -> 1 : 0)
#define waits_for_context(c) (waits_in(c, SG_QUEUE_CONTEXT) -> 1 : 0)
#define job_used(j) ((held[j] -> BUDGET : 0) + (admitted[j] -> CONTEXT : 0))
#define all_used (job_used(0) + job_used(1) + (JOBS > 2 -> job_used(2 % JOBS) : 0))
#define all_contexts                                                                               \
  ((admitted[0] -> CONTEXT : 0) + (admitted[1] -> CONTEXT : 0) +                                   \
   (JOBS > 2 && admitted[2 % JOBS] -> CONTEXT : 0))
#ifdef RECLAIM_WHILE_GRANTED
#define on_its_way(j) false
#else
/* granted, not yet taken */
#define on_its_way(j)                                                                              \
  ((state[0] == SG_GRANTED && job_of(0) == (j)) || (state[1] == SG_GRANTED && job_of(1) == (j)) || \
   (state[2] == SG_GRANTED && job_of(2) == (j)))
#endif
#define dead(c) (attached[c] && !alive[c])
#define any_dead (dead(0) || dead(1) || dead(2))

/* What is leased is never more than the budget that the job holds, and used memory is leased. */
#define right(j) (leased_of(j) <= (held[j] -> BUDGET : 0))
#define check()                                                                                    \
  assert(right(0) && right(1) && right(JOBS - 1));                                                 \
  assert(sg_in_use(lease[0]) <= sg_leased(lease[0]));                                              \
  assert(sg_in_use(lease[1]) <= sg_leased(lease[1]));                                              \
  assert(sg_in_use(lease[2]) <= sg_leased(lease[2]));                                              \
  assert(sum(use_of) <= TOTAL)

/* leases.c, sg_lease_take() of the own lease */
inline sg_lease_take(taken) {
  old = lease[record_of(me)];
  taken = false;
  do
  :: atomic { sg_leased(old) < sg_in_use(old) + NEED -> old = 0; break }
  :: atomic {
       else ->
       if
       :: lease[record_of(me)] == old ->
          lease[record_of(me)] = old + NEED;
          uses[me] = NEED;
          check();
          taken = true;
          old = 0;
          break
       :: else -> old = lease[record_of(me)]
       fi
     }
  od
}

/* leases.c, take_back_unused() */
inline take_back_unused(c, units) {
  old = lease[c];
  do
  :: atomic { sg_leased(old) <= sg_in_use(old) -> old = 0; break }
  :: atomic {
       else ->
#ifndef TAKE_BACK_WITHOUT_COMPARING
       if
       :: lease[c] != old -> old = lease[c]
       :: else ->
#else
       if
       :: true ->
#endif
          lease[c] = word(sg_in_use(old), sg_in_use(old));
          units = units + sg_leased(old) - sg_in_use(old);
          old = 0;
          check();
          break
       fi
     }
  od
}

/* leases.c, sg_lease_extend(): `got` or EBUDGET */
inline sg_lease_extend() {
  sg_lease_take(got);
  if
  :: got
  :: else ->
     spare = 0;
     take_back_unused(record_of(me), spare);
     atomic {
       /* `unused` counts as spare: what is leased is less by it */
       alone = leased_of(job_of(me)) == sg_leased(lease[record_of(me)]);
       spare = BUDGET - leased_of(job_of(me))
     };
     c = 0;
     do
     :: c < CLIENTS && spare < NEED ->
        if
        :: c != record_of(me) && of_job(c, job_of(me)) -> take_back_unused(c, spare)
        :: else
        fi;
        c++
     :: else -> break
     od;
     atomic { /* sg_lease_grow(): one fetch-and-add */
       c = 0;
       if
       :: spare < NEED -> lease[record_of(me)] = lease[record_of(me)] + word(spare, 0)
       :: else ->
          got = true;
          uses[me] = NEED;
          spare = NEED + (alone -> spare - NEED : (spare - NEED) / 2);
          lease[record_of(me)] = lease[record_of(me)] + word(spare, NEED)
       fi;
       check();
       spare = 0;
       alone = false
     }
  fi
}

#define candidate(j) ((j) == 0 -> idle_0 : ((j) == 1 -> idle_1 : idle_2))

inline not_idle(c) {
  if
  :: job_of(c) == 0 -> idle_0 = false
  :: job_of(c) == 1 -> idle_1 = false
  :: else -> idle_2 = false
  fi
}

inline give_up(idle, j) {
  atomic {
    if
    :: idle ->
       assert(uses_of(j) == 0); /* nobody's memory is given away */
       held[j] = false;
       served = true;
       check();
       used = used - BUDGET
    :: else
    fi
  }
}

/* leases.c, sg_reclaim_idle(): find_candidates(), uses_anything(), empty_leases() */
inline sg_reclaim_idle() {
  d_step {
    idle_0 = held[0] && !on_its_way(0);
    idle_1 = held[1] && !on_its_way(1);
    idle_2 = JOBS > 2 && held[2 % JOBS] && !on_its_way(2 % JOBS);
    c = 0
  };
  if
  :: !(idle_0 || idle_1 || idle_2)
  :: else ->
     do
     :: atomic {
          c < CLIENTS ->
          if
          :: of_job(c, job_of(c)) && sg_in_use(lease[c]) != 0 -> not_idle(c)
          :: else
          fi;
          c++
        }
     :: else -> c = 0; break
     od;
     do
     :: c < CLIENTS ->
        if
        :: of_job(c, job_of(c)) && candidate(job_of(c)) ->
           take_back_unused(c, spare);
           atomic {
             spare = 0;
             if
#ifdef EMPTY_IF_NOTHING_IN_USE
             :: sg_in_use(lease[c]) != 0 -> not_idle(c)
#else
             :: lease[c] != 0 -> not_idle(c)
#endif
             :: else
             fi
           }
        :: else
        fi;
        c++
     :: else -> break
     od;
     give_up(idle_0, 0);
     give_up(idle_1, 1);
     give_up(idle_2, 2 % JOBS);
     d_step { idle_0 = false; idle_1 = false; idle_2 = false; c = 0 }
  fi
}

#define oldest(c, q)                                                                               \
  (waits_in(c, q) && !(waits_in(0, q) && ticket[0] < ticket[c]) &&                                 \
   !(waits_in(1, q) && ticket[1] < ticket[c]) && !(waits_in(2, q) && ticket[2] < ticket[c]))
#define oldest_of(q) (oldest(0, q) -> 0 : (oldest(1, q) -> 1 : (oldest(2, q) -> 2 : NONE)))
#define budget_fits(j) (held[j] || BUDGET + used <= TOTAL)
#define admission_fits (CONTEXT + used <= TOTAL && all_contexts + CONTEXT + BUDGET <= TOTAL)

/* recount.c, sg_recount() */
inline sg_recount() {
  waiting[SG_QUEUE_MEMORY] = sum(waits_for_memory);
  waiting[SG_QUEUE_CONTEXT] = sum(waits_for_context);
  used = all_used
}

/* account.c, sg_account_admission() and move_waiting(): first into one queue, then out of the
   other. */
inline sg_account_admission(j) {
  d_step { admitted[j] = true; used = used + CONTEXT };
  waiting[SG_QUEUE_MEMORY] = sum(waits_for_memory);
  waiting[SG_QUEUE_CONTEXT] = sum(waits_for_context)
}

/* account.c, sg_account_hold() */
inline sg_account_hold(j) {
  d_step { held[j] = true; used = used + BUDGET }
}

/* serve.c, mark_granted() */
inline mark_granted(c) {
  if
  :: waits_in(c, SG_QUEUE_MEMORY) && job_of(c) == job_of(next) ->
     waiting[SG_QUEUE_MEMORY]--; /* sg_account_unqueued() */
     d_step { state[c] = SG_GRANTED; wakes = wakes | 1 << c }
  :: else
  fi
}

/* serve.c, sg_serve(), round by round: serve_device(), serve_queue(), grant() */
inline sg_serve() {
  served = true;
  do
  :: served && (waiting[SG_QUEUE_MEMORY] || waiting[SG_QUEUE_CONTEXT]) ->
     served = false;
     sg_reclaim_idle(); /* another round, if it gave anything back */
     do
     :: atomic {
          oldest_of(SG_QUEUE_CONTEXT) != NONE && admission_fits ->
          next = oldest_of(SG_QUEUE_CONTEXT)
        };
        sg_account_admission(job_of(next));
        served = true
     :: else -> break
     od;
     do
     :: atomic {
          oldest_of(SG_QUEUE_MEMORY) != NONE && budget_fits(job_of(oldest_of(SG_QUEUE_MEMORY))) ->
          next = oldest_of(SG_QUEUE_MEMORY)
        };
        if
        :: !held[job_of(next)] -> sg_account_hold(job_of(next))
        :: else
        fi;
        mark_granted(0);
        mark_granted(1);
        mark_granted(2);
        served = true
     :: else -> break
     od;
     next = 0;
#ifdef ONE_ROUND_ONLY
     served = false
#endif
  :: else -> break
  od;
  served = false
}

/* clients.c, sg_job_end_admission(): a job without processes is no longer admitted. */
inline sg_job_end_admission(j) {
  d_step {
    if
    :: (attached[0] && job_of(0) == j) || (attached[1] && job_of(1) == j) ||
       (attached[2] && job_of(2) == j) || !admitted[j]
    :: else -> admitted[j] = false; used = used - CONTEXT
    fi
  }
}

/* clients.c, sg_client_remove(): what it used stays a part of its job's budget. */
inline sg_client_remove(r) {
  if
  :: state[r] == SG_WAITING -> waiting[queue_of(r)]--
  :: else
  fi;
  d_step {
    if
    :: state[r] != SG_WAITER_FREE -> state[r] = SG_WAITER_FREE; wakes = wakes | 1 << r
    :: else
    fi
  };
  lease[r] = 0;
  attached[r] = false;
  sg_job_end_admission(job_of(r));
  sg_serve()
}

/* lock.c, remove_dead() */
inline remove_dead() {
  do
  :: atomic { any_dead -> c = (dead(0) -> 0 : (dead(1) -> 1 : 2)) };
     sg_client_remove(c);
     c = 0
  :: else -> break
  od
}

/* lock.c, recover(), with sg_recount() and repair.c, sg_repair_finish() */
inline recover() {
  sg_recount();
  sg_job_end_admission(0);
  sg_job_end_admission(1);
  sg_job_end_admission(2 % JOBS);
  wakes = wakes | (state[0] == SG_GRANTED -> 1 : 0) | (state[1] == SG_GRANTED -> 2 : 0) |
          (state[2] == SG_GRANTED -> 4 : 0);
  sg_serve()
}

/* lock.c, sg_unlock_and_wake() */
inline sg_unlock_and_wake() {
  d_step {
    check();
    assert(used == all_used && used <= TOTAL);
    /* nobody is left waiting who is next and fits */
    assert(oldest_of(SG_QUEUE_CONTEXT) == NONE || !admission_fits);
    assert(oldest_of(SG_QUEUE_MEMORY) == NONE || !budget_fits(job_of(oldest_of(SG_QUEUE_MEMORY))));
    assert(waiting[SG_QUEUE_MEMORY] == sum(waits_for_memory));
    assert(waiting[SG_QUEUE_CONTEXT] == sum(waits_for_context));
    lock = 0
  };
  do
  :: wakes & 1 -> d_step { asleep[0] = false; wakes = wakes & ~1 }
  :: wakes & 2 -> d_step { asleep[1] = false; wakes = wakes & ~2 }
  :: wakes & 4 -> d_step { asleep[2] = false; wakes = wakes & ~4 }
  :: wakes == 0 -> break
  od
}

/* requests.c, sg_ask(): from the held budget, take_at_once(), or enqueue() */
inline sg_ask() {
  if
  :: in_use_of(job_of(me)) + NEED > BUDGET /* EBUDGET */
  :: else ->
     if
     :: held[job_of(me)] && admitted[job_of(me)] -> may_take = true
     :: else ->
        serve_now = true;
        if /* admit_at_once() */
        :: !admitted[job_of(me)] && waiting[SG_QUEUE_CONTEXT] == 0 && admission_fits ->
           sg_account_admission(job_of(me))
        :: else
        fi;
        if
        :: admitted[job_of(me)] && waiting[SG_QUEUE_MEMORY] == 0 && budget_fits(job_of(me)) ->
           if
           :: !held[job_of(me)] -> sg_account_hold(job_of(me))
           :: else
           fi;
           may_take = true
        :: else ->
           d_step { last_ticket++; ticket[me] = last_ticket };
#ifndef SERVE_BEFORE_COUNT
           waiting[queue_of(me)]++; /* counted before it is seen */
           state[me] = SG_WAITING
#endif
        fi
     fi
  fi
}

/* requests.c, sg_settle(): takes what was granted (below), or leaves. */
inline sg_settle() {
  if
  :: state[me] == SG_GRANTED
  :: else ->
     waiting[queue_of(me)]--;
     state[me] = SG_WAITER_FREE;
     serve_now = true
  fi
}

/* direct.c, run(): lock, transition, unlock, wake. What several transitions end with
   stands here once: sg_serve(), and settle_granted() with take(). */
inline sg_self_do() {
  if
  :: atomic { lock == 0 -> lock = me + 1 }
  :: atomic { DEATHS && lock != 0 && !alive[(lock - 1) % CLIENTS] -> lock = me + 1 };
     recover();
     reap_now = true
  fi;
  if
  :: reap_now || transition == REAP -> reap_now = false; remove_dead()
  :: else
  fi;
  if
  :: transition == ASK -> sg_ask()
  :: transition == SETTLE -> sg_settle()
  :: else -> serve_now = true /* serve_waiters(), sg_reap_locked() */
  fi;
take:
  if
  :: may_take || (transition != REAP && state[me] == SG_GRANTED) ->
     sg_lease_extend();
     atomic {
       /* settle_granted(): if it got nothing the budget may be idle now */
       serve_now = serve_now || (!got && !may_take);
       may_take = false
     };
     state[me] = SG_WAITER_FREE;
  :: else
  fi;
  if
  :: serve_now ->
     sg_serve();
#ifdef SERVE_BEFORE_COUNT
     if
     :: transition == ASK && !got -> waiting[queue_of(me)]++; state[me] = SG_WAITING
     :: else
     fi;
#endif
     serve_now = false;
     if
     :: transition == ASK && state[me] == SG_GRANTED -> goto take
     :: else
     fi
  :: else
  fi;
  sg_unlock_and_wake()
}

/* leases.c, sg_lease_give(); the program has freed what it gives back. */
inline sg_lease_give() {
  uses[me] = 0;
  old = lease[record_of(me)];
  do
  :: atomic {
       if
       :: lease[record_of(me)] == old ->
          assert(sg_in_use(old) >= NEED);
          lease[record_of(me)] = old - NEED;
          is_idle = sg_in_use(old) == NEED;
          old = 0;
          break
       :: else -> old = lease[record_of(me)]
       fi
     }
  od
}

/* direct.c, others_wait(): memory first, then contexts */
inline somebody_waits() {
  waits = waiting[SG_QUEUE_MEMORY] != 0;
  if
  :: waits
  :: else -> waits = waiting[SG_QUEUE_CONTEXT] != 0
  fi
}

/* client.c, schedgpu_reserve(), then client_budget.c, sg_budget_give(); in between client_wait.c, sleep_in_queue().
   Each goes on behind the transition that it needs. */
inline work() {
  sg_lease_take(got);
  if
  :: got -> goto release
  :: else -> transition = ASK
  fi;
do_locked:
  sg_self_do();
  if
  :: got -> goto release
  :: !got && state[me] == SG_WAITER_FREE -> goto done /* refused, left, or it was the release */
  :: else
  fi;
asleep_in_queue:
  if
  :: state[me] != SG_WAITING -> transition = SETTLE; goto do_locked
  :: TIMEOUTS && me == 2 && state[me] == SG_WAITING -> transition = SETTLE; goto do_locked
  :: state[me] == SG_WAITING
  fi;
  atomic { /* sg_futex_wait() */
    if
    :: state[me] == SG_WAITING -> asleep[me] = true
    :: else
    fi
  };
  if
  :: !asleep[me] -> goto asleep_in_queue
  :: atomic { SLICES && asleep[me] -> asleep[me] = false };
     if /* look_after_others() */
     :: any_dead -> transition = REAP; goto do_locked
     :: else -> goto asleep_in_queue
     fi
  fi;
release:
  atomic { got = false; transition = 0 };
#ifdef CHECK_BEFORE_FREE
  somebody_waits();
#endif
  sg_lease_give(); /* give_to_lease(): free, then look */
  if
  :: !is_idle -> goto done
  :: else -> is_idle = false
  fi;
#ifndef CHECK_BEFORE_FREE
  somebody_waits();
#endif
  if
  :: waits -> waits = false; transition = SERVE; goto do_locked
  :: else
  fi;
done:
  transition = 0
}

proctype process(byte me) {
  byte round, old, spare, next, wakes, c, transition;
  bool got, alone, served, waits, is_idle, idle_0, idle_1, idle_2, may_take, serve_now, reap_now;
  {
    do
    :: round < (me == 0 -> ROUNDS : (me == 1 -> PAIR : 1)) -> work(); round++
    :: else -> break
    od
  } unless { killed[me] };
  atomic {
    if
    :: killed[me] -> alive[me] = false; asleep[me] = false
    :: else
    fi;
    ended++;
    round = 0; old = 0; spare = 0; next = 0; wakes = 0; c = 0; transition = 0; got = false;
    alone = false; served = false; waits = false; is_idle = false; idle_0 = false;
    idle_1 = false; idle_2 = false; may_take = false; serve_now = false; reap_now = false
  }
}

inline kill(victim) {
  d_step { killed[victim] = true; uses[victim] = 0; deaths++ }
}

/* SIGKILL, for any process at any time. The driver frees what a dead process used. */
proctype killer() {
  byte deaths;
  do
  :: atomic { deaths < DEATHS && !killed[0] -> kill(0) }
  :: atomic { deaths < DEATHS && !killed[1] -> kill(1) }
  :: atomic { deaths < DEATHS && !killed[2] -> kill(2) }
  :: break
  od
}

init {
  atomic {
    byte p;
    for (p : 0 .. CLIENTS - 1) {
      attached[p] = true;
      alive[p] = true;
      run process(p)
    };
    p = 0;
    admitted[0] = true;
    admitted[1] = true;
    used = all_used;
    run killer()
  }
}

ltl every_process_ends { <> (ended == CLIENTS) }
