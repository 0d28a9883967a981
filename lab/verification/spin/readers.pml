/*
 * readers.pml - a thread that takes the record away waits for the threads that use it, although
 * these announce that by plain stores. It mirrors libschedgpu/shell: reader_slots.h (sg_readers_enter, sg_readers_exit), reader_slots.c (take_reader_slot,
 * sg_readers_enter_slowly, sg_readers_wait), self.h (sg_self_enter) and direct.c (the detach in run).
 *
 * A CPU delays plain stores for a while, in order: each thread has a buffer, whose stores others may
 * see late. A locked instruction, a fence and membarrier(2) empty it.
 */
#ifndef ROUNDS
#define ROUNDS 2 /* how often each thread enters and exits */
#endif
#define THREADS 2

bool record = true;     /* not NULL: the slot is this process's */
bool dropped;           /* the slot may be another process's */
bool taken[THREADS];     /* struct sg_reader_slot: tid */
bit inside[THREADS];    /* the value that other CPUs see */
chan buffer[THREADS] = [2] of { bit }; /* values that they do not see yet */
bit seen;               /* of flush() */
byte ended;

/* The buffer is empty: a locked instruction, a fence, or a barrier from outside. */
inline flush(t) {
  d_step {
    do
    :: nempty(buffer[t]) -> buffer[t]?seen; inside[t] = seen; seen = 0
    :: empty(buffer[t]) -> break
    od
  }
}

proctype cpu(byte me) {
end:
  do
  :: atomic { nempty(buffer[me]) -> buffer[me]?seen; inside[me] = seen; seen = 0 }
  od
}

proctype thread(byte me) {
  byte round;
  bool mine;
  do
  :: round < ROUNDS ->
     if
     :: !taken[me] -> /* sg_readers_enter_slowly() */
#ifdef TAKE_WITHOUT_FENCE
        skip /* its tid, too, stays in the buffer: until it is looked for nobody taken */
#else
        taken[me] = true;
#endif
     :: else
     fi;
     buffer[me]!1;
#ifdef TAKE_WITHOUT_FENCE
     skip;
#else
     if
     :: round == 0 -> flush(me)
     :: else
     fi;
#endif
     mine = record; /* sg_self_enter() */
     if
     :: mine ->
        assert(!dropped);
        flush(me); /* the compare-and-swap on the lease */
        assert(!dropped)
     :: else
     fi;
     mine = false;
     buffer[me]!0; /* sg_readers_exit() */
#ifdef TAKE_WITHOUT_FENCE
     taken[me] = true;
#endif
     round++
  :: else -> break
  od;
  ended++
}

/* sg_readers_wait(), then sg_slot_drop() */
inline detach() {
#ifdef CHECK_FIRST
  must = taken[0] || taken[1];
#endif
  record = false;
#ifndef CHECK_FIRST
  must = taken[0] || taken[1];
#endif
#ifndef NO_BARRIER
  if
  :: must -> flush(0); flush(1)
  :: else
  fi;
#endif
  must = false;
#ifndef NO_WAIT
again:
  if
  :: inside[0] -> goto again
  :: else
  fi;
  if
  :: inside[1] -> goto again
  :: else
  fi;
#endif
  dropped = true;
  ended++
}

init {
  bool must;
  atomic {
    run cpu(0);
    run cpu(1);
    run thread(0);
    run thread(1)
  };
  detach()
}

ltl every_process_ends { <> (ended == THREADS + 1) }
