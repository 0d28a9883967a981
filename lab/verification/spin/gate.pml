/*
 * gate.pml - the compute turn within a process: launches pass a gate, and the keeper closes it when
 * the turn is over. It mirrors libschedgpu/preload/turns: turns.c (lock_or_reopen, reopen, open_locked,
 * take, close_gate, sgp_turn_close, sgp_turn_capture_begins), turns.h (sgp_turn_passes, sgp_turn_passed),
 * keeper.c (keep); and shell/client/reader_slots.c (sg_launches_wait).
 *
 * Thread 0 launches a function of the host first, which needs a lock of the program; thread 1 has that lock while
 * it launches, or captures a graph. Launches of the others wait while the function of the host does, because the
 * queue of the device is full; if those of thread 1 did, the program would wait for itself without schedGPU as well.
 * The word of the lane is not modelled (turns.pml does that): who asks gets the turn once nobody has it.
 *
 * With DELAYS a CPU delays plain stores, as in readers.pml: others see late that a thread launches.
 */
#ifndef ROUNDS
#define ROUNDS 2 /* how often each thread launches */
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef CLOSINGS
#define CLOSINGS 2 /* how often the turn ends before the threads do; at the end it ends always */
#endif
#ifndef OTHERS
#define OTHERS 1 /* how often another process takes the turn */
#endif
#define NOBODY 0
#define OURS 1
#define ANOTHERS 2
#define NO_TURN 255

mtype = { STAYS, CLOSES, REOPENED };

byte turn = NOBODY;             /* of the lane */
byte gate;                      /* sgp_gate */
byte turns;                     /* the number of the last turn */
byte own[THREADS] = NO_TURN;    /* sgp_own_turn */
bit launching[THREADS];         /* the last bit of sg_reader_slot: launch, as other CPUs see it */
#ifdef DELAYS
chan buffer[THREADS] = [2] of { bit }; /* what they do not see yet */
#endif
bool opening, closing, of_program; /* locks */
mtype step = STAYS;
byte captures, host_functions;
bool capturing;                 /* a stream is captured */
byte kernels;                   /* the device has them */
bool host_waits;                /* the function of the host waits in its stream, or runs */
byte threads_ended, others_ended;
bit seen;                       /* of flush() */

#ifdef DELAYS
inline flush(t) {
  d_step {
    do
    :: nempty(buffer[t]) -> buffer[t]?seen; launching[t] = seen; seen = 0
    :: empty(buffer[t]) -> break
    od
  }
}

inline store(t, value) { buffer[t]!value }

proctype cpu(byte me) {
end:
  do
  :: atomic { nempty(buffer[me]) -> buffer[me]?seen; launching[me] = seen; seen = 0 }
  od
}
#else
inline flush(t) { skip }
inline store(t, value) { launching[t] = value }
#endif

/* The driver computes for whoever launched; a function of the host runs on a thread of the driver. */
proctype device() {
end:
  do
  :: atomic { kernels > 0 && turn == OURS -> kernels-- }
  :: atomic { kernels > 0 && turn != OURS -> assert(false) } /* it computes in another's turn */
  od
}

proctype host_function() {
  host_waits;
  atomic { !of_program -> of_program = true };
  of_program = false;
  host_waits = false;
  host_functions--
}

proctype another() {
  byte round;
  do
  :: round < OTHERS ->
     atomic { turn == NOBODY -> turn = ANOTHERS };
     assert(kernels == 0);
     turn = NOBODY;
     round++
  :: else -> break
  od;
  others_ended++
}

/* reopen(); `open` is its result */
inline reopen() {
  atomic {
    if
    :: step == CLOSES -> step = REOPENED; first = true
    :: step == REOPENED -> first = false; open = gate != 0
    :: else -> first = false
    fi
  };
  if
  :: first -> gate = turns; open = true; first = false
  :: else
  fi
}

/* lock_or_reopen(): a thread that waits looks again at each unlock, and after its patience. */
inline lock_or_reopen(lock) {
  locked = false;
  open = false;
  do
  :: atomic { !lock -> lock = true; locked = true }; break
#ifndef NEVER_REOPENED
#ifndef ONE_GOES_ON
  :: lock && host_functions > 0 && (step == CLOSES || step == REOPENED && gate != 0) ->
#else
  :: lock && host_functions > 0 && step == CLOSES ->
#endif
     reopen();
     if
     :: open -> break
     :: else
     fi
#endif
  od
}

/* open_gate() */
inline open_gate() {
  lock_or_reopen(opening);
  if
  :: locked ->
     if
     :: gate == 0 ->
        atomic { turn != ANOTHERS -> turn = OURS }; /* sg_compute_turn_begin() */
        turns++;
        gate = turns
     :: else
     fi;
     opening = false
  :: else
  fi
}

/* A hook: sgp_turn_take(), the function of the driver, sgp_turn_end(). `host`: it is a function of the host. */
inline launch(host) {
  store(me, 1); /* sgp_turn_passes() */
  mine = gate;
  if
  :: mine == own[me]
  :: else ->
     store(me, 0);
     do
     :: open_gate();
        flush(me);
        launching[me] = 1; /* sg_launch_begin_slowly(): a locked instruction */
        mine = gate;
        if
        :: mine != 0 -> own[me] = mine; break
        :: else
        fi;
        launching[me] = 0
     od
  fi;
  mine = 0;
  assert(turn == OURS);
  if
  :: host -> host_functions++; host_waits = true
  :: else ->
     me == 1 || !host_waits; /* else the queue of the device is full */
     assert(turn == OURS);
     kernels++
  fi;
  store(me, 0) /* sgp_turn_passed() */
}

proctype thread(byte me) {
  byte round, mine;
  bool locked, open, first;
  do
  :: round < ROUNDS ->
     if
     :: me == 0 && round == 0 -> launch(true)
     :: me == 1 ->
        atomic { !of_program -> of_program = true };
#ifdef CAPTURES
        if
        :: round == 0 ->
#ifndef COUNTED_AFTER_LOCK
           captures++; /* sgp_turn_capture_begins() */
           lock_or_reopen(closing);
#else
           lock_or_reopen(closing);
           captures++;
#endif
           if
           :: locked -> closing = false
           :: else
           fi;
           capturing = true;
           capturing = false;
           captures-- /* sgp_turn_capture_ends() */
        :: else -> launch(false)
        fi;
#else
        launch(false);
#endif
        of_program = false
     :: else -> launch(false)
     fi;
     round++
  :: else -> break
  od;
  threads_ended++
}

/* sg_launches_wait(): a barrier on all CPUs, then each thread in turn */
inline launches_wait() {
#ifndef NO_BARRIER
  flush(0); flush(1);
#if THREADS == 3
  flush(2);
#endif
#endif
#ifndef NO_WAIT
  !launching[0];
  !launching[1];
#if THREADS == 3
  !launching[2];
#endif
  skip
#else
  skip
#endif
}

/* synchronize_all(): unless the gate was opened again; a capture would break. */
inline synchronize() {
#ifndef NO_SYNCHRONIZATION
  atomic {
    if
    :: step == CLOSES -> assert(!capturing)
    :: else
    fi
  };
  step != CLOSES || kernels == 0 && !host_waits
#else
  skip
#endif
}

/* sgp_turn_close() */
inline close() {
  closed = false;
  atomic { !opening -> opening = true };
  atomic { !closing -> closing = true };
  if
  :: captures == 0 && gate != 0 ->
#ifdef STEP_BEFORE_GATE
     step = CLOSES;
     gate = 0;
#else
     gate = 0;
     step = CLOSES;
#endif
     launches_wait();
     synchronize();
     atomic {
       if
       :: step == CLOSES -> step = STAYS; closed = true
       :: else
       fi
     };
     if
     :: closed
     :: else ->
        gate != 0;
        step = STAYS
     fi
  :: else
  fi;
  closing = false;
  if
  :: closed -> assert(kernels == 0); turn = NOBODY /* sg_compute_turn_end() */
  :: else
  fi;
  opening = false
}

/* keep(): between two looks it sleeps, so it does not close the gate again and again. */
proctype keeper() {
  bool closed;
  byte closings;
end:
  do
  :: gate != 0 && (closings < CLOSINGS || threads_ended == THREADS) ->
     close();
     if
     :: closings < CLOSINGS -> closings++
     :: else
     fi
  od
}

init {
  atomic {
#ifdef DELAYS
    run cpu(0); run cpu(1);
#if THREADS == 3
    run cpu(2);
#endif
#endif
    run device(); run host_function(); run another(); run keeper();
#if THREADS == 3
    run thread(2);
#endif
    run thread(0); run thread(1)
  }
}

ltl every_process_ends { <> (threads_ended == THREADS && others_ended == 1) }
