package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.schedgpu.agent.Snapshots.GIB;
import static org.schedgpu.agent.Snapshots.SECOND;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;

class JobHistogramsTest {
  private static final long START = 1000;
  private static final String WAITS = "schedgpu_job_wait_seconds_";

  private final JobHistograms histograms = new JobHistograms(START);

  private static RegionSnapshot region(long createdNs, EndedJob... ended) {
    RegionSnapshot from = Snapshots.busy();
    return new RegionSnapshot(
        from.version(),
        from.policy(),
        from.overtakeLimit(),
        from.deadlockRule(),
        from.graceNs(),
        createdNs,
        from.recoveries(),
        from.reapedClients(),
        from.grants(),
        from.refusals(),
        from.devices(),
        from.jobs(),
        from.clients(),
        from.waiters(),
        List.copyOf(Arrays.asList(ended)),
        from.damage());
  }

  private static EndedJob job(long sequence, long endedNs, long waitedNs) {
    return new EndedJob(
        sequence,
        JobKind.SLURM,
        4711,
        "train",
        1000,
        50,
        Mode.PEAK,
        new TreeMap<>(Map.of(0, 4 * GIB, 1, 0L)),
        new TreeMap<>(Map.of(0, 3 * GIB)),
        new TreeMap<>(),
        0,
        endedNs,
        JobFigures.of(waitedNs, 1, 40 * SECOND),
        Refusals.NONE,
        Optional.empty());
  }

  private Scrape scrape() {
    Families to = new Families();
    histograms.addTo(to, true);
    return Scrape.of(to.build());
  }

  @Test
  void eachJobIsCountedOnce() {
    EndedJob first = job(1, 2000, 5 * SECOND);
    histograms.observe(region(7, first));
    histograms.observe(region(7, first));
    histograms.observe(region(7, first, job(2, 3000, 70 * SECOND)));
    Scrape scrape = scrape();
    assertEquals(2, scrape.value(WAITS + "count"));
    assertEquals(75, scrape.value(WAITS + "sum"));
    assertEquals(0, scrape.value(WAITS + "bucket{le=\"1.0\"}"));
    assertEquals(1, scrape.value(WAITS + "bucket{le=\"10.0\"}"));
    assertEquals(2, scrape.value(WAITS + "bucket{le=\"300.0\"}"));
    assertEquals(80, scrape.value("schedgpu_job_held_seconds_sum"));
    assertEquals(2, scrape.value("schedgpu_jobs_ended_total"));
    assertEquals(0, scrape.value("schedgpu_ended_jobs_missed_total"));
  }

  /** Without a declared budget there is nothing to compare a peak with. */
  @Test
  void thePeakIsComparedWithWhatWasAskedFor() {
    histograms.observe(region(7, job(1, 2000, 0)));
    Scrape scrape = scrape();
    assertEquals(1, scrape.value("schedgpu_job_peak_ratio_count{device=\"0\"}"));
    assertEquals(0.75, scrape.value("schedgpu_job_peak_ratio_sum{device=\"0\"}"));
    assertEquals(0, scrape.value("schedgpu_job_peak_ratio_count{device=\"1\"}"));
  }

  /** Otherwise every restart of the agent would count the same jobs again. */
  @Test
  void jobsOfBeforeTheStartAreNotObserved() {
    histograms.observe(region(7, job(1, START - 1, SECOND), job(2, START, SECOND)));
    assertEquals(1, scrape().value(WAITS + "count"));
    assertEquals(2, scrape().value("schedgpu_jobs_ended_total"));
  }

  @Test
  void aNewRegionBeginsAgain() {
    histograms.observe(region(7, job(1, 2000, 0), job(2, 2000, 0)));
    histograms.observe(region(8, job(1, 3000, 0)));
    assertEquals(3, scrape().value(WAITS + "count"));
    assertEquals(1, scrape().value("schedgpu_jobs_ended_total"));
  }

  @Test
  void whatWasOverwrittenIsSaidToBeMissed() {
    histograms.observe(region(7, job(1, 2000, 0)));
    histograms.observe(region(7, job(5, 3000, 0), job(6, 3000, 0)));
    assertEquals(3, scrape().value(WAITS + "count"));
    assertEquals(3, scrape().value("schedgpu_ended_jobs_missed_total"));
  }

  @Test
  void ofAnUnreadableRegionNoNumberIsShown() {
    Families to = new Families();
    histograms.addTo(to, false);
    assertFalse(Scrape.of(to.build()).text().contains("schedgpu_jobs_ended_total"));
  }
}
