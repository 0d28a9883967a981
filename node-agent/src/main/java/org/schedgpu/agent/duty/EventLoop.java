package org.schedgpu.agent.duty;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.log.ToldOnce;
import org.schedgpu.jna.Poll;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that calls duties when their time has come or their descriptor is readable. */
public final class EventLoop implements Runnable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
  private static final long AFTER_FAILURE_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Duties that are due after so long or later are called at whole multiples of it, together: a
   * thread that wakes finds nothing where it left it, so waking is what idling costs. All loops
   * have the same beat.
   */
  static final long BEAT_NS = TimeUnit.SECONDS.toNanos(1);

  private final List<Duty> duties;
  private final List<ToldOnce> problems;
  private final long[] dueNs;
  private final long[] restUntilNs;
  private final int[] descriptors;
  private final Poll poll = new Poll();
  private volatile Call call = new Call("", 0);
  private volatile boolean stopped;
  private volatile boolean allDue;

  /** The duty of now; "" = none. */
  private record Call(String duty, long sinceNs) {}

  /**
   * Made by one thread, run by one; {@link #stop} and {@link #wakeAll} may come from others.
   *
   * @param duties in the order in which they are called; closed with the loop
   */
  public EventLoop(List<Duty> duties) {
    this.duties = List.copyOf(duties);
    this.problems = duties.stream().map(duty -> new ToldOnce(LOG)).toList();
    this.dueNs = new long[duties.size()];
    Arrays.fill(dueNs, System.nanoTime());
    this.restUntilNs = dueNs.clone();
    // poll(2) passes a negative descriptor by
    this.descriptors = duties.stream().mapToInt(duty -> duty.descriptor().orElse(-1)).toArray();
  }

  /** Until {@link #stop}. Duties are called the first time in their order. */
  @Override
  public void run() {
    boolean[] readable = new boolean[duties.size()];
    while (!stopped) {
      boolean all = allDue;
      allDue = false;
      for (int i = 0; i < dueNs.length && !stopped; i++) {
        if (all || readable[i] || dueNs[i] - System.nanoTime() <= 0) {
          call(i, readable[i]);
        }
      }
      readable = stopped ? readable : await();
    }
  }

  private void call(int i, boolean readable) {
    Duty duty = duties.get(i);
    long startNs = System.nanoTime();
    call = new Call(duty.name(), startNs);
    try {
      dueNs[i] = due(startNs, duty.run(asOf(startNs, dueNs[i])));
      problems.get(i).over();
    } catch (RuntimeException problem) {
      problems.get(i).tell(duty.name() + ": " + problem.getMessage(), problem);
      dueNs[i] = due(startNs, AFTER_FAILURE_NS);
    } finally {
      if (readable) { // else nothing happened that could happen all the time
        restUntilNs[i] = System.nanoTime() + duty.restNs();
      }
      call = new Call("", startNs);
    }
  }

  /** When a duty is to be called: not later than it asked for, and on the beat if it may be. */
  static long due(long nowNs, long delayNs) {
    long dueNs = nowNs + delayNs;
    return delayNs < BEAT_NS ? dueNs : dueNs - Math.floorMod(dueNs, BEAT_NS);
  }

  /**
   * The time that a duty is told. On the beat it is that of the beat, however late the thread woke:
   * what a duty wants to do every ten seconds is then due at the tenth call, not a moment after it.
   */
  static long asOf(long nowNs, long dueNs) {
    long lateNs = nowNs - dueNs;
    boolean onTheBeat = Math.floorMod(dueNs, BEAT_NS) == 0 && lateNs >= 0 && lateNs < BEAT_NS;
    return onTheBeat ? dueNs : nowNs;
  }

  private boolean[] await() {
    long nowNs = System.nanoTime();
    long nextNs = Long.MAX_VALUE;
    int[] looked = descriptors.clone();
    for (int i = 0; i < dueNs.length; i++) {
      nextNs = Math.min(nextNs, dueNs[i] - nowNs);
      if (descriptors[i] >= 0 && restUntilNs[i] - nowNs > 0) {
        looked[i] = -1;
        nextNs = Math.min(nextNs, restUntilNs[i] - nowNs);
      }
    }
    return poll.await(nextNs, looked);
  }

  /** The duty that was called so long before and has not come back. From any thread. */
  Optional<String> stuckIn(long nowNs, long patienceNs) {
    Call now = call;
    return Optional.of(now.duty())
        .filter(duty -> !duty.isEmpty() && nowNs - now.sinceNs() > patienceNs);
  }

  /** Every duty is called at once. From any thread. */
  public void wakeAll() {
    allDue = true;
    poll.wake();
  }

  /** {@link #run} returns when the duty of now is done. From any thread. */
  public void stop() {
    stopped = true;
    poll.wake();
  }

  /** After {@link #run} has returned. */
  @Override
  public void close() {
    duties.forEach(Duty::close);
    poll.close();
  }
}
