package org.schedgpu.agent.task;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.SchedGpu;

/**
 * Notices dead clients at once. Every client keeps a liveness file open for its whole life, and the
 * kernel reports when the file is closed, however the process ends. That event starts a scan;
 * libschedgpu decides which clients are dead, and reaps them as every process does from time to
 * time. Hooks use a liveness file, and therefore a task, of their own: hundreds of them may end in
 * a second, and they must not delay the scan for other clients.
 */
public final class ReapTask implements PeriodicTask {
  /** The time limit for taking the lock. */
  public static final long LOCK_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(10);

  /**
   * A delay after an event: deaths at nearly the same time are reaped together, and a flood of
   * events does not keep the agent busy.
   */
  private static final long REST_MS = 1;

  /**
   * The kernel reports the close before it releases the lock on the file: long before, if CPUs are
   * scarce.
   */
  private static final long[] LOOK_AGAIN_NS =
      LongStream.of(2, 5, 10, 20, 40).map(TimeUnit.MILLISECONDS::toNanos).toArray();

  /** A scan asks the kernel about each process: 2 ms on a full node, a twentieth of a CPU. */
  private static final int REST_SHARE = 20;

  private static final long REST_MOST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A scan of hooks takes microseconds, and waking up ten times as long. */
  private static final long REST_OF_ROOT_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Reaper reaper;
  private final boolean ofRoot;
  private final FileWatch watch = new FileWatch();
  private int opened;
  private int looks = LOOK_AGAIN_NS.length;
  private long tickNs;
  private long tookNs;
  private long reapNs;

  private ReapTask(Reaper reaper, boolean ofRoot) {
    this.reaper = reaper;
    this.ofRoot = ofRoot;
  }

  /**
   * For processes of jobs, and everything else in the region. If the region was written since the
   * last reap, one is done once a second anyway, so that a lock that is held too long is noticed,
   * too. A reap writes the region itself, so where nothing happens it is done rarely; then all
   * readers of the region have nothing to do.
   */
  public static ReapTask ofClients(Reaper reaper) {
    return new ReapTask(reaper, false);
  }

  /** For hooks, commands and the processes that began a {@code schedgpu run} as root. */
  public static ReapTask ofRoot(Reaper reaper) {
    return new ReapTask(reaper, true);
  }

  @Override
  public String name() {
    return ofRoot ? "reap-root" : "reap";
  }

  @Override
  public OptionalInt descriptor() {
    return OptionalInt.of(watch.descriptor());
  }

  @Override
  public long restNs() {
    return ofRoot ? REST_OF_ROOT_NS : Math.min(REST_MOST_NS, REST_SHARE * tookNs);
  }

  @Override
  public long run(long nowNs) {
    boolean told = watch.drain();
    Optional<SchedGpu> region = reaper.access().region();
    if (region.isEmpty()) {
      return TICK_NS;
    }
    boolean fresh = reaper.access().opened() != opened;
    boolean tick = fresh || nowNs - tickNs >= 0;
    boolean due = !ofRoot && (fresh || (tick && isDue(region.get(), nowNs)));
    if (tick) {
      watch.watchReleases(livenessFile()); // another region may have replaced it
      opened = reaper.access().opened();
      tickNs = nowNs + TICK_NS;
    }
    tookNs = 0;
    reapNs = due ? nowNs + QUIET_NS : reapNs;
    look(region.get(), told, due);
    return looks < LOOK_AGAIN_NS.length ? Math.max(LOOK_AGAIN_NS[looks++], restNs()) : TICK_NS;
  }

  private Path livenessFile() {
    return ofRoot ? reaper.access().livenessOfRoot() : reaper.access().livenessOfClients();
  }

  private boolean isDue(SchedGpu region, long nowNs) {
    return reaper.isDue(region) || nowNs - reapNs >= 0;
  }

  private void look(SchedGpu region, boolean told, boolean due) {
    looks = told ? 0 : looks;
    if (due || anybodyDead(region)) {
      reaper.reap(region);
    }
    if (told) {
      rest();
      if (anybodyDead(region)) {
        reaper.reap(region);
      }
    }
  }

  private boolean anybodyDead(SchedGpu region) {
    long startNs = System.nanoTime();
    boolean found = (ofRoot ? region.deadOfRoot() : region.dead()) > 0;
    tookNs += System.nanoTime() - startNs;
    return found;
  }

  private static void rest() {
    try {
      Thread.sleep(REST_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
