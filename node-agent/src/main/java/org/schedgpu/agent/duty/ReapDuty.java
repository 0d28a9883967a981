package org.schedgpu.agent.duty;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.Reaped;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees deaths at once. Who is in the region has a liveness file open as long as he lives, and the
 * kernel tells when he lets go of it, however he ends. That is the reason to look; who is dead says
 * libschedgpu's own rule, and a reap does what every process does now and then. Once a second it is
 * done anyway if the region was written since the last one: so a lock that is held too long is
 * noticed, too. A reap writes itself, so where nothing happens it is rare: all who look at the
 * region rest then.
 */
public final class ReapDuty implements Duty {
  /** How long the lock may take. */
  public static final long LOCK_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ReapDuty.class);
  private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(10);

  /** Many that end together are reaped together, and a flood of events does not keep us busy. */
  private static final long REST_MS = 1;

  /** The kernel tells before the lock on the file is gone: long before, where CPUs are short. */
  private static final long[] LOOK_AGAIN_NS =
      LongStream.of(2, 5, 10, 20, 40).map(TimeUnit.MILLISECONDS::toNanos).toArray();

  /**
   * A look asks the kernel about each process: 2 ms on a full node, of a CPU a twentieth. Where
   * hooks alone have come and gone it is of them alone: some microseconds.
   */
  private static final int REST_SHARE = 20;

  /** Longer than is looked again. */
  private static final long LOOK_AT_ALL_NS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long REST_MOST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RegionAccess access;
  private final AgentCounts counts;
  private final StuckLock stuck = new StuckLock();
  private final FileWatch watch = new FileWatch();
  private int opened;
  private int looks = LOOK_AGAIN_NS.length;
  private long allUntilNs = System.nanoTime();
  private long tickNs;
  private long tookNs;
  private long reapNs;
  private long changes;

  /**
   * For a region.
   *
   * @param access of the thread that runs this duty
   * @param counts what it tells whether the lock is stuck
   */
  public ReapDuty(RegionAccess access, AgentCounts counts) {
    this.access = access;
    this.counts = counts;
  }

  @Override
  public String name() {
    return "reap";
  }

  @Override
  public OptionalInt descriptor() {
    return OptionalInt.of(watch.descriptor());
  }

  @Override
  public long restNs() {
    return Math.min(REST_MOST_NS, REST_SHARE * tookNs);
  }

  @Override
  public long run(long nowNs) {
    boolean told = heard(watch.drainPaths(), nowNs);
    Optional<SchedGpu> region = access.region();
    if (region.isEmpty()) {
      return TICK_NS;
    }
    boolean fresh = access.opened() != opened;
    boolean tick = fresh || nowNs - tickNs >= 0;
    boolean due = fresh || (tick && isDue(region.get(), nowNs));
    if (tick) {
      access.livenessFiles().forEach(watch::watchReleases); // they may be others by now
      opened = access.opened();
      tickNs = nowNs + TICK_NS;
    }
    tookNs = 0;
    reapNs = due ? nowNs + QUIET_NS : reapNs;
    look(region.get(), told, due, tick || nowNs - allUntilNs < 0);
    return looks < LOOK_AGAIN_NS.length ? Math.max(LOOK_AGAIN_NS[looks++], restNs()) : TICK_NS;
  }

  /** Whether somebody let go; if not hooks alone, all are looked at for a while. */
  private boolean heard(Set<Path> released, long nowNs) {
    if (!released.isEmpty() && !released.equals(Set.of(access.livenessOfRoot()))) {
      allUntilNs = nowNs + LOOK_AT_ALL_NS;
    }
    return !released.isEmpty();
  }

  /** Whoever has the lock has begun to write. */
  private boolean isDue(SchedGpu region, long nowNs) {
    return region.changes() != changes || nowNs - reapNs >= 0;
  }

  private void look(SchedGpu region, boolean told, boolean due, boolean atAll) {
    looks = told ? 0 : looks;
    if (due || anybodyDead(region, atAll)) {
      reap(region);
    }
    if (told) {
      rest();
      if (anybodyDead(region, atAll)) {
        reap(region);
      }
    }
  }

  private boolean anybodyDead(SchedGpu region, boolean ofAll) {
    long startNs = System.nanoTime();
    boolean found = (ofAll ? region.dead() : region.deadOfRoot()) > 0;
    tookNs += System.nanoTime() - startNs;
    return found;
  }

  private void reap(SchedGpu region) {
    changes = -1; // odd: a number that a region at rest never has
    try {
      Reaped reaped = region.reap();
      changes = region.changes();
      stuck.free();
      counts.lockStuck(false);
      if (reaped.clients() > 0 || reaped.jobs() > 0) {
        LOG.info(
            "reap processes={} jobs={} bytes={} served={}",
            reaped.clients(),
            reaped.jobs(),
            reaped.bytes(),
            reaped.granted());
      }
    } catch (SchedGpuException problem) {
      access.failed(problem);
      if (problem.code() != ErrorCode.ELOCK) {
        throw problem;
      }
      counts.lockStuck(true);
      stuck.heldBy(region.lockHolder());
    }
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
    access.close();
  }
}
