package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns of numbers over time. Null: there was no sample, or the value is unknown.
 *
 * @param slotNs the time that each point stands for: memory and counts are the maximum in it,
 *     utilisation is the mean
 * @param timeMs wall clock, ascending
 */
public record TimeSeries(
    long slotNs,
    List<Long> timeMs,
    List<Long> totalBytes,
    List<Long> grantedBytes,
    List<Long> inUseBytes,
    List<Long> nvmlUsedBytes,
    List<Long> utilisationPercent,
    List<Long> jobs,
    List<Long> waiting,
    List<Long> lanes,
    List<Long> waitingTurns) {
  static TimeSeries of(Downsampled<Load> thinned) {
    TimeSeries course =
        new TimeSeries(
            thinned.slotNs(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    thinned.points().forEach(point -> course.add(point.timeNs(), point.value()));
    return course;
  }

  private void add(long timeNs, Load load) {
    timeMs.add(Math.floorDiv(timeNs, 1_000_000L));
    totalBytes.add(load == null ? null : load.totalBytes());
    grantedBytes.add(load == null ? null : load.grantedBytes());
    inUseBytes.add(load == null ? null : load.inUseBytes());
    nvmlUsedBytes.add(load == null ? null : load.nvmlUsedBytes());
    utilisationPercent.add(load == null ? null : load.utilisationPercent());
    jobs.add(load == null ? null : load.jobs());
    waiting.add(load == null ? null : load.waiting());
    lanes.add(load == null ? null : load.lanes());
    waitingTurns.add(load == null ? null : load.waitingTurns());
  }

  /** True if the device had a lane at some time. */
  boolean hasLanes() {
    return lanes.stream().anyMatch(count -> count != null && count > 0);
  }
}
