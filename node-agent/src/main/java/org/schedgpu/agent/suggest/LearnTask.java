package org.schedgpu.agent.suggest;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.LearnedTable;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/**
 * With DefaultMem=learned: keeps the table by which the root side decides the budget of jobs that
 * name none. A look at the history takes the longer the more jobs it has, so looks are the rarer.
 */
public final class LearnTask implements PeriodicTask {
  private static final long SHORTEST_NS = TimeUnit.SECONDS.toNanos(2);
  private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);

  /** One part in so many of the time is spent on it, at most. */
  private static final long REST = 100;

  /** So long after something happened it may still come into the history. */
  private static final long LATER_NS = TimeUnit.SECONDS.toNanos(20);

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private long changes;
  private int opened;
  private long untilNs;
  private boolean warm;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param conf as it is now
   */
  public LearnTask(RegionAccess access, Supplier<Conf> conf) {
    this.access = access;
    this.conf = conf;
  }

  @Override
  public String name() {
    return "learn";
  }

  @Override
  public long run(long nowNs) {
    Optional<SchedGpu> region = access.region();
    if (!conf.get().learnsDefaultMem() || region.isEmpty() || !isNews(region.get(), nowNs)) {
      return SHORTEST_NS;
    }
    long startNs = System.nanoTime();
    learn(region.get());
    long tookNs = warm ? System.nanoTime() - startNs : 0; // the first look loads classes
    warm = true;
    return Math.min(LONGEST_NS, Math.max(SHORTEST_NS, tookNs * REST));
  }

  private boolean isNews(SchedGpu region, long nowNs) {
    long now = region.changes();
    if (now != changes || opened != access.opened()) {
      untilNs = nowNs + LATER_NS;
    }
    changes = now;
    opened = access.opened();
    return nowNs - untilNs < 0;
  }

  private void learn(SchedGpu region) {
    DeviceSizes sizes;
    try {
      sizes = DeviceSizes.of(region.glance());
    } catch (SchedGpuException problem) {
      changes = -1; // odd: a number that a region at rest never has
      access.failed(problem);
      throw problem;
    }
    try (HistoryStore history = HistoryStore.open(conf.get().historyFile()).orElse(null)) {
      if (history != null) {
        LearnedTable.write(
            access.runDir(),
            PastJobs.learn(history, OptionalInt.empty(), Optional.empty(), sizes)
                .newestFirst()
                .stream()
                .map(s -> new LearnedTable.Line(s.uid(), s.suggestedBytes(), s.name()))
                .toList());
      }
    }
  }
}
