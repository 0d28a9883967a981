/*
 * turns.pml - the turn of a lane: begun and ended without the lock, handed over under it; mirrors
 * libschedgpu/core: turns.c and lanes.c, leases.c (sg_lease_extend, sg_reclaim_idle), clients.c
 * (sg_client_remove), recount.c, repair.c; and how libschedgpu/shell/client waits for a turn. One
 * lane.
 *
 * Each client is a process of a job of its own, whose persistent memory is 0: all that it allocates
 * is ephemeral. -DSIBLINGS: clients 0 and 1 are two processes of one job with 1 unit of persistent
 * memory. The lane has 1 unit. A program begins and ends iterations, allocates and frees inside and
 * outside of them, in any order.
 *
 * The lock is one step here, taken from the dead only (lock.pml). To take from a lease, to give to
 * it and to take it back are one step each, since each is one compare-and-swap, repeated (lease.pml).
 * Every other load, store and compare-and-swap of what somebody reads without the lock is a step of
 * its own: anybody may run, or be killed, before it.
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1 /* how many iterations client 0 begins, and how often it allocates, at most */
#endif
#ifndef OTHERS
#define OTHERS 1 /* the same of the other clients */
#endif
#ifdef FOREVER
#define COUNT 0 /* all begin and end iterations without an end, and use no memory */
#define MOST 0
#else
#define COUNT 1
#endif
#ifndef OUTSIDE
#define OUTSIDE 1 /* how many of the clients use memory outside of iterations, too */
#endif
#ifndef LOOKS
#define LOOKS 1 /* 1: a waiter looks again at any time; 2: if the turn can be given; 0: never */
#endif
#ifndef KEEPS
#define KEEPS 0 /* how often in a row the holder comes before all waiters */
#endif
#ifndef DEATHS
#define DEATHS 0 /* how many are killed at most */
#endif
#ifndef SLICES
#define SLICES (DEATHS > 0) /* 1: the sleep in the kernel has an end of its own */
#endif
#ifndef LIVES
#define LIVES 1 /* 2: a new process comes and takes the slot of one that was killed */
#endif
#ifndef STOPS
#define STOPS 0 /* 1: client 0 may be stopped forever while its turn is idle; 2: while it is busy */
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 0 /* 1: client 2 stops waiting at any time */
#endif
#ifndef RECLAIM
#define RECLAIM 0 /* 1: client 2 asks for memory, too: idle budgets are given back */
#endif
#ifndef LEAVER
#define LEAVER 1 /* the client that detaches, in the end, whatever it is doing; 7: none */
#endif

#ifdef SIBLINGS
#define JOBS 2
#define job_of(c) ((c) / 2)
#define PERSISTENT 1
#define begins(c) ((c) != 1) /* it asks for the turn only by what it allocates */
#define most(c) ((c) < 2 -> 1 + (c) : 0)
#else
#define JOBS CLIENTS
#define job_of(c) (c)
#define PERSISTENT 0
#define begins(c) true
#define most(c) MOST
#endif
#define EPHEMERAL 1
#define BUDGET (PERSISTENT + EPHEMERAL)
#ifndef MOST
#define MOST BUDGET /* units that a process uses at most */
#endif
#define third (CLIENTS - 1)
#define rounds_of(c) ((c) == 0 -> ROUNDS : OTHERS)

#define SG_WAITER_FREE 0
#define SG_WAITING 1
#define SG_GRANTED 2
#define NONE 7

/* What sg_self_do() is to do under the lock. */
#define BEGIN 1
#define END 2
#define EXTEND 3
#define LOOK 4
#define SETTLE 5
#define REAP 6
#define ASK_MEMORY 7
#define DETACH 8
#define ATTACH 9

/* lane.turn: slot + 1 of its holder | busy: one word */
#define NOBODY 0
#define idle(c) (((c) + 1) << 1)
#define busy(c) (((c) + 1) << 1 | 1)
#define holder(w) (((w) >> 1) - 1)
#define is_idle(w) ((w) != NOBODY && !((w) & 1))
#define has_turn(c) (turn >> 1 == (c) + 1)

/* leased units | units in use: one word */
#define word(l, u) ((l) << 4 | (u))
#define sg_leased(w) ((w) >> 4)
#define sg_in_use(w) ((w) & 15)

byte lock; /* client + 1 of its owner; 0 = free */
byte lock_gen;
byte gen[CLIENTS]; /* of the slots: raised by each new process */

byte turn;    /* lane.turn */
byte waiting; /* lane.waiting: cache; read without the lock by who ends an iteration */
byte kept;    /* how often in a row the holder came first */

byte state[CLIENTS]; /* struct sg_turn */
byte place[CLIENTS]; /* of a waiter in the order of the policy, from 1; in C its ticket says it */

byte lease[CLIENTS];
bool attached[CLIENTS];
bool alive[CLIENTS]; /* its byte of the liveness file is locked */
bool held[JOBS];     /* held_mask != 0: the job is a member of the lane */

bool asleep[CLIENTS];
bool killed[CLIENTS];
bool stopped;
byte ended;

/* For the properties only: who of the living is in an iteration, and what they use of the device. */
bool inside[CLIENTS];
byte uses[CLIENTS];

#define sum(what) (what(0) + what(1) + (CLIENTS > 2 -> what(third) : 0))
#define waits(c) (state[c] == SG_WAITING -> 1 : 0)
#define is_inside(c) (inside[c] -> 1 : 0)
#define leased_by(c) (attached[c] -> sg_leased(lease[c]) : 0)
#define used_by(c) (attached[c] -> sg_in_use(lease[c]) : 0)
#define uses_by(c) uses[c]
#ifdef SIBLINGS
#define of_job(what, j) ((j) == 0 -> what(0) + what(1) : what(third))
#else
#define of_job(what, j) what(j)
#endif
#define job_has_turn(j) (turn != NOBODY && job_of(holder(turn)) == (j))
#define limit(has) (PERSISTENT + ((has) -> EPHEMERAL : 0))
#define dead(c) (attached[c] && !alive[c])
#define any_dead (dead(0) || dead(1) || dead(third))
#define owner_dead                                                                              \
  (lock != 0 && (!alive[(lock - 1) % CLIENTS] || gen[(lock - 1) % CLIENTS] != lock_gen))
#define is_first(c) (state[c] == SG_WAITING && place[c] == 1)
#define first_waiter (is_first(0) -> 0 : (is_first(1) -> 1 : (is_first(third) -> third : NONE)))

#define right(c)                                                                                   \
  assert(!inside[c] || (turn == busy(c) && held[job_of(c)]));                                      \
  assert(of_job(uses_by, job_of(c)) <= limit(job_has_turn(job_of(c))))
/* One process is in an iteration at most, and has the turn. Who uses ephemeral memory has it. */
#define check()                                                                                    \
  assert(sum(is_inside) <= 1);                                                                     \
  right(0);                                                                                        \
  right(1);                                                                                        \
  right(third)

/* leases.c, sg_lease_take_back(); counts into `unused` */
inline take_back(c) {
  atomic {
    unused = unused + sg_leased(lease[c]) - sg_in_use(lease[c]);
    lease[c] = word(sg_in_use(lease[c]), sg_in_use(lease[c]))
  }
}

/* What all processes of a job do not use: each of them could take more of it without the lock. */
inline take_back_of_job(j) {
#ifdef SIBLINGS
  if
  :: j == 0 -> take_back(0); take_back(1)
  :: else -> take_back(third)
  fi
#else
  take_back(j)
#endif
}

/* A record leaves SG_WAITING, or gets free. In C no other record changes: tickets say the order. */
inline unqueue(w, new_state) {
  if
  :: state[w] == SG_WAITING ->
     if
     :: state[0] == SG_WAITING && place[0] > place[w] -> place[0]--
     :: else
     fi;
     if
     :: state[1] == SG_WAITING && place[1] > place[w] -> place[1]--
     :: else
     fi;
     if
     :: CLIENTS > 2 && state[third] == SG_WAITING && place[third] > place[w] -> place[third]--
     :: else
     fi;
     place[w] = 0
  :: else
  fi;
  state[w] = new_state
}

#define use_fits(j) (of_job(used_by, j) <= PERSISTENT)
#define lease_fits(j) (of_job(leased_by, j) <= PERSISTENT)
#if defined(USE_COUNTS) || defined(LEASES_NOT_TAKEN_BACK) || defined(HOLDERS_LEASE_ONLY)
#define fits use_fits
#else
/* In C the leases are several words: they may be read one after the other, since none grows. */
#define fits lease_fits
#endif

/* turns.c: takes the idle turn `seen` from its holder, for `new`; `given`, or not. The job of the
   holder keeps nothing that it could use without the lock beyond its persistent memory: what counts
   is what is leased. What is in use may be less a moment later, and more again after that. */
inline take_idle_turn(new) {
#ifdef USE_READ_FIRST
  fitted = use_fits(job_of(holder(seen)));
#endif
#ifdef HOLDERS_LEASE_ONLY
  take_back(holder(seen));
#else
#ifndef LEASES_NOT_TAKEN_BACK
  take_back_of_job(job_of(holder(seen)));
#endif
#endif
#ifndef USE_READ_FIRST
  fitted = fits(job_of(holder(seen)));
#endif
  atomic {
#ifdef NOT_COMPARED
    given = fitted;
#else
    given = fitted && turn == seen; /* else the holder has begun again */
#endif
    if
    :: given -> turn = new; check()
    :: else
    fi;
    fitted = false;
    unused = 0
  }
}

/* turns.c: gives the turn `seen` to the first waiter, if it is nobody's, or idle and to be had. The
   word is the grant; the rest is made good if its writer dies (finish_grant). */
inline pass_turn_seen() {
  if
  :: first == NONE || (seen & 1)
  :: first != NONE && is_idle(seen) -> take_idle_turn(busy(first))
  :: first != NONE && seen == NOBODY -> atomic { turn = busy(first); given = true; check() }
  fi;
  if
  :: given ->
     waiting--;
     atomic {
       unqueue(first, SG_GRANTED);
       wakes = wakes | 1 << first;
       kept = 0;
       given = false;
       seen = 0;
       first = 0
     }
  :: atomic { !given -> seen = 0; first = 0 }
  fi
}

inline pass_turn() {
  atomic { seen = turn; first = first_waiter };
  pass_turn_seen()
}

/* repair.c, sg_repair_finish(): the word is stored, the record is not, or nobody was woken. */
inline finish_grant(w) {
  atomic {
#ifndef GRANT_NOT_FINISHED
    if
    :: state[w] == SG_WAITING && turn == busy(w) -> unqueue(w, SG_GRANTED)
    :: else
    fi;
#endif
    if
    :: state[w] == SG_GRANTED -> wakes = wakes | 1 << w
    :: else
    fi
  }
}

/* lock.c, recover(), with sg_recount() and repair.c, sg_repair_finish() */
inline recover() {
  finish_grant(0);
  finish_grant(1);
  finish_grant(third);
  waiting = sum(waits); /* one store: who ends an iteration reads it */
  pass_turn()
}

/* clients.c, sg_client_remove(): the turn goes on before the record is free. If the remover dies in
   between, the record is found again. */
inline sg_client_remove(r) {
  if
  :: state[r] == SG_WAITING -> waiting--
  :: else
  fi;
  atomic { unqueue(r, SG_WAITER_FREE); lease[r] = 0 };
#ifdef RECORD_FREED_FIRST
  attached[r] = false;
#endif
#ifdef REAPER_FORGETS_TURN
  if
  :: has_turn(r) && r == me -> turn = NOBODY
#else
  if
  :: has_turn(r) -> turn = NOBODY
#endif
  :: else
  fi;
  pass_turn();
  attached[r] = false
}

/* lock.c, remove_dead() */
inline remove_dead() {
  do
  :: atomic { any_dead -> c = (dead(0) -> 0 : (dead(1) -> 1 : third)) };
     sg_client_remove(c)
  :: atomic { else -> c = 0; break }
  od
}

inline sg_lock() {
  if
  :: atomic { lock == 0 -> lock = me + 1; lock_gen = gen[me] }
  :: atomic { DEATHS && owner_dead -> lock = me + 1; lock_gen = gen[me] };
     recover();
     remove_dead()
  fi
}

#define record_right(c)                                                                            \
  assert(state[c] != SG_GRANTED || turn == busy(c));                                               \
  assert(state[c] != SG_WAITING || (turn != busy(c) && turn != NOBODY))
#define leased_without_turn(c) (has_turn(c) -> 0 : leased_by(c))
/* The death of who has the turn leaves no more than the persistent memory. */
#define leases_right(j)                                                                            \
  assert(of_job(leased_by, j) <= limit(job_has_turn(j)));                                          \
  assert(of_job(leased_without_turn, j) <= PERSISTENT)

/* lock.c, sg_unlock_and_wake(). Whoever lets go of the lock leaves everything right. */
inline sg_unlock_and_wake() {
  atomic {
    check();
    assert(turn == NOBODY || attached[holder(turn)]); /* it is not lost with a dead process */
    assert(waiting == sum(waits));
    record_right(0);
    record_right(1);
    record_right(third);
    leases_right(0);
    leases_right(1);
    leases_right(JOBS - 1);
    lock = 0;
    lock_gen = 0;
    got = false
  };
  if
  :: atomic {
       wakes != 0 ->
       asleep[0] = asleep[0] && !(wakes & 1);
       asleep[1] = asleep[1] && !(wakes & 2);
       asleep[third] = asleep[third] && !(wakes & (1 << third));
       wakes = 0
     }
  :: else
  fi
}

#ifdef NEWCOMER_FIRST
/* Planted: takes an idle turn before those that wait. */
inline take_idle_turn_at_once() {
  seen = turn;
  if
  :: is_idle(seen) ->
     take_idle_turn(busy(me));
     if
     :: atomic { given -> given = false; seen = 0; kept = 0; state[me] = SG_GRANTED }; goto asked
     :: else
     fi
  :: else
  fi
}
#endif

/* turns.c: waits behind the others, and then gives the turn to the first of them. */
inline ask_turn() {
#ifdef NEWCOMER_FIRST
  take_idle_turn_at_once();
#endif
#ifndef COUNTED_AFTER_READ
  waiting++; /* counted before the word is read */
#endif
  atomic {
    state[me] = SG_WAITING;
    place[me] = sum(waits);
    seen = turn;
    first = first_waiter
  };
#ifdef COUNTED_AFTER_READ
  waiting++;
#endif
  pass_turn_seen();
asked:
  skip
}

#define leased_of_mine of_job(leased_by, job_of(me))
#define room                                                                                       \
  (limit(has_turn(me)) > leased_of_mine -> limit(has_turn(me)) - leased_of_mine : 0)

/* leases.c, sg_lease_extend(), from the allowance of the process: it gets what it needs, or asks for
   the turn, or gets EBUDGET. A sibling that has the turn may have leased more than this allowance. */
inline sg_lease_extend() {
#ifdef SPARE_IS_NEVER_NEGATIVE
  take_back(me);
  atomic { unused = 0; spare = room };
  take_back(1 - me);
  spare = spare + unused;
#else
  take_back_of_job(job_of(me));
  spare = room; /* what is leased cannot grow meanwhile */
#endif
  atomic { /* sg_lease_grow(): one fetch-and-add; half of the rest stays for the siblings */
    if
    :: spare == 0 -> asks = !has_turn(me) && of_job(used_by, job_of(me)) < BUDGET
    :: else ->
       got = true;
       spare = (leased_of_mine == sg_leased(lease[me]) -> spare - 1 : (spare - 1) / 2);
       lease[me] = lease[me] + word(1 + spare, 1);
       uses[me]++;
       check()
    fi;
    spare = 0;
    unused = 0
  }
}

/* leases.c, sg_reclaim_idle(): a job that uses nothing leaves the lane, unless a process of it has the
   turn busy or waits for it. Its process may begin meanwhile, without the lock. */
inline reclaim_idle(p) {
  if
  :: attached[p] && held[p] && state[p] == SG_WAITER_FREE ->
     take_back(p);
     atomic { unused = 0; seen = turn };
     atomic {
       if
       :: lease[p] != 0 || seen == busy(p)
       :: lease[p] == 0 && seen != busy(p) && seen != idle(p) -> given = true
#ifdef RELEASED_BY_IDLE_BIT
       :: lease[p] == 0 && seen == idle(p) -> given = true; turn = NOBODY
#else
       :: lease[p] == 0 && seen == idle(p) && turn != seen /* it has begun again */
       :: lease[p] == 0 && seen == idle(p) && turn == seen -> given = true; turn = NOBODY
#endif
       fi;
       seen = 0
     };
     if
     :: atomic { given -> given = false; held[p] = false; check() }
     :: else
     fi;
     pass_turn()
  :: else
  fi
}

/* direct.c, run(): lock, transition, unlock, wake */
inline sg_self_do() {
  sg_lock();
  if
  :: (transition == BEGIN || transition == EXTEND) && !held[job_of(me)] ->
     held[job_of(me)] = true /* there is always memory for its lane here */
  :: else
  fi;
  if
  :: transition == EXTEND -> sg_lease_extend()
  :: else
  fi;
  if
  :: atomic { transition == BEGIN || asks -> asks = false }; ask_turn()
  :: transition == EXTEND && !asks
  :: (transition == END && turn == idle(me)) || transition == LOOK -> pass_turn()
  :: transition == END && turn == idle(me) && kept < KEEPS -> kept++ /* by the policy */
  :: transition == END && turn != idle(me)
  :: transition == SETTLE && state[me] == SG_WAITING ->
     waiting--;
     atomic { unqueue(me, SG_WAITER_FREE) }
  :: transition == SETTLE && state[me] != SG_WAITING
  :: transition == REAP -> remove_dead()
  :: transition == ASK_MEMORY -> reclaim_idle(0); reclaim_idle(1)
  :: transition == DETACH || (transition == ATTACH && attached[me]) ->
     sg_client_remove(me);
     if
     :: transition == ATTACH -> attached[me] = true
     :: else
     fi
  :: transition == ATTACH && !attached[me] -> attached[me] = true
  fi;
  sg_unlock_and_wake()
}

#define can_be_given                                                                               \
  (turn == NOBODY || (is_idle(turn) && use_fits(job_of(holder(turn)))))
#define has_slack(c) (sg_leased(lease[c]) > sg_in_use(lease[c]))

/* The program, with schedgpu_iteration_begin(), schedgpu_iteration_end(), schedgpu_reserve() and
   schedgpu_release(), and the wait for a turn. What is between two labels goes on behind the
   transition that it needs. A begin and an end are one compare-and-swap if nobody waits. */
inline work() {
  if
  :: transition == ATTACH -> goto do_locked
  :: else
  fi;
program:
  if
  :: atomic { /* begin */
       begins(me) && !inside[me] && round < rounds_of(me) ->
       round = round + COUNT;
       if
       :: turn == idle(me) -> turn = busy(me); inside[me] = true; check(); goto program
       :: else -> transition = BEGIN
       fi
     }
  :: atomic { /* end */
       inside[me] && (me < OUTSIDE || uses[me] == 0) ->
       assert(turn == busy(me));
       turn = idle(me);
       inside[me] = false
     };
#ifdef END_WITHOUT_READING
     goto program;
#else
     if
     :: atomic { waiting != 0 -> transition = END }
     :: waiting == 0 -> goto program
     fi
#endif
  :: atomic { /* sg_lease_take() */
       (inside[me] || me < OUTSIDE) && uses[me] < most(me) && allocated < rounds_of(me) * most(me) ->
       allocated++;
       if
       :: has_slack(me) -> lease[me]++; uses[me]++; check(); goto program
       :: else -> transition = EXTEND; for_memory = true
       fi
     }
  :: atomic { uses[me] != 0 -> uses[me]-- }; /* sg_lease_give(): free, then say so */
     lease[me]--;
     goto program
  :: atomic { RECLAIM && me == 2 && round < OTHERS && !inside[me] ->
              round++;
              transition = ASK_MEMORY }
  :: atomic { (round == rounds_of(me) || !begins(me)) && !inside[me] && uses[me] == 0 -> goto done }
  :: atomic { (round == rounds_of(me) || !begins(me)) && me == LEAVER ->
              inside[me] = false;
              uses[me] = 0;
              transition = DETACH }
  fi;
do_locked:
  sg_self_do();
  atomic {
    if
    :: transition == DETACH -> goto done
    :: transition != DETACH && state[me] == SG_WAITER_FREE ->
       transition = 0;
       for_memory = false;
       goto program
    :: else -> transition = 0
    fi
  };
asleep_in_queue:
  atomic { /* sg_futex_wait() */
    if
    :: state[me] == SG_WAITING -> asleep[me] = true
    :: else -> goto settle
    fi
  };
  if
  :: !asleep[me] -> goto asleep_in_queue
  :: atomic { SLICES && asleep[me] && state[me] != SG_WAITING -> asleep[me] = false };
     goto asleep_in_queue
  :: atomic { asleep[me] && (LOOKS == 1 || (LOOKS == 2 && can_be_given)) ->
              asleep[me] = false;
              transition = LOOK };
     goto do_locked
  :: atomic { TIMEOUTS && asleep[me] && me == 2 -> asleep[me] = false; transition = SETTLE };
     goto do_locked
  :: atomic { DEATHS && asleep[me] && (any_dead || owner_dead) ->
              asleep[me] = false;
              transition = REAP };
     goto do_locked
  fi;
settle:
  /* The word says already that it has the turn, and nobody else changes the record of the living. */
  atomic {
    state[me] = SG_WAITER_FREE;
    inside[me] = true;
    check();
    if
    :: for_memory -> transition = EXTEND; goto do_locked
    :: else -> goto program
    fi
  };
done:
  transition = 0
}

proctype process(byte me) {
  byte life, round, allocated, unused, spare, seen, first, wakes, c, transition;
  bool got, given, asks, fitted, for_memory;
  do
  :: life < LIVES ->
     {
       if
       :: life > 0 -> atomic { alive[me] = true; gen[me]++ }; transition = ATTACH
       :: else
       fi;
       work()
     } unless { killed[me] || (stopped && me == 0) };
     atomic {
       if
       :: killed[me] -> /* the kernel takes its time, too */
          alive[me] = false;
          asleep[me] = false;
          life++;
          killed[me] = life == LIVES
       :: else -> life = LIVES
       fi;
       round = 0; allocated = 0; unused = 0; spare = 0; seen = 0; first = 0; wakes = 0; c = 0;
       transition = 0; got = false; given = false; asks = false; fitted = false; for_memory = false
     }
  :: else -> break
  od;
  ended++
}

inline kill(victim) {
  d_step { killed[victim] = true; uses[victim] = 0; inside[victim] = false; deaths++ }
}

#define can_kill(c) (deaths < DEATHS && alive[c] && !killed[c])
/* With the lock, or with memory in use, it stops the others: that is promised. */
#define can_stop(c)                                                                                \
  (lock != (c) + 1 && sg_in_use(lease[c]) == 0 && state[c] == SG_WAITER_FREE &&                    \
   ((STOPS == 1 && turn == idle(c)) || (STOPS == 2 && turn == busy(c))))

/* SIGKILL, for any process at any time: the driver frees what a dead process used. Or SIGSTOP. */
proctype killer() {
  byte deaths;
  do
  :: atomic { can_kill(0) -> kill(0) }
  :: atomic { can_kill(1) -> kill(1) }
  :: atomic { CLIENTS > 2 && can_kill(third) -> kill(third) }
  :: atomic { can_stop(0) -> stopped = true; break }
  :: break
  od
}

init {
  atomic {
    byte p;
    for (p : 0 .. CLIENTS - 1) {
      attached[p] = true;
      alive[p] = true;
      held[job_of(p)] = true;
      run process(p)
    };
    p = 0;
    run killer()
  }
}

#ifdef FOREVER
ltl every_waiter_gets_the_turn { [] (state[0] == SG_WAITING -> <> (state[0] != SG_WAITING)) }
#else
ltl every_process_ends { <> (ended == CLIENTS) }
#endif
