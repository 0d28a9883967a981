package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobSample;
import org.schedgpu.agent.history.Unscheduled;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.report.DeviceReport.Lane;
import org.schedgpu.agent.report.DeviceReport.LaneJob;
import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;

class ReportBuilderTest {
  private static final Window HOUR = MadeHistory.window(0, 3600);
  private static final int ALICE = 1001;
  private static final int BOB = 1002;

  private final MadeHistory made = new MadeHistory();

  @Test
  void anEmptyHistoryIsAReportOfNothing() {
    ReportData data = made.report(HOUR);
    assertEquals(0, data.headline().jobs());
    assertNull(data.headline().grantedPercent());
    assertNull(data.headline().utilisationPercent());
    assertEquals(List.of(), data.devices());
    assertTrue(ReportPage.of(data, null).contains("Nothing was recorded in this time."));
  }

  @Test
  void meansAreOverTheSamplesAndTheMostIsKept() {
    made.devices.add(MadeHistory.device(10, 0, 0, 0));
    made.devices.add(MadeHistory.device(20, 0, 8, 4));
    made.devices.add(MadeHistory.device(30, 0, 16, 2));
    DeviceReport device = made.report(HOUR).devices().get(0);
    assertEquals(8 * MadeHistory.GIB, device.meanGrantedBytes());
    assertEquals(16 * MadeHistory.GIB, device.peakGrantedBytes());
    assertEquals(2 * MadeHistory.GIB, device.meanInUseBytes());
    assertEquals(4 * MadeHistory.GIB, device.peakInUseBytes());
    assertEquals(50, device.meanUtilisationPercent());
    assertEquals(50, made.report(HOUR).headline().grantedPercent());
    assertTrue(device.emulated());
  }

  @Test
  void gpuTimeIsThatOfEachDeviceWithinTheWindow() {
    made.jobs.add(MadeHistory.job(1, "wide", ALICE, List.of(0, 1), -100, 50, 0, 8, 4));
    made.jobs.add(MadeHistory.job(2, ALICE, 0, 3500, -1, 0));
    made.jobs.add(MadeHistory.job(3, ALICE, 0, -200, -100, 0));
    Headline head = made.report(HOUR).headline();
    assertEquals(2, head.jobs());
    assertEquals(1, head.running());
    assertEquals(200 * MadeHistory.SECOND_NS, head.askedNs());
  }

  @Test
  void waitsAreOverAllJobsOfAUser() {
    made.jobs.add(MadeHistory.job(1, ALICE, 0, 0, 100, 30));
    made.jobs.add(MadeHistory.job(2, ALICE, 0, 0, 100, 0));
    made.jobs.add(MadeHistory.job(3, BOB, 0, 0, 100, 100));
    List<UserWaits> waits = made.report(HOUR).waits();
    long second = MadeHistory.SECOND_NS;
    assertEquals(
        List.of(
            new UserWaits(
                "user1002",
                1,
                1,
                1,
                100 * second,
                100 * second,
                100 * second,
                100 * second,
                100 * second),
            new UserWaits(
                "user1001", 2, 1, 0, 30 * second, 15 * second, 0, 30 * second, 30 * second)),
        waits);
  }

  @Test
  void ofOthersAUserSeesSumsOnly() {
    made.devices.add(MadeHistory.device(10, 0, 8, 4));
    for (int i = 1; i <= 3; i++) {
      made.jobs.add(MadeHistory.job(i, "mine", ALICE, List.of(0), i, 100, 0, 8, 2));
      made.jobs.add(MadeHistory.job(10 + i, "secret-project", BOB, List.of(0), i, 100, 5, 8, 2));
    }
    ReportData data = made.report(HOUR, null, null, new Principal(ALICE, true));
    String json = JsonText.of(Records.toMap(data));
    assertFalse(json.contains("secret"), json);
    assertFalse(json.contains("user1002"), json);
    assertFalse(json.contains("slurm:11"), json);
    assertEquals(
        List.of("all others", "user1001"), data.waits().stream().map(UserWaits::user).toList());
    assertEquals(6, data.headline().jobs());
    assertEquals(6, data.comparison().shared().jobs());
    assertEquals(List.of("mine"), data.needs().stream().map(NameNeed::name).toList());
    assertFalse(data.allJobs());
    assertThrows(
        ReportException.class,
        () -> made.report(HOUR, null, "slurm:11", new Principal(ALICE, true)));
  }

  @Test
  void aNameThatAsksForTooMuchIsReportedWhatWouldDo() {
    for (int i = 1; i <= 3; i++) {
      made.jobs.add(MadeHistory.job(i, "sweep", ALICE, List.of(0), 0, 3600, 0, 16, i));
    }
    made.jobs.add(MadeHistory.job(4, "fits", ALICE, List.of(0), 0, 3600, 0, 4, 4));
    made.jobs.add(MadeHistory.job(5, "seldom", ALICE, List.of(0), 0, 3600, 0, 16, 1));
    List<NameNeed> needs = made.report(HOUR).needs();
    // 3 GiB and a tenth, in steps of 256 MiB
    long enough = 3584L << 20;
    assertEquals(
        new NameNeed(
            "sweep",
            "user1001",
            3,
            16 * MadeHistory.GIB,
            3 * MadeHistory.GIB,
            0,
            0,
            enough,
            3 * (16 * MadeHistory.GIB - enough)),
        needs.get(0));
    assertEquals("3584M", Suggestion.typed(enough));
    assertNull(needs.get(1).suggestedBytes());
    assertNull(needs.get(2).suggestedBytes());
  }

  /**
   * Jobs with refused allocations need more than they used, so the report does not advise their
   * users to ask for less.
   */
  @Test
  void aNameWhoseJobsWereRefusedMemoryIsNotReportedThatLessWouldDo() {
    for (int i = 1; i <= 3; i++) {
      made.jobs.add(MadeHistory.job(i, "sweep", ALICE, List.of(0), 0, 3600, 0, 16, i));
    }
    made.jobs.add(
        MadeHistory.refused(
            MadeHistory.job(4, "sweep", ALICE, List.of(0), 0, 60, 0, 16, 1),
            2,
            20 * MadeHistory.GIB));
    assertEquals(
        List.of(
            new NameNeed(
                "sweep",
                "user1001",
                4,
                16 * MadeHistory.GIB,
                3 * MadeHistory.GIB,
                2,
                20 * MadeHistory.GIB,
                null,
                0)),
        made.report(HOUR).needs());
  }

  @Test
  void contextsAreNoUse() {
    for (int i = 1; i <= 3; i++) {
      made.jobs.add(MadeHistory.job(i, "sweep", ALICE, List.of(3), 0, 3600, 0, 16, 3));
    }
    NameNeed need = made.report(HOUR).needs().get(0);
    assertEquals(3 * MadeHistory.GIB, need.usedBytes());
    assertEquals(Suggestion.budgetFor(3 * MadeHistory.GIB), need.suggestedBytes());
  }

  @Test
  void jobsThatOverlapGetLanesOfTheirOwn() {
    made.devices.add(MadeHistory.device(10, 0, 8, 4));
    made.jobs.add(MadeHistory.job(1, ALICE, 0, -50, 100, 0));
    made.jobs.add(MadeHistory.job(2, ALICE, 0, 50, 150, 0));
    made.jobs.add(MadeHistory.job(3, ALICE, 0, 100, -1, 0));
    List<Lane> lanes = made.report(HOUR).devices().get(0).lanes();
    assertEquals(
        List.of(List.of("slurm:1", "slurm:3"), List.of("slurm:2")),
        lanes.stream().map(lane -> lane.jobs().stream().map(LaneJob::job).toList()).toList());
    assertEquals(HOUR.fromNs(), lanes.get(0).jobs().get(0).begunNs());
    assertEquals(HOUR.untilNs(), lanes.get(0).jobs().get(1).endNs());
  }

  @Test
  void thousandsOfJobsAndSamplesAreAPageOfBoundedSize() {
    for (int i = 0; i < 8000; i++) {
      made.jobs.add(
          MadeHistory.job(i, "name-" + i, 1000 + i % 300, List.of(i % 4), i, i + 50, 1, 8, 2));
    }
    for (int i = 0; i < 8000; i++) {
      for (int device = 0; device < 4; device++) {
        made.devices.add(MadeHistory.device(i, device, i % 16, i % 9));
      }
    }
    ReportData data = made.report(MadeHistory.window(0, 8000));
    String page = ReportPage.of(data, null);
    assertEquals(List.of(0, 1, 2, 3), data.lanesLeftOut());
    assertEquals(7950, data.needsLeftOut());
    assertEquals(21, data.waits().size());
    assertEquals("280 other users", data.waits().get(20).user());
    assertEquals(8000, data.waits().stream().mapToInt(UserWaits::jobs).sum());
    assertTrue(page.contains("2,000 jobs are too many to be drawn one by one"));
    assertTrue(page.contains("7,950 more names are not shown."));
    int library = Resources.chartLibrary().length();
    assertTrue(page.length() - library < 400_000, "page of " + page.length());
  }

  @Test
  void moreJobsThanMemoryHasRoomForAreRefused() {
    made.jobs.add(MadeHistory.job(1, ALICE, 0, 0, 10, 0));
    made.jobs.add(MadeHistory.job(2, ALICE, 0, 0, 10, 0));
    ReportRequest request =
        new ReportRequest("n", "UTC", 0, HOUR, null, null, Principal.root(), Map.of());
    ReportException problem =
        assertThrows(ReportException.class, () -> new ReportBuilder(made, request, 1).build());
    assertEquals(
        "more than 1 jobs since then: choose a later --since, or ask for one --device",
        problem.getMessage());
  }

  @Test
  void oneDeviceIsReportedAlone() {
    made.devices.add(MadeHistory.device(10, 0, 8, 4));
    made.devices.add(MadeHistory.device(10, 1, 8, 4));
    made.jobs.add(MadeHistory.job(1, ALICE, 0, 0, 10, 0));
    made.jobs.add(MadeHistory.job(2, ALICE, 1, 0, 10, 0));
    ReportData data = made.report(HOUR, 1, null, Principal.root());
    assertEquals(List.of(1), data.devices().stream().map(DeviceReport::device).toList());
    assertEquals(1, data.headline().jobs());
  }

  @Test
  void aJobsPageHasItsNeighboursAsSums() {
    made.jobs.add(MadeHistory.job(5, "old", ALICE, List.of(0), 0, 10, 0, 8, 4));
    made.jobs.add(MadeHistory.job(5, "mine", ALICE, List.of(0), 100, 200, 20, 8, 4));
    for (int second = 0; second < 300; second += 10) {
      made.devices.add(MadeHistory.device(second, 0, second >= 120 && second < 200 ? 14 : 6, 5));
      if (second >= 100 && second < 200) {
        long held = second < 120 ? 0 : 8 * MadeHistory.GIB;
        made.samples.add(new JobSample(MadeHistory.at(second), 5, 0, held, held / 2));
      }
    }
    JobDetail job = made.report(HOUR, null, "slurm:5", Principal.root()).job();
    assertEquals("mine", job.name());
    assertEquals(20 * MadeHistory.SECOND_NS, job.waitedNs());
    JobDetail.Share share = job.devices().get(0);
    assertEquals(14, share.timeMs().size());
    assertTrue(share.othersBytes().stream().allMatch(bytes -> bytes == 6 * MadeHistory.GIB));
    assertEquals(
        8, share.heldBytes().stream().filter(bytes -> bytes == 8 * MadeHistory.GIB).count());
    assertEquals(List.of(2L, 1L), share.others().stream().distinct().toList());
  }

  private static JobRecord inLane(int id, int uid, LaneUse use) {
    return MadeHistory.inLane(MadeHistory.job(id, "train", uid, List.of(0), 0, 10, 0, 8, 4), use);
  }

  @Test
  void whatRanUnscheduledIsATile() {
    made.devices.add(MadeHistory.device(150, 0, 8, 4));
    made.jobs.add(MadeHistory.job(5, "mine", ALICE, List.of(0), 100, 200, 20, 8, 4));
    made.jobs.add(MadeHistory.job(6, "other", ALICE, List.of(0), 100, 200, 20, 8, 4));
    assertFalse(ReportPage.of(made.report(HOUR), null).contains("Ran unscheduled"));

    Unscheduled seen = new Unscheduled(3, OptionalLong.of(2 * MadeHistory.GIB));
    made.jobs.set(0, MadeHistory.unscheduled(made.jobs.get(0), seen));
    String all = ReportPage.of(made.report(HOUR), null);
    assertTrue(
        all.contains("Ran unscheduled</dt><dd>1<small>jobs, with up to 2.0 GiB</small>"), all);
    ReportData mine = made.report(HOUR, null, "slurm:5", Principal.root());
    assertEquals(3, mine.job().unscheduledProcesses());
    assertTrue(
        ReportPage.of(mine, null)
            .contains("Ran unscheduled</dt><dd>3<small>programs, with up to 2.0 GiB</small>"));

    Unscheduled unknown = new Unscheduled(1, OptionalLong.empty());
    made.jobs.set(0, MadeHistory.unscheduled(made.jobs.get(0), unknown));
    assertTrue(ReportPage.of(made.report(HOUR), null).contains("jobs, with an unknown amount"));
  }

  @Test
  void jobsInLanesAreByName() {
    LaneUse first = new LaneUse(LanePolicy.FAIR, 1, 5, 4, 100, 30, MadeHistory.GIB);
    LaneUse second = new LaneUse(LanePolicy.FAIR, 1, 7, 6, 50, 20, 2 * MadeHistory.GIB);
    made.jobs.add(MadeHistory.job(1, "plain", ALICE, List.of(0), 0, 10, 0, 8, 4));
    made.jobs.add(inLane(2, ALICE, first));
    made.jobs.add(inLane(3, ALICE, second));
    made.jobs.add(inLane(4, BOB, second));
    ReportData data = made.report(HOUR, null, null, new Principal(ALICE, true));
    assertEquals(
        List.of(
            new NameTurns("train", "user1001", "fair", 2, 12, 10, 150L, 50, 2 * MadeHistory.GIB)),
        data.turns());
    assertTrue(ReportPage.of(data, null).contains("Jobs in lanes"));
    ReportData one = made.report(HOUR, null, "slurm:2", Principal.root());
    assertEquals(one, Records.ofMap(Records.toMap(one)));
    assertEquals(5, one.job().turns().turns());
    assertTrue(ReportPage.of(one, null).contains("5 turns in a lane (fair), 4 switches"));
    made.jobs.subList(1, 4).clear();
    assertFalse(ReportPage.of(made.report(HOUR), null).contains("Jobs in lanes"));
  }

  @Test
  void serviceThatIsNotKnownIsSaidSo() {
    LaneUse unknown =
        new LaneUse(LanePolicy.SHARE, 1, 5, 4, OptionalLong.empty(), 30, MadeHistory.GIB);
    LaneUse known = new LaneUse(LanePolicy.FAIR, 1, 5, 4, 100, 30, MadeHistory.GIB);
    made.jobs.add(inLane(2, ALICE, unknown));
    made.jobs.add(inLane(3, BOB, unknown));
    made.jobs.add(inLane(4, BOB, known));
    ReportData data = made.report(HOUR);
    assertEquals(
        Arrays.asList(100L, null, null), data.turns().stream().map(NameTurns::serviceNs).toList());
    assertTrue(ReportPage.of(data, null).contains("unknown"));
    assertEquals(data, Records.ofMap(Records.toMap(data)));
  }

  /** A device that had no lane has no such chart. */
  @Test
  void lanesAndWaitsForTurnsAreAChart() {
    made.devices.add(MadeHistory.device(10, 0, 8, 4));
    made.devices.add(MadeHistory.withLanes(MadeHistory.device(10, 1, 8, 4), 2, 3));
    made.devices.add(MadeHistory.withLanes(MadeHistory.device(12, 1, 8, 4), 1, 5));
    ReportData data = made.report(HOUR);
    assertEquals(Arrays.asList((Long) null), data.devices().get(0).course().lanes());
    TimeSeries course = data.devices().get(1).course();
    assertEquals(List.of(2L, 1L), course.lanes());
    assertEquals(List.of(3L, 5L), course.waitingTurns());
    String page = ReportPage.of(data, null);
    assertFalse(page.contains("turns-device-0"));
    assertTrue(page.contains("<canvas id=\"turns-device-1\""));
    assertTrue(ChartJson.of(data).contains("\"canvas\": \"turns-device-1\""), ChartJson.of(data));
    assertEquals(data, Records.ofMap(Records.toMap(data)));
  }

  @Test
  void aJobThatIsNotThereGetsAMessage() {
    ReportException problem =
        assertThrows(
            ReportException.class, () -> made.report(HOUR, null, "slurm:9", Principal.root()));
    assertTrue(problem.getMessage().startsWith("job 'slurm:9' is not in the history: "));
  }

  @Test
  void aReportSurvivesItsWayFromTheAgent() {
    made.devices.add(MadeHistory.device(10, 0, 8, 4));
    made.devices.add(MadeHistory.device(500, 0, 8, 4));
    made.devices.add(MadeHistory.device(510, 0, 8, 4));
    made.jobs.add(MadeHistory.job(1, ALICE, 0, 0, 10, 0));
    made.jobs.add(MadeHistory.job(2, ALICE, 0, 0, -1, 0));
    ReportData data = made.report(HOUR);
    assertEquals(data, Records.ofMap(Records.toMap(data)));
    ReportData job = made.report(HOUR, null, "slurm:2", Principal.root());
    assertEquals(job, Records.ofMap(Records.toMap(job)));
  }
}
