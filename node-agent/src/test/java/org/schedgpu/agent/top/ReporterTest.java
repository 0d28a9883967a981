package org.schedgpu.agent.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.forecast.Queues.ALICE;
import static org.schedgpu.agent.forecast.Queues.BOB;
import static org.schedgpu.agent.forecast.Queues.GIB;
import static org.schedgpu.agent.forecast.Queues.MINUTE;
import static org.schedgpu.agent.forecast.Queues.NOW;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.forecast.ExpectedEnd;
import org.schedgpu.agent.forecast.Queues;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.agent.top.TopReport.JobRow;
import org.schedgpu.agent.top.TopReport.LaneRow;
import org.schedgpu.agent.top.TopReport.Others;
import org.schedgpu.agent.top.TopReport.WaiterRow;
import org.schedgpu.jna.RegionSnapshot;

class ReporterTest {
  private static final Queues QUEUES =
      new Queues()
          .holds(1, ALICE, 10, 5)
          .holds(2, BOB, 4, 6)
          .waits(3, ALICE, 6, 2)
          .waits(4, BOB, 1, 1);

  private static TopReport report(IntPredicate maySee) {
    return Reporter.of(
        QUEUES.snapshot(),
        new Reporter.Around(
            "n",
            "12:00:00",
            NOW,
            uid -> uid == ALICE ? "alice" : "bob",
            maySee,
            Set.of(),
            Map.of()),
        QUEUES::future,
        (job, ran) -> ExpectedEnd.likely(4 * MINUTE),
        Map.of());
  }

  @Test
  void allMemoryOfADeviceIsOneOfItsParts() {
    DeviceRow device = report(uid -> true).devices().get(0);
    assertEquals(7 * GIB, device.inUseBytes());
    assertEquals(7 * GIB, device.idleBytes());
    assertEquals(0, device.otherBytes());
    assertEquals(2 * GIB, device.freeBytes());
    assertEquals(
        device.usableBytes(),
        device.inUseBytes() + device.idleBytes() + device.otherBytes() + device.freeBytes());
  }

  @Test
  void whyEachWaitsIsSaid() {
    List<WaiterRow> waiters = report(uid -> true).waiters();
    assertEquals(
        "needs 6.0 GiB, 2.0 free; behind slurm:1 (holds 10.0) and 1 more", waiters.get(0).why());
    assertEquals("fits, but slurm:3 is older", waiters.get(1).why());
    assertEquals("~4 min", waiters.get(0).estimate().text());
  }

  @Test
  void jobsOfOthersAreSumsAndAreNotNamed() {
    TopReport report = report(uid -> uid == BOB);
    assertEquals(List.of("slurm:2", "slurm:4"), report.jobs().stream().map(j -> j.job()).toList());
    assertEquals(List.of("slurm:4"), report.waiters().stream().map(w -> w.job()).toList());
    assertEquals("fits, but another user's job is older", report.waiters().get(0).why());
    assertEquals(new Others(2, 10 * GIB, 1), report.others());
    String json = TopJson.of(report);
    assertFalse(json.contains("slurm:1\""), json);
    assertFalse(json.contains("alice"), json);
  }

  @Test
  void anUnknownJobOfOthersIsNotNamedEither() {
    TopReport report =
        Reporter.of(
            QUEUES.snapshot(),
            new Reporter.Around(
                "n", "", NOW, Integer::toString, uid -> uid == BOB, Set.of(), Map.of()),
            QUEUES::future,
            (job, ran) -> ExpectedEnd.unknown("has never run before"),
            Map.of());
    String json = TopJson.of(report);
    assertTrue(json.contains("unknown: another user's job has never run before"), json);
    assertFalse(json.contains("slurm:1"), json);
  }

  @Test
  void aLaneSaysWhoseTurnItIs() {
    RegionSnapshot snapshot = Snapshots.withLanes();
    TopReport report = ofLanes(snapshot, uid -> true);
    assertEquals(
        List.of(
            new LaneRow(
                0, 0, "srtf", 8 * GIB, 2, 1, 41, Optional.of("slurm:4711"), 7 * Snapshots.SECOND),
            new LaneRow(3, 1, "pack", GIB / 2, 1, 0, 0, Optional.empty(), 0)),
        report.lanes());
    Map<String, String> states =
        report.jobs().stream().collect(Collectors.toMap(j -> j.job(), j -> j.state()));
    assertEquals("has turn", states.get("slurm:4711"));
    assertEquals("waits", states.get("slurm:99"));
    assertEquals(
        Map.of("slurm:4711", OptionalLong.of(4), "slurm:99", OptionalLong.of(1)),
        report.jobs().stream()
            .filter(job -> Set.of("slurm:4711", "slurm:99").contains(job.job()))
            .collect(Collectors.toMap(JobRow::job, JobRow::share)));
    TopReport others = ofLanes(snapshot, uid -> uid == 1001);
    assertEquals(Optional.of("others"), others.lanes().get(0).turnOf());
    assertFalse(TopJson.of(others).contains("slurm:4711"));
  }

  private static TopReport ofLanes(RegionSnapshot snapshot, IntPredicate maySee) {
    return Reporter.of(
        snapshot,
        new Reporter.Around("n", "", Snapshots.NOW, Integer::toString, maySee, Set.of(), Map.of()),
        QUEUES::future,
        (job, ran) -> ExpectedEnd.unknown("has never run before"),
        Map.of());
  }

  @Test
  void jsonHasTheExactNumbers() {
    String json = TopJson.of(report(uid -> true));
    assertTrue(json.contains("\"servedEarliestNs\": " + 4 * MINUTE), json);
    assertTrue(json.contains("\"inUseBytes\": " + 7 * GIB), json);
    assertTrue(json.contains("\"utilisationPercent\": null"), json);
  }

  /** An agent's answer is shown like a direct reading of the region. */
  @Test
  void aReportSurvivesTheWayThroughJson() throws java.io.IOException {
    TopReport report = report(uid -> uid == BOB);
    TopReport back =
        TopJson.report(
            org.schedgpu.agent.text.JsonValues.object(TopJson.of(report)), report.clock());
    assertEquals(report, back);
  }
}
