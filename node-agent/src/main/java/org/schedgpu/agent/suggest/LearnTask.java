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
 * Maintains the tables from which the root side takes what jobs do not say: with DefaultMem=learned
 * their budgets, and where there are lanes what lane jobs keep between their turns. Reading the
 * history takes longer with more jobs, so the task then reads it less often.
 */
public final class LearnTask implements PeriodicTask {
  private static final long SHORTEST_NS = TimeUnit.SECONDS.toNanos(2);
  private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);

  /** The task spends at most this part of the time on it. */
  private static final long REST = 100;

  /** For this long after an event its record may still reach the history. */
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
   * @param conf gives the current configuration
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
    if (!(conf.get().learnsDefaultMem() || conf.get().lanes())
        || region.isEmpty()
        || !isNews(region.get(), nowNs)) {
      return SHORTEST_NS;
    }
    long startNs = System.nanoTime();
    learn(region.get());
    long tookNs = warm ? System.nanoTime() - startNs : 0; // the first call also loads classes
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
      sizes = DeviceSizes.of(region.liveSnapshot());
    } catch (SchedGpuException problem) {
      changes = -1; // odd: a region at rest never has such a number
      access.failed(problem);
      throw problem;
    }
    try (HistoryStore history = HistoryStore.open(conf.get().historyFile()).orElse(null)) {
      if (history != null && conf.get().lanes()) {
        LearnedTable.write(
            access.runDir(),
            LearnedTable.Table.PERSISTENT,
            KeptMemory.of(history, OptionalInt.empty()).lines());
      }
      if (history != null && conf.get().learnsDefaultMem()) {
        LearnedTable.write(
            access.runDir(),
            LearnedTable.Table.BUDGETS,
            PastJobs.learn(history, OptionalInt.empty(), Optional.empty(), sizes).inOrder().stream()
                .map(s -> new LearnedTable.Line(s.uid(), s.suggestedBytes(), s.name()))
                .toList());
      }
    }
  }
}
