package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.RegionSnapshot.Job;

/** What ran unscheduled in a job stays in the history. */
class UnscheduledJobsTest {
  private static final int ALICE = 1000;
  private static final Unscheduled TWO = new Unscheduled(2, OptionalLong.of(Records.GIB));
  private static final Unscheduled UNKNOWN = new Unscheduled(1, OptionalLong.empty());

  @TempDir Path folder;

  private Path file;

  @BeforeEach
  void file() {
    file = folder.resolve("history.db");
  }

  private static HistoryBatch job7() {
    return Records.look(Records.REGION, Records.NOON, List.of(), List.of(Records.ended(7, ALICE)));
  }

  /** What the history has of job 7 after these, one after the other. */
  private Optional<Unscheduled> after(Unscheduled... seen) {
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(job7());
      for (Unscheduled one : seen) {
        writer.unscheduled(Records.REGION, Map.of(Records.key(7), one));
      }
    }
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      return store.jobs(JobQuery.all()).get(0).unscheduled();
    }
  }

  @Test
  void theLargestIsKept() {
    assertEquals(Optional.empty(), after());
    assertEquals(Optional.of(UNKNOWN), after(UNKNOWN));
    assertEquals(Optional.of(TWO), after(TWO, UNKNOWN));
    Unscheduled more = new Unscheduled(1, OptionalLong.of(3 * Records.GIB));
    Unscheduled both = new Unscheduled(2, more.largestBytes());
    assertEquals(Optional.of(both), after(more, TWO), "also by the next agent");
    assertEquals(both, TWO.and(UNKNOWN).and(more));
    assertEquals(TWO, UNKNOWN.and(TWO));
  }

  @Test
  void ofAJobThatIsNotThereNothingIsKept() {
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(job7());
      writer.unscheduled(Records.REGION, Map.of(Records.key(8), TWO));
      writer.unscheduled(Records.NEXT_REGION, Map.of(Records.key(7), TWO));
    }
    assertEquals(Optional.empty(), after());
  }

  /** Version 7 did not keep it. */
  @Test
  void aFileOfVersionSevenIsTakenOver() {
    HistoryStore.makeFile(file);
    try (Sql sql = Sql.open(file, false)) {
      HistorySchema.prepare(sql, HistorySchema.steps().subList(0, 7));
      assertEquals(7, sql.number("PRAGMA user_version"));
      sql.update("INSERT INTO region VALUES (1, 'boot-1', '/run/schedgpu', 5, 1, 0, 0)");
      sql.update(
          "INSERT INTO job VALUES (1, 1, 1007, 'slurm', 7, 1, 'ended', 'train', 1000, 'user1000',"
              + " 50, 'peak', 1, 2, 0, 0, 0, 0, 0)");
    }
    assertEquals(Optional.empty(), after());
    assertEquals(Optional.of(TWO), after(TWO));
  }

  @Test
  void programsSeeExactNumbers() {
    after(TWO);
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      JobRecord job = store.jobs(JobQuery.all()).get(0);
      Map<String, Object> json = HistoryJson.of(job);
      assertEquals(2, json.get("unscheduledProcesses"));
      assertEquals(Records.GIB, json.get("largestUnscheduledBytes"));
    }
    assertEquals(0, HistoryJson.of(Records.ended(8, ALICE).job()).get("unscheduledProcesses"));
  }

  /** While the history cannot be written, what was seen waits. */
  @Test
  void looksOfAJobAreOne() {
    Job job = Snapshots.busy().jobs().get(0);
    UnscheduledJobs jobs = new UnscheduledJobs();
    jobs.see(job, UNKNOWN);
    jobs.see(job, TWO);
    assertEquals(Map.of(JobSampler.key(job), TWO), jobs.waiting());
    jobs.written();
    assertEquals(Map.of(), jobs.waiting());
  }
}
