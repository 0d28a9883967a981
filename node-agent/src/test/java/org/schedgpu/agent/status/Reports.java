package org.schedgpu.agent.status;

import static org.schedgpu.agent.Snapshots.NOW;
import static org.schedgpu.agent.Snapshots.SECOND;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.forecast.ExpectedEnd;
import org.schedgpu.agent.forecast.QueueFuture;
import org.schedgpu.agent.forecast.WaitForecasts;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.Forecast.Reason;
import org.schedgpu.jna.Forecast.Why;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Reports of {@link Snapshots}. */
final class Reports {
  private Reports() {}

  static StatusReport report(RegionSnapshot snapshot) {
    return report(snapshot, GpuUse.UNKNOWN);
  }

  static StatusReport report(RegionSnapshot snapshot, GpuUse use) {
    return report(snapshot, use, new Shares(snapshot));
  }

  /** With the records of stopped jobs. */
  static StatusReport report(RegionSnapshot snapshot, Set<Integer> stopped) {
    return report(snapshot, GpuUse.UNKNOWN, new Shares(snapshot, stopped));
  }

  private static StatusReport report(RegionSnapshot snapshot, GpuUse use, Shares shares) {
    return StatusReport.of(
            Path.of("/run/schedgpu"),
            snapshot,
            shares,
            use,
            uid -> uid == 1000 ? "alice" : "a.very.long.name",
            NOW)
        .with(forecasts(snapshot, shares, uid -> true));
  }

  /** As root sees it. */
  static WaitForecasts forecasts(RegionSnapshot snapshot) {
    return forecasts(snapshot, uid -> true);
  }

  /**
   * Of {@link Snapshots#busy}: 4711 ends in 15 minutes and serves two, the third waits for run:31
   * too.
   */
  static WaitForecasts forecasts(RegionSnapshot snapshot, IntPredicate maySee) {
    return forecasts(snapshot, new Shares(snapshot), maySee);
  }

  private static WaitForecasts forecasts(
      RegionSnapshot snapshot, Shares shares, IntPredicate maySee) {
    return WaitForecasts.of(
        snapshot,
        shares,
        Future::new,
        (job, ranNs) ->
            job.id() == 4711
                ? ExpectedEnd.likely(15 * 60 * SECOND)
                : ExpectedEnd.unknown("has never run before"),
        maySee,
        NOW);
  }

  private static final class Future implements QueueFuture {
    private final Set<Long> waiting = new HashSet<>(Set.of(5L, 6L, 7L));
    private final Set<Long> told = new TreeSet<>(waiting);

    @Override
    public Optional<Reason> reason(long ticket) {
      return Optional.of(
          ticket == 6
              ? new Reason(Why.PRIORITY, 0, OptionalLong.of(5))
              : new Reason(ticket == 5 ? Why.MEMORY : Why.NOT_ADMITTED, 0, OptionalLong.empty()));
    }

    @Override
    public void end(Job job, long nowNs) {
      waiting.removeAll(job.id() == 4711 ? Set.of(5L, 7L) : Set.of(6L));
    }

    @Override
    public void giveUp(long ticket, long nowNs) {
      waiting.remove(ticket);
    }

    @Override
    public void pass(long nowNs) {}

    @Override
    public long[] left() {
      long[] left = told.stream().filter(t -> !waiting.contains(t)).mapToLong(t -> t).toArray();
      told.retainAll(waiting);
      return left;
    }

    @Override
    public void close() {}
  }
}
