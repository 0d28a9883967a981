package org.schedgpu.agent.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.history.Clock;
import org.schedgpu.agent.overrun.UncaughtProgram;
import org.schedgpu.agent.overrun.UnscheduledProgram;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;

/** What {@code schedgpu jobs} and {@code schedgpu history} print. */
class JobsTest {
  private static final Style PLAIN = new Style(false);
  private static final Clock CLOCK = new Clock(1_793_534_400_000_000_000L, Snapshots.NOW);

  private static JsonFields jobs(Principal viewer) {
    return new JsonFields(
        JobsQuestion.answer(
            Snapshots.busy(),
            viewer,
            uid -> uid == 1000 ? "alice" : "a.very.long.name",
            CLOCK,
            JobsQuestion.Written.NOTHING));
  }

  @Test
  void aLineForEachJobAndDevice() {
    assertEquals(
        """
        JOB           USER     NAME      DEV REQUEST IN USE   PEAK WAITED   HELD STATE
        slurm:99      alice    train       0     6.0    0.0    0.0  1m05s     0s waiting
                                           1     1.0    0.0    0.0
        slurm:4711    alice    train       0     9.0    2.0    2.0     0s     0s running
        slurm:123456+ a.very.+ train       0     1.0    0.0    0.0  2h03m     0s waiting
        run:31        a.very.+ train       0       -    3.0    3.0     1s     0s waiting
        """,
        JobsText.now(jobs(Principal.root()), PLAIN));
  }

  @Test
  void aJobWhoseTimeLimitWasExtendedSaysByHowMuch() {
    Map<Long, Long> extended = Map.of(99L, 120 * Snapshots.SECOND, 31L, Snapshots.SECOND);
    JsonFields answer =
        new JsonFields(
            JobsQuestion.answer(
                Snapshots.busy(),
                Principal.root(),
                uid -> "user" + uid,
                CLOCK,
                new JobsQuestion.Written(extended, Map.of())));
    String text = JobsText.now(answer, PLAIN);
    assertTrue(text.endsWith("\n\nslurm:99 has 2m00s more time because it waited\n"), text);
  }

  @Test
  void whatRunsUnscheduledIsNamedBelow() {
    List<UnscheduledProgram> programs =
        List.of(
            new UnscheduledProgram(
                4712, "train", 0, true, OptionalLong.of(716L << 20), UncaughtProgram.STATIC),
            new UnscheduledProgram(
                4713, "eval", 1, false, OptionalLong.of(1), UncaughtProgram.STATIC));
    JobsQuestion.Written written =
        new JobsQuestion.Written(Map.of(), Map.of("slurm:4711", programs));
    JsonFields answer =
        new JsonFields(
            JobsQuestion.answer(
                Snapshots.busy(), Principal.root(), uid -> "user" + uid, CLOCK, written));
    String text = JobsText.now(answer, PLAIN);
    assertTrue(
        text.endsWith(
            """

            slurm:4711 runs unscheduled: 4712 train, up to 716 MiB of device 0
            slurm:4711 ran unscheduled: 4713 eval, up to 0 MiB of device 1
            """),
        text);
  }

  @Test
  void aLaneJobSaysWhatItHasOfItsLane() {
    JsonFields answer =
        new JsonFields(
            JobsQuestion.answer(
                Snapshots.withLanes(),
                Principal.root(),
                uid -> "user" + uid,
                CLOCK,
                JobsQuestion.Written.NOTHING));
    Map<String, Object> expected = new LinkedHashMap<>();
    expected.put("policy", "srtf");
    expected.put("lane", 0);
    expected.put("persistentBytes", Snapshots.GIB);
    expected.put("share", 4L);
    expected.put("lengthNs", 600 * Snapshots.SECOND);
    expected.put("turn", "has");
    expected.put("turnNs", 7 * Snapshots.SECOND);
    expected.put("turns", 12L);
    expected.put("serviceNs", 127 * Snapshots.SECOND);
    expected.put("switches", 11L);
    expected.put("turnWaitedNs", 30 * Snapshots.SECOND);
    expected.put("keptBytes", Snapshots.GIB + Snapshots.GIB / 2);
    List<JsonFields> jobs = answer.list("jobs");
    assertEquals(expected, jobs.get(1).values().get("lane"));
    assertFalse(jobs.get(2).values().containsKey("lane"));
    Map<?, ?> waiting = (Map<?, ?>) jobs.get(0).values().get("lane");
    assertEquals("waits", waiting.get("turn"));
    assertEquals(65 * Snapshots.SECOND, waiting.get("turnNs"));
    assertEquals(65 * Snapshots.SECOND, waiting.get("turnWaitedNs"));
  }

  @Test
  void laneJobsAreATableOfTheirOwn() {
    String text =
        JobsText.now(
            new JsonFields(
                JobsQuestion.answer(
                    Snapshots.withLanes(),
                    Principal.root(),
                    uid -> "user" + uid,
                    CLOCK,
                    JobsQuestion.Written.NOTHING)),
            PLAIN);
    String expected =
        """

        LANE JOB      POLICY SHARE LANE  TURNS SERVICE  WAITED  KEPT  TURN
        slurm:99      srtf       1    0      0      0s   1m05s     -  waits for 1m05s
        slurm:4711    srtf       4    0     12   2m07s     30s   1.5  has it for 7s
        run:31        pack       1    -      0      0s      0s     -  -
        """;
    assertTrue(text.endsWith(expected), text);
    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
    assertFalse(JobsText.now(jobs(Principal.root()), PLAIN).contains("LANE"));
  }

  @Test
  void theHistoryHasTheUseOfLanesBelow() {
    JsonFields job = ended("ended", 1_793_534_400_000_000_000L);
    Map<String, Object> lane = new LinkedHashMap<>();
    lane.put("policy", "fair");
    Lanes.putUse(
        lane,
        new LaneUse(
            LanePolicy.FAIR,
            1000,
            1_234_567,
            1_234_566,
            100 * Snapshots.SECOND,
            90_000 * Snapshots.SECOND,
            3 * Snapshots.GIB));
    job.values().put("lane", lane);
    String text = JobsText.then(List.of(ended("ended", 5L), job), PLAIN, ZoneId.of("UTC"));
    String expected =
        """

        LANE JOB      POLICY SHARE  TURNS SWITCHES SERVICE  WAITED  KEPT
        slurm:123456+ fair    1000 1234567  1234566   1m40s   1d01h   3.0
        """;
    assertTrue(text.endsWith(expected), text);
  }

  @Test
  void serviceThatIsNotKnownIsNotZero() {
    JsonFields job = ended("ended", 5L);
    Map<String, Object> lane = new LinkedHashMap<>();
    lane.put("policy", "share");
    Lanes.putUse(lane, new LaneUse(LanePolicy.SHARE, 2, 3, 1, OptionalLong.empty(), 0, 0));
    job.values().put("lane", lane);
    assertTrue(lane.containsKey("serviceNs"));
    assertNull(lane.get("serviceNs"));
    String text = JobsText.then(List.of(job), PLAIN, ZoneId.of("UTC"));
    String line = "slurm:123456+ share      2      3        1       -      0s     -\n";
    assertTrue(text.endsWith(line), text);
  }

  @Test
  void othersAreCountedOnly() {
    JsonFields alice = jobs(new Principal(1000, true));
    assertEquals(
        List.of("slurm:99", "slurm:4711"),
        alice.list("jobs").stream().map(job -> job.text("job")).toList());
    assertEquals(2, alice.number("hiddenJobs"));
    assertFalse(JsonText.of(alice.values()).contains("a.very.long.name"));
    assertEquals(0, jobs(new Principal(1000, false)).number("hiddenJobs"));
  }

  @Test
  void timesAreTimesOfDay() {
    JsonFields job = jobs(Principal.root()).list("jobs").get(0);
    assertEquals(CLOCK.nowNs() - Snapshots.NOW, job.number("begunNs"));
  }

  /** Users choose these names, and root reads them. */
  @Test
  void aNameCannotSteerTheTerminal() {
    JsonFields job = ended("ended", 1_793_534_400_000_000_000L);
    job.values().put("user", "a\u009b2J");
    job.values().put("name", "\u001b[2J\nx\u202e");
    JsonFields now = new JsonFields(Map.of("jobs", List.of(job.values())));
    for (String text :
        List.of(JobsText.now(now, PLAIN), JobsText.then(List.of(job), PLAIN, ZoneId.of("UTC")))) {
      assertEquals(3, text.lines().count(), text);
      assertTrue(text.contains(" a?2J     ?[2J?x? "), text);
    }
  }

  private static JsonFields ended(String state, Long endedNs) {
    Map<String, Object> job = new LinkedHashMap<>();
    job.put("job", "slurm:1234567890");
    job.put("user", "a.very.long.name");
    job.put("name", "a-very-long-name");
    job.put("state", state);
    job.put("endedNs", endedNs);
    job.put("waitedNs", 119_000_000_000L);
    job.put("heldNs", 90_000_000_000_000L);
    job.put(
        "devices",
        List.of(
            Map.of("device", 10, "requestedBytes", 150L << 30, "peakBytes", 149L << 30),
            Map.of("device", 11, "requestedBytes", 0L, "peakBytes", 1L << 30)));
    return new JsonFields(job);
  }

  @Test
  void theHistoryHasTheTimeOfTheEnd() {
    String text =
        JobsText.then(
            List.of(
                ended("ended", 1_793_534_400_000_000_000L),
                ended("running", null),
                ended("lost", 5L)),
            PLAIN,
            ZoneId.of("UTC"));
    assertEquals(
        """
        ENDED       JOB           USER     NAME      DEV REQUEST   PEAK WAITED   HELD
        11-01 12:00 slurm:123456+ a.very.+ a-very-l+  10   150.0  149.0  1m59s  1d01h
                                                      11       -    1.0
        running     slurm:123456+ a.very.+ a-very-l+  10   150.0  149.0  1m59s  1d01h
                                                      11       -    1.0
        lost        slurm:123456+ a.very.+ a-very-l+  10   150.0  149.0  1m59s  1d01h
                                                      11       -    1.0
        """,
        text);
    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  private static JsonFields refused(long count) {
    Map<String, Object> job = new LinkedHashMap<>(ended("ended", 5L).values());
    job.put("refusals", count);
    job.put("largestRefusedBytes", 5L << 29);
    return new JsonFields(job);
  }

  /** Jobs whose PEAK shows only what they could get. */
  @Test
  void whoWasRefusedSomethingIsNamedBelow() {
    List<JsonFields> jobs = List.of(refused(1), refused(0), refused(12));
    String expected =
        """

        slurm:1234567890 could have used more: 1 allocation refused, up to 2.5 GiB
        slurm:1234567890 could have used more: 12 allocations refused, up to 2.5 GiB
        """;
    String then = JobsText.then(jobs, PLAIN, ZoneId.of("UTC"));
    assertTrue(then.endsWith("1.0\n" + expected), then);
    Map<String, Object> answer =
        Map.of("jobs", jobs.stream().map(JsonFields::values).toList(), "hiddenJobs", 0);
    String now = JobsText.now(new JsonFields(answer), PLAIN);
    assertTrue(now.endsWith(expected), now);
  }

  private static JsonFields unscheduled(long processes, Long bytes) {
    Map<String, Object> job = new LinkedHashMap<>(ended("ended", 5L).values());
    job.put("unscheduledProcesses", processes);
    job.put("largestUnscheduledBytes", bytes);
    return new JsonFields(job);
  }

  /** Records of an older agent do not say. */
  @Test
  void whatRanUnscheduledIsNamedBelow() {
    List<JsonFields> jobs =
        List.of(
            unscheduled(1, 5L << 29), unscheduled(0, 0L), ended("ended", 5L), unscheduled(2, null));
    String then = JobsText.then(jobs, PLAIN, ZoneId.of("UTC"));
    assertTrue(
        then.endsWith(
            """
            1.0

            slurm:1234567890 ran 1 program unscheduled, with up to 2.5 GiB
            slurm:1234567890 ran 2 programs unscheduled, with an unknown amount
            """),
        then);
  }

  @Test
  void whatAJobWasRefusedIsInTheJson() {
    RegionSnapshot.Job job =
        new RegionSnapshot.Job(
            0,
            JobKind.SLURM,
            7,
            1000,
            "train",
            Mode.PEAK,
            1,
            true,
            50,
            false,
            false,
            false,
            0,
            -1,
            new TreeMap<>(Map.of(0, 1L << 30)),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            JobFigures.of(0, 0, 0),
            new Refusals(3, 2L << 30));
    JsonFields json =
        new JsonFields(
                JobsQuestion.answer(
                    Snapshots.snapshot(List.of(), List.of(job), List.of(), List.of(), List.of()),
                    Principal.root(),
                    uid -> "alice",
                    CLOCK,
                    JobsQuestion.Written.NOTHING))
            .list("jobs")
            .get(0);
    assertEquals(3, json.number("refusals"));
    assertEquals(2L << 30, json.number("largestRefusedBytes"));
  }

  @Test
  void aListOfNowFitsIntoEightyColumns() {
    JobsText.now(jobs(Principal.root()), PLAIN)
        .lines()
        .forEach(line -> assertTrue(line.length() <= 80, line));
  }
}
