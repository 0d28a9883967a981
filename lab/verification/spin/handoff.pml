/*
 * handoff.pml - waiting, granting, taking, leaving; mirrors libschedgpu/core: requests.c (sg_ask,
 * take_at_once, enqueue, sg_settle, sg_give_back), serve.c (sg_serve, grant, mark_granted),
 * account.c, clients.c (sg_client_attach, sg_client_leave_queue, sg_client_remove), recount.c,
 * repair.c (sg_repair_finish); and libschedgpu/shell: client_wait.c (sleep_in_queue,
 * look_after_others, settle), lock.c (sg_unlock_and_wake, recover, remove_dead), attach.c
 * (activate). One device, policy fifo, mode ondemand; nothing is damaged.
 *
 * The lock is one step here, taken from the dead only: lock.pml has shown that it is so. Every line
 * outside d_step and atomic is one step: anybody may run, or be killed, before it.
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1 /* how often each client asks */
#endif
#ifndef DEATHS
#define DEATHS 1 /* how many are killed at most */
#endif
#ifndef LIVES
#define LIVES 1 /* 2: a new process comes and takes the slot of one that was killed */
#endif
#ifndef SLICES
#define SLICES 1 /* 0: the sleep in the kernel has no end of its own */
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 1 /* how many of the clients stop waiting, or are cancelled, at any time */
#endif
#define TOTAL 2
#define need(client) ((client) == 0 -> 2 : 1)

#define NONE 7
#define WAITERS CLIENTS
#define SG_WAITER_FREE 0
#define SG_WAITING 1
#define SG_GRANTED 2

byte lock; /* slot + 1 of its owner; 0 = free */
byte lock_gen;

/* struct sg_client: the slot is the number of the client */
bool byte_held[CLIENTS]; /* of the liveness file */
byte gen[CLIENTS];
byte agen[CLIENTS];
bool attached[CLIENTS];
byte lease[CLIENTS];

/* struct sg_waiter */
byte state[WAITERS];
byte client[WAITERS];
byte bytes[WAITERS];
byte ticket[WAITERS];
byte last_ticket;

/* caches */
byte used;
byte waiting;

byte asleep[CLIENTS]; /* in the kernel: on which waiter's state, + 1 */
bool killed[CLIENTS];
byte ended;

byte uses[CLIENTS]; /* for the properties only: what the living use of the device */

/* Filled in by each process under the lock: its `struct sg_wakes` and loop variables. */
#define fits(w) (bytes[w] + used <= TOTAL)
#define dead(c) (attached[c] && (agen[c] != gen[c] || !byte_held[c]))
#define owner_dead (!byte_held[lock - 1] || gen[lock - 1] != lock_gen)
#define all(what) (what(0) + what(1) + (CLIENTS > 2 -> what(2 % CLIENTS) : 0))
#define use_of(c) uses[c]
#define leased_by(c) (attached[c] -> lease[c] : 0)
#define granted_in(w) (state[w] == SG_GRANTED -> bytes[w] : 0)
/* Killed between taking what was granted and freeing the record, and not yet removed. */
#define half_taken(c, w) (state[w] == SG_GRANTED && client[w] == (c) && attached[c])
#define counted_twice(w) (half_taken(0, w) -> lease[0] : 0) + (half_taken(1, w) -> lease[1] : 0) + \
                         (CLIENTS > 2 && half_taken(2 % CLIENTS, w) -> lease[2 % CLIENTS] : 0)
#define waits_in(w) (state[w] == SG_WAITING -> 1 : 0)

/* queue.c, sg_queue_oldest() and policies.c, fifo(): `next` is NONE if it does not fit. */
inline sg_policy_next() {
  next = NONE;
  i = 0;
  do
  :: i < WAITERS ->
     if
     :: state[i] == SG_WAITING && (next == NONE || ticket[i] < ticket[next % WAITERS]) -> next = i
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0;
  if
  :: next != NONE && !fits(next % WAITERS) -> next = NONE
  :: else
  fi
}

/* serve.c, mark_granted(): the one store into what is another's */
inline mark_granted(w) {
  waiting--; /* sg_account_unqueued() */
#ifdef WAKE_BEFORE_STORE
  d_step { wake(w) };
  state[w] = SG_GRANTED;
#else
#ifdef GRANT_INTO_LEASE
  lease[client[w]] = lease[client[w]] + bytes[w]; /* a second store into what is another's */
#endif
  d_step { state[w] = SG_GRANTED; wakes = wakes | 1 << w };
#endif
  used = used + bytes[w] /* sg_account_memory(): it counts through the waiter's record now */
}

/* serve.c, sg_serve(), down to grant() */
inline sg_serve() {
  do
  :: atomic {
       true ->
       sg_policy_next();
       if
       :: next == NONE -> break
       :: else
       fi
     };
     mark_granted(next)
  od
}

inline sg_recount() {
  d_step {
#ifdef GRANT_NOT_RECOUNTED
    used = all(leased_by);
#else
    used = all(leased_by) + all(granted_in);
#endif
    waiting = all(waits_in)
  }
}

#define waits_for(w, c) (state[w] != SG_WAITER_FREE && client[w] == (c))
#define record_of(c)                                                                               \
  (waits_for(0, c) -> 0 : (waits_for(1, c) -> 1 : (WAITERS > 2 && waits_for(WAITERS - 1, c) ->     \
                                                     WAITERS - 1 : NONE)))

/* clients.c, sg_client_leave_queue(). A client waits once at most: threads are not modelled. */
inline sg_client_leave_queue(c) {
  w = record_of(c);
  if
  :: w != NONE && state[w % WAITERS] == SG_WAITING ->
     waiting--; /* sg_account_unqueued() */
     d_step { state[w] = SG_WAITER_FREE; wakes = wakes | 1 << w }
  :: w != NONE && state[w % WAITERS] == SG_GRANTED ->
     d_step { state[w] = SG_WAITER_FREE; wakes = wakes | 1 << w };
     used = used - bytes[w] /* take_back_grant() */
  :: else
  fi;
  w = 0
}

/* clients.c, sg_client_remove(), with drop_memory(). Who is of no job, and leaves nothing, does not
   serve there: all clients are of a job here. */
inline sg_client_remove(c) {
  sg_client_leave_queue(c);
  d_step { w = lease[c]; lease[c] = 0 };
  d_step { used = used - w; w = 0 };
  attached[c] = false;
  sg_serve()
}

/* lock.c, remove_dead(): first all of them leave the queue, that nothing is granted to them. */
inline remove_dead() {
  do
  :: atomic {
       true ->
       c = 0;
       do
       :: c < CLIENTS && (c == me || !dead(c % CLIENTS) || record_of(c) == NONE) -> c++
       :: else -> break
       od;
       if
       :: c == CLIENTS -> c = 0; break
       :: else
       fi
     };
     sg_client_leave_queue(c)
  od;
  do
  :: atomic {
       true ->
       c = 0;
       do
       :: c < CLIENTS && (c == me || !dead(c % CLIENTS)) -> c++
       :: else -> break
       od;
       if
       :: c == CLIENTS -> c = 0; break
       :: else
       fi
     };
     sg_client_remove(c)
  od
}

/* lock.c, recover(), with sg_recount() and repair.c, sg_repair_finish() */
inline recover() {
  sg_recount();
  d_step {
    i = 0;
    do
    :: i < WAITERS ->
       wakes = wakes | (state[i] == SG_GRANTED -> 1 << i : 0); /* who granted may have died */
       i++
    :: else -> break
    od;
    i = 0
  }
  sg_serve();
  remove_dead()
}

inline sg_lock() {
  if
  :: atomic { lock == 0 -> lock = me + 1; lock_gen = gen[me] }
  :: atomic { lock != 0 && owner_dead -> lock = me + 1; lock_gen = gen[me] };
     recover()
  fi
}

/* futex wake of all that sleep on w's state */
inline wake(w) {
  i = 0;
  do
  :: i < CLIENTS ->
     if
     :: asleep[i] == w + 1 -> asleep[i] = 0
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

/* lock.c, sg_unlock_and_wake(). Whoever lets go of the lock leaves everything right. */
inline sg_unlock_and_wake() {
  atomic {
    assert(used == all(leased_by) + all(granted_in)); /* memory is conserved */
    assert(used - all(counted_twice) <= TOTAL);
    assert(waiting == all(waits_in));
    sg_policy_next();
    assert(next == NONE); /* nobody is left waiting who is next and fits */
    lock = 0
  };
  do
  :: wakes & 1 -> d_step { wake(0); wakes = wakes & ~1 }
  :: wakes & 2 -> d_step { wake(1); wakes = wakes & ~2 }
  :: WAITERS > 2 && wakes & 4 -> d_step { wake(2); wakes = wakes & ~4 }
  :: wakes == 0 -> break
  od
}

/* The program has what it asked for: exactly that, and there is room for it. */
inline use_memory() {
  d_step {
    assert(lease[me] == need(me)); /* served, and once only */
    uses[me] = need(me);
    assert(all(use_of) <= TOTAL)
  }
}

/* requests.c, fill() and free_waiter() */
inline fill() {
  d_step {
    w = 0;
    do
    :: state[w] != SG_WAITER_FREE -> w++
    :: else -> break
    od;
    mine = w;
    w = 0;
    last_ticket++;
    client[mine] = me;
    bytes[mine] = need(me);
    ticket[mine] = last_ticket;
    my_ticket = last_ticket
  }
}

/* requests.c, take() and free_record() */
inline settle_granted() {
#ifndef GRANT_INTO_LEASE
  lease[me] = lease[me] + bytes[mine];
#endif
  state[mine] = SG_WAITER_FREE;
  mine = NONE
}

/* requests.c, sg_ask(): take_at_once(), when nobody is there to be served, or enqueue() */
inline sg_ask() {
  if
  :: waiting == 0 && need(me) + used <= TOTAL ->
     used = used + need(me);
     lease[me] = lease[me] + need(me)
  :: else ->
     fill();
     waiting++;
     state[mine] = SG_WAITING;
     sg_serve();
     if
     :: state[mine] == SG_GRANTED -> settle_granted()
     :: else
     fi
  fi
}

#define is_mine (client[mine] == me && ticket[mine] == my_ticket && state[mine] != SG_WAITER_FREE)

/* requests.c, sg_settle(): takes what was granted, or leaves. */
inline sg_settle() {
  assert(is_mine); /* nobody else frees the record of the living */
#ifdef LEAVE_WITHOUT_CHECK
  if
  :: !timed_out -> settle_granted()
#else
  if
  :: state[mine] == SG_GRANTED -> settle_granted()
#endif
  :: else ->
     waiting--;
     state[mine] = SG_WAITER_FREE;
     mine = NONE;
     left = true;
#ifndef LEAVE_WITHOUT_SERVING
     sg_serve()
#endif
  fi
}

#define still_waiting (state[mine] == SG_WAITING && ticket[mine] == my_ticket)
#define any_dead (dead(0) || dead(1) || (CLIENTS > 2 && dead(2 % CLIENTS)))
#ifdef LOCK_NOT_CHECKED
#define must_reap any_dead
#else
#define must_reap (any_dead || (lock != 0 && owner_dead)) /* it need not have a record */
#endif

/* client_wait.c, sleep_in_queue() and look_after_others() */
inline sleep_in_queue() {
  do
  :: !still_waiting -> break
  :: still_waiting && me < TIMEOUTS -> timed_out = true; break
  :: still_waiting ->
     atomic { /* sg_futex_wait() */
       if
       :: state[mine] == SG_WAITING -> asleep[me] = mine + 1
       :: else
       fi
     };
     if
     :: asleep[me] == 0
     :: atomic { SLICES && asleep[me] != 0 -> asleep[me] = 0 };
#ifndef NO_REAP
        if
        :: must_reap ->
           sg_lock();
           remove_dead(); /* sg_reap_locked() */
           sg_serve();
           sg_unlock_and_wake()
        :: else
        fi
#endif
     fi
  od
}

/* client_wait.c, settle() */
inline settle() {
#ifdef SETTLE_WITHOUT_LOCK
  if
  :: state[mine] == SG_GRANTED -> settle_granted()
  :: else -> waiting--; state[mine] = SG_WAITER_FREE; mine = NONE; left = true
  fi
#else
  sg_lock();
  sg_settle();
  sg_unlock_and_wake()
#endif
}

/* attach.c, activate(): the record may still be that of a dead process whose byte was free. */
inline attach() {
  sg_lock();
  if
  :: attached[me] -> sg_client_remove(me)
  :: else
  fi;
  lease[me] = 0;
  agen[me] = gen[me];
  attached[me] = true;
  sg_unlock_and_wake()
}

/* direct.c, detach() */
inline detach() {
  sg_lock();
  sg_client_remove(me);
  sg_unlock_and_wake();
  byte_held[me] = false /* sg_slot_drop() */
}

/* client.c: ask and wait, use, give back. Client 1 ends by a detach, with what it holds. */
inline work() {
  left = false;
  timed_out = false;
  sg_lock();
  sg_ask();
  sg_unlock_and_wake();
  if
  :: mine == NONE
  :: else ->
     sleep_in_queue();
     settle()
  fi;
  if
  :: left
  :: else ->
     use_memory();
     uses[me] = 0;
     if
     :: me == 1 && round + 1 == ROUNDS -> detach()
     :: else ->
        sg_lock();
        lease[me] = lease[me] - need(me); /* sg_give_back() */
        used = used - need(me);
        sg_serve();
        sg_unlock_and_wake()
     fi
  fi
}

proctype process(byte me) {
  byte life, round, mine = NONE, my_ticket, wakes, next, w, c, i;
  bool left, timed_out;
  do
  :: life < LIVES ->
     {
       if
       :: life > 0 -> byte_held[me] = true; gen[me]++; attach()
       :: else
       fi;
       do
       :: round < ROUNDS ->
          work();
          atomic {
            assert(!waits_for(0, me) && !waits_for(1, me) && !waits_for(WAITERS - 1, me));
            round++
          }
       :: else -> break
       od;
       life = LIVES
     } unless { killed[me] };
     atomic {
       if
       :: killed[me] -> /* the kernel takes its time, too */
          life++;
          killed[me] = false;
          byte_held[me] = false;
          asleep[me] = 0
       :: else
       fi;
       mine = NONE; my_ticket = 0; wakes = 0; next = 0; w = 0; c = 0; left = 0; timed_out = 0;
       round = 0
     }
  :: else -> break
  od;
  ended++
}

inline kill(victim) {
  d_step { killed[victim] = true; uses[victim] = 0; deaths++ }
}

/* SIGKILL, for any process at any time. The driver frees what a dead process used. */
proctype killer() {
  byte deaths;
  do
  :: atomic { deaths < DEATHS && byte_held[0] && !killed[0] -> kill(0) }
  :: atomic { deaths < DEATHS && byte_held[1] && !killed[1] -> kill(1) }
  :: atomic { CLIENTS > 2 && deaths < DEATHS && byte_held[2 % CLIENTS] && !killed[2 % CLIENTS] ->
              kill(2 % CLIENTS) }
  :: break
  od
}

init {
  atomic {
    byte p;
    for (p : 0 .. CLIENTS - 1) {
      byte_held[p] = true;
      attached[p] = true;
      run process(p)
    };
    p = 0;
    run killer()
  }
}

ltl every_process_ends { <> (ended == CLIENTS) }
