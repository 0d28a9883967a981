/*
 * lock.pml - the futex lock that names its owner; mirrors libschedgpu/shell/region/lock.c (try_lock, spin,
 * lock_slowly, take_over, release) and of liveness.c what decides who is dead (take_slot, sign,
 * sg_owner_dead, sg_slot_drop).
 *
 * Every line that is not inside d_step or atomic is one step of the real code: anybody may run, or
 * be killed, before it. An atomic one is one instruction (a compare-and-swap) or one system call.
 */
#ifndef PROCS
#define PROCS 3
#endif
#ifndef SLOTS
#define SLOTS 3 /* at most 3: two bits of the word */
#endif
#ifndef ROUNDS
#define ROUNDS 1 /* how often each process locks */
#endif
#ifndef DEATHS
#define DEATHS 2 /* how many processes are killed at most */
#endif
#ifndef SLICES
#define SLICES 1 /* 0: the sleep in the kernel has no end of its own */
#endif
#ifndef LEAVERS
#define LEAVERS 1 /* how many of the processes give up at any time (ELOCK) */
#endif

/* word = waiters bit | generation of the slot | slot + 1; 0 = free */
#define WAITERS_BIT 128
#define make_word(slot, gen) ((gen) << 2 | ((slot) + 1))
#define slot_of(word) (((word) & 3) - 1)
#define without_bit(word) ((word) & 127)
#define NONE 7

byte lock;
byte gen[SLOTS];        /* bumped by whoever holds the slot's byte */
byte gen_seal[SLOTS];   /* equal to it: it may be believed */
bool byte_held[SLOTS];  /* the locked byte of the liveness file */
bool asleep[PROCS];     /* in the kernel, on the lock word */
bool killed[PROCS];
byte ended;

bool holds[PROCS]; /* for the properties only: is between lock and unlock, and lives */
byte holders;

#define acquire()                                                                                  \
  holds[me] = true;                                                                                \
  holders++;                                                                                       \
  assert(holders == 1)

/* liveness.c, take_slot() and sign(): the byte first, then the generation. */
inline sg_slot_take() {
  d_step {
    if
    :: !byte_held[0] -> slot = 0
    :: SLOTS > 1 && byte_held[0] && !byte_held[1 % SLOTS] -> slot = 1
    :: SLOTS > 2 && byte_held[0] && byte_held[1 % SLOTS] && !byte_held[2 % SLOTS] -> slot = 2
    fi;
    byte_held[slot] = true
  }
#ifndef NO_GENERATION_BUMP
  gen[slot]++;
#endif
  d_step { gen_seal[slot] = gen[slot]; mine = make_word(slot, gen[slot]) }
}

/* sys.c, sg_futex_wait(): the kernel compares and sleeps in one step. Ends in `awake` or
   `timed_out`. */
inline sg_futex_wait(expected) {
#ifdef SLEEP_WITHOUT_COMPARING
  if
  :: lock == expected
  :: else -> goto awake
  fi;
  asleep[me] = true;
#else
  atomic {
    if
    :: lock == expected -> asleep[me] = true
    :: else -> goto awake
    fi
  }
#endif
  if
  :: !asleep[me] -> goto awake
  :: atomic { SLICES && asleep[me] -> asleep[me] = false } /* timed_out */
  fi
}

/* sys.c, sg_futex_wake(word, 1): any one sleeper; it may be one that was killed just now. */
inline sg_futex_wake_one() {
  atomic {
    if
    :: asleep[0] -> asleep[0] = false
    :: asleep[1] -> asleep[1] = false
    :: PROCS > 2 && asleep[2 % PROCS] -> asleep[2 % PROCS] = false
    :: else
    fi
  }
}

/* liveness.c, sg_owner_dead(): two looks, not one. Whoever is alive: `awake`. */
inline sg_owner_dead() {
#ifdef TAKE_FROM_LIVE_OWNER
  skip
#else
  if
  :: gen_seal[slot_of(seen)] == gen[slot_of(seen)] &&
     without_bit(seen) != make_word(slot_of(seen), gen[slot_of(seen)])
  :: else ->
     if
     :: slot_of(seen) == slot || byte_held[slot_of(seen)] -> goto awake
     :: else
     fi
  fi
#endif
}

/* lock.c, take_over(): only from the dead, and only if the word is still theirs. The code does not
   even ask who is dead if the word has changed meanwhile: here it asks, and then the comparison fails.
   Its slices grow: here one ends at any time. */
inline take_over() {
  sg_owner_dead();
  atomic {
#ifndef TAKE_OVER_WITHOUT_COMPARING
    if
    :: lock != seen -> goto awake
    :: else
    fi;
#endif
    lock = mine | WAITERS_BIT;
    acquire();
    goto locked
  }
}

#ifdef TAKE_WITHOUT_WAITERS_BIT
#define SLOW_WORD mine
#else
#define SLOW_WORD (mine | WAITERS_BIT) /* others may sleep: they must be woken */
#endif

/* lock.c, sg_lock(): try_lock() and spin() do nothing, or succeed, however often they try. Then
   lock_slowly(). */
inline sg_lock() {
  if
  :: atomic { lock == 0 -> lock = mine; acquire(); goto locked }
  :: lock != 0
  fi;
again:
  seen = lock;
  if
  :: seen == 0 ->
     atomic { /* try_lock() */
       if
       :: lock == 0 -> lock = SLOW_WORD; acquire(); goto locked
       :: else -> goto again
       fi
     }
  :: else
  fi;
  atomic {
    if
    :: seen & WAITERS_BIT
    :: !(seen & WAITERS_BIT) && lock == seen -> lock = lock | WAITERS_BIT; seen = lock
    :: else -> goto again
    fi
  };
  sg_futex_wait(seen);
  take_over();
awake:
  if
  :: goto again
  :: me < LEAVERS -> goto left /* ELOCK: its time is over */
  fi
}

/* lock.c, release(): from the word without the bit, or from that with it: then somebody is woken. */
inline sg_unlock() {
  atomic {
    assert(without_bit(lock) == mine); /* nobody took it from the living */
    if
    :: lock == mine -> lock = 0; holds[me] = false; holders--; goto unlocked
    :: else
    fi
  };
  d_step {
    assert(lock == (mine | WAITERS_BIT));
    lock = 0;
    holds[me] = false;
    holders--
  };
#ifndef UNLOCK_WITHOUT_WAKE
  sg_futex_wake_one()
#endif
}

proctype process(byte me) {
  byte slot = NONE, mine, seen, round;
  {
    sg_slot_take();
    do
    :: round < ROUNDS ->
       sg_lock();
locked:
       seen = 0;
       sg_unlock();
unlocked:
left:
       atomic { seen = 0; round++ }
    :: else -> break
    od
  } unless { killed[me] };
  /* The end, by itself (sg_slot_drop) or killed. The kernel takes its time. */
  atomic {
    asleep[me] = false;
    if
    :: slot != NONE -> byte_held[slot] = false
    :: else
    fi;
    ended++;
    killed[me] = true; /* it cannot be killed any more */
    slot = NONE; mine = 0; seen = 0; round = 0 /* nobody asks any more: fewer states */
  }
}

/* SIGKILL, for any process at any time. A dead holder holds no longer: its word remains. */
inline kill(victim) {
  d_step {
    killed[victim] = true;
    deaths++;
    if
    :: holds[victim] -> holds[victim] = false; holders--
    :: else
    fi
  }
}

proctype killer() {
  byte deaths;
  do
  :: atomic { deaths < DEATHS && !killed[0] -> kill(0) }
  :: atomic { deaths < DEATHS && !killed[1] -> kill(1) }
  :: atomic { PROCS > 2 && deaths < DEATHS && !killed[2 % PROCS] -> kill(2 % PROCS) }
  :: break
  od
}

init {
  atomic {
    byte i;
    for (i : 0 .. PROCS - 1) {
      run process(i)
    };
    i = 0;
    run killer()
  }
}

/* Each process wants the lock ROUNDS times: who is never served never ends. */
ltl every_process_ends { <> (ended == PROCS) }
