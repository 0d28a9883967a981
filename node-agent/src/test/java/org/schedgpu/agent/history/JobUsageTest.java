package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.agent.jobs.UsageText;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/** Sums by user and account. Jobs begin at noon; sizes are GiB, times seconds. */
class JobUsageTest {
  private static final long NOON = Records.NOON;
  private static final long SECOND = Records.SECOND;
  private static final long GIB = Records.GIB;
  private static final int ALICE = 1000;
  private static final int BOB = 1001;

  @TempDir Path folder;

  /** A job that ran for 100 s, waited for 20 of them, and held memory for 80. */
  private static SeenJob job(long id, int uid, String mode, long requested, long peak) {
    return new SeenJob(
        Records.key(id),
        OptionalLong.of(id),
        new JobRecord(
            0,
            State.ENDED,
            "slurm",
            id,
            "train",
            uid,
            "user" + uid,
            50,
            mode,
            NOON,
            OptionalLong.of(NOON + 100 * SECOND),
            JobFigures.of(20 * SECOND, 1, 80 * SECOND),
            Refusals.NONE,
            new TreeMap<>(
                Map.of(0, new DeviceUse(requested * GIB, peak * GIB, OptionalLong.of(0))))));
  }

  private Path file() {
    return folder.resolve("history.db");
  }

  private void write(List<SeenJob> jobs, List<SeenSample> first, List<SeenSample> second) {
    try (HistoryWriter writer = HistoryWriter.open(file())) {
      writer.write(Records.look(Records.REGION, NOON, jobs, List.of()));
      writer.write(Records.samples(NOON + 10 * SECOND, List.of(), first));
      writer.write(Records.samples(NOON + 20 * SECOND, List.of(), second));
      writer.withoutAccount(0, 100).forEach((row, id) -> writer.account(row, id == 2 ? "" : "hpc"));
    }
  }

  private List<String> usage(JobUsage.By by, long since, long until) {
    try (HistoryStore store = HistoryStore.open(file()).orElseThrow()) {
      List<String> lines = new ArrayList<>();
      for (JobUsage one :
          store.usage(JobQuery.all(), by, NOON + since * SECOND, NOON + until * SECOND)) {
        lines.add(
            "%s: %d jobs, waited %d, reserved %.1f, used %.1f"
                .formatted(
                    one.name(),
                    one.jobs(),
                    one.waitedNs() / SECOND,
                    one.reservedByteSeconds() / GIB,
                    one.usedByteSeconds() / GIB));
      }
      return lines;
    }
  }

  private void writeThree() {
    write(
        List.of(
            job(1, ALICE, "peak", 6, 5), job(2, ALICE, "peak", 2, 1), job(3, BOB, "gate", 4, 4)),
        List.of(sample(1, 6, 1), sample(3, 4, 4)),
        List.of(sample(1, 6, 3), sample(3, 4, 4)));
  }

  private static SeenSample sample(long id, long held, long inUse) {
    return new SeenSample(Records.key(id), 0, held * GIB, inUse * GIB);
  }

  /** 80 s of 6 and of 2; used 2 in the mean of two samples, and at most 1 without a sample. */
  @Test
  void sumsAreOfReservationsAndOfWhatWasUsedWhileTheyLasted() {
    writeThree();
    assertEquals(
        List.of(
            "user1000: 2 jobs, waited 40, reserved 640.0, used 240.0",
            "user1001: 1 jobs, waited 20, reserved 320.0, used 320.0"),
        usage(JobUsage.By.USER, 0, 1000));
    assertEquals(
        List.of(
            "hpc: 2 jobs, waited 40, reserved 800.0, used 480.0",
            ": 1 jobs, waited 20, reserved 160.0, used 80.0"),
        usage(JobUsage.By.ACCOUNT, 0, 1000));
  }

  @Test
  void aJobCountsWithThePartThatLiesInTheTimeAskedFor() {
    writeThree();
    assertEquals(
        List.of(
            "user1000: 2 jobs, waited 10, reserved 160.0, used 60.0",
            "user1001: 1 jobs, waited 5, reserved 80.0, used 80.0"),
        usage(JobUsage.By.USER, 50, 75));
    assertEquals(List.of(), usage(JobUsage.By.USER, 101, 200));
  }

  @Test
  void anOndemandJobReservesWhatItHeldAndAGrownBudgetWhatItGrewTo() {
    write(
        List.of(job(1, ALICE, "ondemand", 6, 5), job(2, BOB, "peak", 2, 5)),
        List.of(sample(1, 1, 1), sample(2, 2, 1)),
        List.of(sample(1, 3, 1), sample(2, 6, 5)));
    assertEquals(
        List.of(
            "user1001: 1 jobs, waited 20, reserved 320.0, used 240.0",
            "user1000: 1 jobs, waited 20, reserved 160.0, used 80.0"),
        usage(JobUsage.By.USER, 0, 1000));
  }

  /** While it waits it has its context in use, and does not hold memory. */
  @Test
  void samplesOfAWaitingJobDoNotCount() {
    write(
        List.of(job(1, ALICE, "peak", 6, 5)),
        List.of(new SeenSample(Records.key(1), 0, GIB, GIB, false)),
        List.of(sample(1, 7, 4)));
    assertEquals(
        List.of("user1000: 1 jobs, waited 20, reserved 560.0, used 320.0"),
        usage(JobUsage.By.USER, 0, 1000));
  }

  /** What is deleted first when the file is too large are samples; the sums stay. */
  @Test
  void sumsOutliveTheSamples() {
    writeThree();
    List<String> before = usage(JobUsage.By.USER, 0, 1000);
    try (HistoryWriter writer = HistoryWriter.open(file())) {
      assertTrue(writer.sql().update("DELETE FROM job_sample") > 0);
    }
    assertEquals(before, usage(JobUsage.By.USER, 0, 1000));
  }

  @Test
  void aJobThatIsForgottenLeavesNothing() {
    writeThree();
    try (HistoryWriter writer = HistoryWriter.open(file())) {
      writer.sql().update("DELETE FROM job");
      assertEquals(0, writer.sql().number("SELECT count(*) FROM job_account"));
      assertEquals(0, writer.sql().number("SELECT count(*) FROM job_usage"));
    }
  }

  private static SeenJob inLane(SeenJob job, LanePolicy policy, OptionalLong serviceNs) {
    LaneUse use = new LaneUse(policy, 1, 1, 1, serviceNs, 0, 0);
    return new SeenJob(job.key(), job.sequence(), Records.inLane(job.job(), use));
  }

  /** Of 100 s of the job lie 25 in the time asked for. */
  @Test
  void turnsAreSummedWhereTheyAreKnown() {
    write(
        List.of(
            inLane(job(1, ALICE, "peak", 1, 1), LanePolicy.SHARE, OptionalLong.of(60 * SECOND)),
            inLane(job(2, ALICE, "peak", 1, 1), LanePolicy.FAIR, OptionalLong.of(8 * SECOND)),
            inLane(job(3, BOB, "peak", 1, 1), LanePolicy.SHARE, OptionalLong.empty()),
            job(4, BOB, "peak", 1, 1)),
        List.of(),
        List.of());
    try (HistoryStore store = HistoryStore.open(file()).orElseThrow()) {
      List<JobUsage> all = store.usage(JobQuery.all(), JobUsage.By.USER, NOON, NOON + 100 * SECOND);
      assertEquals(
          List.of(OptionalLong.of(68 * SECOND), OptionalLong.empty()),
          all.stream().map(JobUsage::turnNs).toList());
      assertEquals(List.of(0L, 1L), all.stream().map(JobUsage::turnUnknownJobs).toList());
      JobUsage part =
          store
              .usage(JobQuery.all(), JobUsage.By.USER, NOON + 50 * SECOND, NOON + 75 * SECOND)
              .get(0);
      assertEquals(OptionalLong.of(17 * SECOND), part.turnNs());
    }
    JsonFields answer = ask(Principal.root(), Map.of("by", "user"));
    assertEquals(OptionalLong.of(68 * SECOND), answer.list("usage").get(0).optional("turnNs"));
    assertEquals(OptionalLong.empty(), answer.list("usage").get(1).optional("turnNs"));
    assertEquals(1, answer.list("usage").get(1).number("turnUnknownJobs"));
    String text = UsageText.of(answer, new Style(false));
    assertEquals(
        """
        USER                    JOBS   WAITED     RESERVED         USED USED%   TURN h
        user1000                   2      40s          0.0          0.0   100     0.02
        user1001                   2      40s          0.0          0.0   100        -
        all                        4    1m20s          0.1          0.1   100     0.02

        TURN h is without 1 lane job, of which it is not known.
        """,
        text);
    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  private JsonFields ask(Principal viewer, Map<String, Object> arguments) {
    return new JsonFields(new UsageQuestion(this::file).answer(arguments, viewer));
  }

  @Test
  void aUserSeesHisOwnSums() {
    assertEquals(List.of(), ask(Principal.root(), Map.of("by", "user")).list("usage"));
    writeThree();
    JsonFields bob = ask(new Principal(BOB, true), Map.of("by", "account"));
    assertEquals(1, bob.list("usage").size());
    assertEquals(320 * GIB, bob.list("usage").get(0).number("reservedByteSeconds"));
    assertEquals(2, ask(new Principal(BOB, false), Map.of("by", "user")).list("usage").size());
    AgentException wrong =
        assertThrows(AgentException.class, () -> ask(Principal.root(), Map.of("by", "group")));
    assertEquals("the argument by=group: must be user or account", wrong.getMessage());
  }

  @Test
  void theTextHasALineForAllTogether() {
    writeThree();
    assertEquals(
        """
        ACCOUNT                 JOBS   WAITED     RESERVED         USED USED%   TURN h
        hpc                        2      40s          0.2          0.1    60        -
        -                          1      20s          0.0          0.0    50        -
        all                        3    1m00s          0.3          0.2    58        -
        """,
        UsageText.of(ask(Principal.root(), Map.of("by", "account")), new Style(false)));
  }
}
