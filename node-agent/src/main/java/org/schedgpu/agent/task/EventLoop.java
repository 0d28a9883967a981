package org.schedgpu.agent.task;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.jna.Poll;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One thread that calls tasks when their time has come or their descriptor is readable. */
public final class EventLoop implements Runnable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
  private static final long AFTER_FAILURE_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Tasks with this pause or a longer one are called together, at whole multiples of it. A thread
   * that wakes alone finds cold caches, so waking up is the main cost of an idle agent. All loops
   * use the same multiples.
   */
  static final long BEAT_NS = TimeUnit.SECONDS.toNanos(1);

  private final List<PeriodicTask> tasks;
  private final List<LogOnce> problems;
  private final long[] dueNs;
  private final long[] restUntilNs;
  private final int[] descriptors;
  private final Poll poll = new Poll();
  private volatile Call call = new Call("", 0);
  private volatile boolean stopped;
  private volatile boolean allDue;

  /** The running task; "" = none. */
  private record Call(String task, long sinceNs) {}

  /**
   * One thread makes it and one runs it; other threads may call {@link #stop} and {@link #wakeAll}.
   *
   * @param tasks in the order in which they are called; closed with the loop
   */
  public EventLoop(List<PeriodicTask> tasks) {
    this.tasks = List.copyOf(tasks);
    this.problems = tasks.stream().map(task -> new LogOnce(LOG)).toList();
    this.dueNs = new long[tasks.size()];
    Arrays.fill(dueNs, System.nanoTime());
    this.restUntilNs = dueNs.clone();
    // poll(2) ignores a negative descriptor
    this.descriptors = tasks.stream().mapToInt(task -> task.descriptor().orElse(-1)).toArray();
  }

  /** Runs until {@link #stop}. The first calls of tasks are in their order. */
  @Override
  public void run() {
    boolean[] readable = new boolean[tasks.size()];
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
    PeriodicTask task = tasks.get(i);
    long startNs = System.nanoTime();
    call = new Call(task.name(), startNs);
    try {
      dueNs[i] = due(startNs, task.run(asOf(startNs, dueNs[i])));
      problems.get(i).over();
    } catch (RuntimeException problem) {
      problems.get(i).tell(task.name() + ": " + problem.getMessage(), problem);
      dueNs[i] = due(startNs, AFTER_FAILURE_NS);
    } finally {
      if (readable) { // otherwise the descriptor did not become readable
        restUntilNs[i] = System.nanoTime() + task.restNs();
      }
      call = new Call("", startNs);
    }
  }

  /**
   * The time of a task's next call: not later than it asked for, and at a common multiple if
   * possible.
   */
  static long due(long nowNs, long delayNs) {
    long dueNs = nowNs + delayNs;
    return delayNs < BEAT_NS ? dueNs : dueNs - Math.floorMod(dueNs, BEAT_NS);
  }

  /**
   * Returns the time that a task gets. For a periodic call this is the time when the call was due,
   * however late the thread woke: work that is due every ten seconds then runs at the tenth call.
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

  /** The task that has been running for this long. May be called from any thread. */
  Optional<String> stuckIn(long nowNs, long patienceNs) {
    Call now = call;
    return Optional.of(now.task())
        .filter(task -> !task.isEmpty() && nowNs - now.sinceNs() > patienceNs);
  }

  /** Makes the loop call every task at once. May be called from any thread. */
  public void wakeAll() {
    allDue = true;
    poll.wake();
  }

  /** Makes {@link #run} return after the running task. May be called from any thread. */
  public void stop() {
    stopped = true;
    poll.wake();
  }

  /** Call it after {@link #run} has returned. */
  @Override
  public void close() {
    tasks.forEach(PeriodicTask::close);
    poll.close();
  }
}
