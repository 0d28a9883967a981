package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;

/** Turns of users for the metrics. Times are seconds; the counter begins at 10. */
class TurnCounterTest {
  private static final long SECOND = Records.SECOND;
  private static final int ALICE = 1000;
  private static final int BOB = 1001;

  @TempDir Path folder;

  private final AgentCounts counts = new AgentCounts();
  private final TurnCounter counter = new TurnCounter(counts);
  private HistoryWriter writer;

  @BeforeEach
  void open() {
    writer = HistoryWriter.open(folder.resolve("history.db"));
  }

  @AfterEach
  void close() {
    writer.close();
  }

  private static SeenJob job(long id, int uid, long begun, OptionalLong sequence, long served) {
    SeenJob plain = sequence.isPresent() ? Records.ended(id, uid) : Records.running(id, uid);
    LaneUse use = new LaneUse(LanePolicy.SHARE, 1, 1, 1, served * SECOND, 0, 0);
    return new SeenJob(
        new JobKey("slurm", id, begun * SECOND), sequence, Records.inLane(plain.job(), use));
  }

  private static SeenJob running(long id, int uid, long begun, long served) {
    return job(id, uid, begun, OptionalLong.empty(), served);
  }

  private static SeenJob ended(long id, int uid, long begun, long served) {
    return job(id, uid, begun, OptionalLong.of(id), served);
  }

  private void look(RegionKey region, long at, List<SeenJob> running, List<SeenJob> ended) {
    HistoryBatch look = Records.look(region, Records.NOON + at * SECOND, running, ended);
    writer.write(look);
    counter.add(look, writer, new Clock(look.nowNs(), at * SECOND), true);
  }

  private void look(long at, List<SeenJob> running, List<SeenJob> ended) {
    look(Records.REGION, at, running, ended);
  }

  private Map<String, Double> seconds() {
    Map<String, Double> seconds = new TreeMap<>();
    counts
        .usage()
        .forEach(
            (owner, usage) -> seconds.put(owner.user() + owner.account(), usage.turnSeconds()));
    return seconds;
  }

  @Test
  void aJobCountsFromItsBeginningToItsEnd() {
    look(10, List.of(), List.of());
    look(20, List.of(running(1, ALICE, 12, 3)), List.of());
    look(30, List.of(running(1, ALICE, 12, 7)), List.of());
    assertEquals(Map.of("user1000", 7.0), seconds());
    look(31, List.of(), List.of(ended(1, ALICE, 12, 8)));
    assertEquals(Map.of("user1000", 8.0), seconds());
  }

  @Test
  void aJobThatWasInNoSampleCounts() {
    look(10, List.of(), List.of());
    look(11, List.of(), List.of(ended(1, ALICE, 10, 1), ended(2, BOB, 10, 2)));
    assertEquals(Map.of("user1000", 1.0, "user1001", 2.0), seconds());
  }

  /** The counters of the agent begin again from 0: what was before is not counted twice. */
  @Test
  void whatWasBeforeTheAgentStartedDoesNotCount() {
    look(
        10,
        List.of(running(2, ALICE, 1, 5), running(3, BOB, 1, 5)),
        List.of(ended(1, ALICE, 1, 4)));
    assertEquals(Map.of(), seconds());
    look(20, List.of(running(3, BOB, 1, 6)), List.of(ended(2, ALICE, 1, 9)));
    assertEquals(Map.of("user1000", 4.0, "user1001", 1.0), seconds());
  }

  /** The time of a sample is read after the region: the end may tell a little less. */
  @Test
  void aCounterNeverGoesBack() {
    look(10, List.of(), List.of());
    look(20, List.of(running(1, ALICE, 12, 7)), List.of());
    look(30, List.of(running(1, ALICE, 12, 6)), List.of());
    look(31, List.of(running(1, ALICE, 12, 8)), List.of());
    assertEquals(Map.of("user1000", 8.0), seconds());
  }

  @Test
  void aNewFileDoesNotCountEndedJobsAgain() {
    look(10, List.of(), List.of());
    look(11, List.of(), List.of(ended(1, ALICE, 10, 4)));
    look(12, List.of(), List.of(ended(1, ALICE, 10, 4), ended(2, ALICE, 10, 1)));
    assertEquals(Map.of("user1000", 5.0), seconds());
  }

  @Test
  void aNewRegionCountsItsEndedJobs() {
    look(10, List.of(), List.of());
    look(11, List.of(), List.of(ended(5, ALICE, 10, 4)));
    look(
        Records.NEXT_REGION,
        12,
        List.of(),
        List.of(ended(4, ALICE, 11, 1), ended(6, ALICE, 11, 1)));
    assertEquals(Map.of("user1000", 6.0), seconds());
  }

  @Test
  void theAccountOfAnEndedJobIsKnown() {
    look(10, List.of(), List.of());
    look(20, List.of(running(1, ALICE, 12, 0)), List.of());
    writer.withoutAccount(0, 10).keySet().forEach(row -> writer.account(row, "/hpc"));
    look(31, List.of(), List.of(ended(1, ALICE, 12, 8)));
    assertEquals(Map.of("user1000/hpc", 8.0), seconds());
  }

  @Test
  void whatIsNotWantedIsNotCounted() {
    look(10, List.of(), List.of());
    look(20, List.of(running(1, ALICE, 12, 3)), List.of());
    HistoryBatch unwanted =
        Records.look(Records.REGION, Records.NOON, List.of(running(1, ALICE, 12, 30)), List.of());
    counter.add(unwanted, writer, new Clock(0, 25 * SECOND), false);
    look(30, List.of(running(1, ALICE, 12, 33)), List.of());
    look(40, List.of(running(1, ALICE, 12, 34)), List.of());
    assertEquals(Map.of("user1000", 4.0), seconds());
  }
}
