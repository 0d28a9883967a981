package org.schedgpu.agent.metrics;

import io.prometheus.metrics.core.metrics.Histogram;
import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;

/**
 * Histograms of waits, of the time for which jobs held memory, and of the used part of their
 * budgets. Each job counts once, when it has ended. A scrape counts the jobs that the region
 * remembers. Jobs that ended before this agent started are left out, because the agent before it
 * counted them.
 */
final class JobHistograms {
  private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

  private final Histogram waits =
      Histogram.builder()
          .name("schedgpu_job_wait_seconds")
          .help("How long jobs waited for memory in all, by the time they ended.")
          .classicOnly()
          .classicUpperBounds(0.1, 1, 10, 60, 300, 900, 3600, 14_400, 86_400)
          .build();
  private final Histogram held =
      Histogram.builder()
          .name("schedgpu_job_held_seconds")
          .help("How long jobs held memory of any device, by the time they ended.")
          .classicOnly()
          .classicUpperBounds(1, 10, 60, 300, 1800, 3600, 14_400, 43_200, 86_400, 604_800)
          .build();
  private final Histogram peaks =
      Histogram.builder()
          .name("schedgpu_job_peak_ratio")
          .help("Most that programs of jobs had allocated at once, divided by what they asked for.")
          .classicOnly()
          .classicUpperBounds(0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.5, 2)
          .labelNames("device", "uuid")
          .build();
  private final long sinceNs;
  private long regionNs;
  private long last;
  private long missed;

  /**
   * @param sinceNs jobs that ended before it are left out, as {@link RegionSnapshot#nowNs()}
   */
  JobHistograms(long sinceNs) {
    this.sinceNs = sinceNs;
  }

  /** Counts the jobs that ended since the last call. */
  void observe(RegionSnapshot snapshot) {
    if (snapshot.createdNs() != regionNs) {
      regionNs = snapshot.createdNs();
      snapshot.devices().forEach(this::begin);
      last =
          snapshot.ended().stream()
              .filter(this::isEarlier)
              .mapToLong(EndedJob::sequence)
              .max()
              .orElse(0);
    }
    long from = last;
    long seen = 0;
    for (EndedJob job : snapshot.ended()) {
      if (job.sequence() > from) {
        observe(snapshot, job);
        last = job.sequence();
        seen++;
      }
    }
    missed += last - from - seen;
  }

  /** A series that appeared with its first job would hide that job from rate(). */
  private void begin(Device device) {
    peaks.initLabelValues(Integer.toString(device.index()), device.uuid());
  }

  private boolean isEarlier(EndedJob job) {
    return job.endedNs() - sinceNs < 0;
  }

  private void observe(RegionSnapshot snapshot, EndedJob job) {
    waits.observe(job.waitedNs() / NS_PER_S);
    held.observe(job.heldNs() / NS_PER_S);
    for (Device device : snapshot.devices()) {
      long budget = job.budgetBytes().getOrDefault(device.index(), 0L);
      if (budget > 0) {
        double peak = job.peakBytes().getOrDefault(device.index(), 0L);
        peaks.labelValues(Integer.toString(device.index()), device.uuid()).observe(peak / budget);
      }
    }
  }

  /**
   * @param readable false if the region cannot be read; the number of ended jobs comes from it
   */
  void addTo(Families to, boolean readable) {
    if (readable) {
      to.counter("schedgpu_jobs_ended", "Jobs that ended on this node.", last);
    }
    to.counter(
        "schedgpu_ended_jobs_missed",
        "Jobs that ended and are in no histogram: more than 2048 between two scrapes.",
        missed);
    to.add(waits.collect());
    to.add(held.collect());
    to.add(peaks.collect());
  }
}
