package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.agent.suggest.DeviceSizes;
import org.schedgpu.agent.suggest.KeptMemory;
import org.schedgpu.agent.suggest.PastJobs;
import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/** The file: written data can be read, once, by permitted users. */
class HistoryStoreTest {
  private static final int ALICE = 1000;
  private static final int BOB = 1001;
  private static final long NOON = Records.NOON;

  @TempDir Path folder;

  private Path file;

  @BeforeEach
  void file() {
    file = folder.resolve("var/history.db");
  }

  private void write(HistoryBatch... looks) {
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      for (HistoryBatch look : looks) {
        writer.write(look);
      }
    }
  }

  private List<JobRecord> read(JobQuery query) {
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      return store.jobs(query);
    }
  }

  private List<Long> ids(JobQuery query) {
    return read(query).stream().map(JobRecord::id).toList();
  }

  @Test
  void aNewFileIsRootsAlone() throws IOException {
    assertEquals(Optional.empty(), HistoryStore.open(file));
    write();
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
    assertEquals(List.of(), read(JobQuery.all()));
  }

  /** Any read exceeds a limit of no time at all. */
  @Test
  void whatTakesTooLongFails() {
    List<SeenJob> jobs = new ArrayList<>();
    for (int id = 1; id <= 1000; id++) {
      jobs.add(Records.ended(id, ALICE));
    }
    write(Records.look(Records.REGION, NOON, List.of(), jobs));
    try (HistoryStore store = HistoryStore.open(file).orElseThrow().limit(0)) {
      HistoryException told =
          assertThrows(HistoryException.class, () -> store.jobs(JobQuery.all().named("nobody's")));
      assertTrue(told.getMessage().endsWith("takes too long: ask for a shorter time, or as root"));
    }
    assertEquals(1000, read(JobQuery.all()).size());
  }

  /** What is learned has room for a limited number of jobs. */
  @Test
  void manyJobsOfOneUserHideNoneOfOthers() {
    List<SeenJob> jobs = new ArrayList<>();
    jobs.add(inLane(1, BOB));
    jobs.add(inLane(2, BOB));
    for (int id = 3; id <= 20_002; id++) {
      jobs.add(inLane(id, ALICE));
    }
    write(Records.look(Records.REGION, NOON, List.of(), jobs));
    assertEquals(List.of(20_002L, 2L, 20_001L, 1L, 20_000L), ids(inTurns(5)));
    assertEquals(List.of(20_002L, 20_001L), ids(inTurns(2).ofUser(ALICE)));
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      DeviceSizes sizes = new DeviceSizes(Map.of(), Map.of());
      assertEquals(
          Set.of(ALICE, BOB),
          PastJobs.learn(store, OptionalInt.empty(), Optional.empty(), sizes).inOrder().stream()
              .map(Suggestion::uid)
              .collect(Collectors.toSet()));
      assertEquals(7, KeptMemory.of(store, OptionalInt.empty()).bytes(BOB, "train"));
    }
  }

  private static SeenJob inLane(int id, int uid) {
    SeenJob job = Records.ended(id, uid);
    LaneUse use = new LaneUse(LanePolicy.SHARE, 1, 1, 1, OptionalLong.empty(), 0, 7);
    return new SeenJob(job.key(), job.sequence(), Records.inLane(job.job(), use));
  }

  private static JobQuery inTurns(int most) {
    return JobQuery.all().inTurnsOfUsers().limit(most);
  }

  @Test
  void aJobThatRunsIsThereAndItsEndIsAddedToIt() {
    write(Records.look(Records.REGION, NOON, List.of(Records.running(7, ALICE)), List.of()));
    JobRecord before = read(JobQuery.all()).get(0);
    assertEquals(State.RUNNING, before.state());
    assertEquals(OptionalLong.empty(), before.endedNs());
    assertEquals(
        Map.of(0, new DeviceUse(6 * Records.GIB, 0, OptionalLong.of(0))), before.devices());

    write(Records.look(Records.REGION, NOON, List.of(), List.of(Records.ended(7, ALICE))));
    List<JobRecord> after = read(JobQuery.all());
    assertEquals(1, after.size());
    JobRecord job = after.get(0);
    assertEquals(before.row(), job.row());
    assertEquals("slurm:7", job.reference());
    assertEquals(State.ENDED, job.state());
    assertEquals("train", job.name());
    assertEquals("user1000", job.user());
    assertEquals(12 * Records.SECOND, job.waitedNs());
    assertEquals(2, job.waits());
    assertEquals(30 * Records.SECOND, job.heldNs());
    assertEquals(Refusals.NONE, before.refusals());
    assertEquals(new Refusals(4, Records.GIB), job.refusals());
    assertEquals(OptionalLong.of(7 * Records.SECOND), job.lastedNs());
    assertEquals(
        Map.of(0, new DeviceUse(6 * Records.GIB, 3 * Records.GIB, OptionalLong.of(0))),
        job.devices());
  }

  @Test
  void theSameJobTwiceIsOneJob() {
    HistoryBatch look =
        Records.look(Records.REGION, NOON, List.of(), List.of(Records.ended(7, ALICE)));
    write(look, look);
    assertEquals(List.of(7L), ids(JobQuery.all()));
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      assertEquals(7, writer.lastSequence(Records.REGION));
      assertEquals(0, writer.lastSequence(Records.NEXT_REGION));
    }
  }

  @Test
  void theSameNumberLaterIsAnotherJob() {
    SeenJob first = Records.ended(7, ALICE);
    SeenJob again =
        new SeenJob(
            new HistoryBatch.JobKey("slurm", 7, 99_999),
            OptionalLong.of(8),
            Records.ended(7, BOB).job());
    write(
        Records.look(Records.REGION, NOON, List.of(), List.of(first)),
        Records.look(Records.REGION, NOON, List.of(), List.of(again)));
    assertEquals(List.of(7L, 7L), ids(JobQuery.all().job("slurm", 7)));
  }

  @Test
  void jobsOfTheRegionBeforeAreLostWhenTheyWereSeenLast() {
    write(Records.look(Records.REGION, NOON + 40, List.of(Records.running(7, ALICE)), List.of()));
    write(Records.look(Records.NEXT_REGION, NOON + 90, List.of(), List.of()));
    JobRecord job = read(JobQuery.all()).get(0);
    assertEquals(State.LOST, job.state());
    assertEquals(OptionalLong.of(NOON + 40), job.endedNs());
  }

  @Test
  void aRegionElsewhereOnTheHostLosesNothing() {
    write(Records.look(Records.REGION, NOON, List.of(Records.running(7, ALICE)), List.of()));
    write(
        Records.look(
            new HistoryBatch.RegionKey("boot-1", "/run/other", 9), NOON, List.of(), List.of()));
    assertEquals(State.RUNNING, read(JobQuery.all()).get(0).state());
  }

  @Test
  void queriesNarrow() {
    List<SeenJob> ended = new ArrayList<>();
    for (long id = 1; id <= 6; id++) {
      ended.add(Records.ended(id, id % 2 == 0 ? ALICE : BOB));
    }
    write(
        Records.look(Records.REGION, NOON, List.of(), ended),
        Records.look(Records.REGION, NOON, List.of(Records.running(9, ALICE)), List.of()));
    assertEquals(List.of(9L, 6L, 5L, 4L, 3L, 2L, 1L), ids(JobQuery.all()));
    assertEquals(List.of(9L, 6L, 4L, 2L), ids(JobQuery.all().ofUser(ALICE)));
    assertEquals(List.of(9L, 6L, 4L, 2L), ids(JobQuery.all().ofUser("user1000")));
    assertEquals(List.of(5L, 3L, 1L), ids(JobQuery.all().ofUser("1001")));
    assertEquals(List.of(6L, 4L, 2L), ids(JobQuery.all().ofUser(ALICE).ended()));
    assertEquals(List.of(9L, 6L, 5L), ids(JobQuery.all().since(NOON + 5 * Records.SECOND)));
    assertEquals(List.of(), ids(JobQuery.all().until(NOON)));
    assertEquals(List.of(3L), ids(JobQuery.all().job("slurm", 3)));
    assertEquals(List.of(), ids(JobQuery.all().job("run", 3)));
    assertEquals(List.of(), ids(JobQuery.all().named("other")));
    assertEquals(List.of(9L, 6L), ids(JobQuery.all().named("train").limit(2)));
    long row = read(JobQuery.all().limit(2)).get(1).row();
    assertEquals(List.of(5L, 4L), ids(JobQuery.all().before(row).limit(2)));
  }

  @Test
  void samplesAreReadAsTheyWere() {
    write(
        Records.look(Records.REGION, NOON, List.of(Records.running(7, ALICE)), List.of()),
        Records.samples(
            NOON + 1,
            List.of(Records.device(NOON + 1, 0, 8), Records.device(NOON + 1, 1, 4)),
            List.of(
                new SeenSample(Records.key(7), 0, 6, 2), new SeenSample(Records.key(8), 0, 1, 1))),
        Records.samples(
            NOON + 2,
            List.of(Records.device(NOON + 2, 0, 9)),
            List.of(new SeenSample(Records.key(7), 0, 6, 3))));
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      List<DeviceSample> devices = new ArrayList<>();
      store.eachDeviceSample(NOON, NOON + 2, 1, devices::add);
      assertEquals(
          List.of(Records.device(NOON + 1, 0, 8), Records.device(NOON + 1, 1, 4)), devices);
      devices.clear();
      store.eachDeviceSample(NOON, Long.MAX_VALUE, Long.MAX_VALUE, devices::add);
      assertEquals(List.of(0, 1), devices.stream().map(DeviceSample::device).toList());
      assertEquals(8, devices.get(0).reservedBytes());
      JobRecord job = store.jobs(JobQuery.all()).get(0);
      List<JobSample> jobs = new ArrayList<>();
      store.eachJobSample(job, jobs::add);
      assertEquals(
          List.of(
              new JobSample(NOON + 1, job.row(), 0, 6, 2),
              new JobSample(NOON + 2, job.row(), 0, 6, 3)),
          jobs);
    }
  }

  @Test
  void whoReadsSeesWhatIsWrittenMeanwhileAndDisturbsNobody() {
    try (HistoryWriter writer = HistoryWriter.open(file);
        HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      writer.write(
          Records.look(
              Records.REGION,
              NOON,
              List.of(),
              List.of(Records.ended(1, ALICE), Records.ended(2, ALICE))));
      List<Long> seen = new ArrayList<>();
      store.eachJob(
          JobQuery.all(),
          job -> {
            if (seen.isEmpty()) {
              writer.write(
                  Records.look(Records.REGION, NOON, List.of(), List.of(Records.ended(3, ALICE))));
            }
            seen.add(job.id());
          });
      assertEquals(List.of(2L, 1L), seen);
      assertEquals(3, store.jobs(JobQuery.all()).size());
    }
  }

  @Test
  void aReaderCannotWrite() {
    write();
    try (Sql reader = Sql.open(file, true)) {
      assertThrows(HistoryException.class, () -> reader.update("DELETE FROM job"));
    }
  }

  @Test
  void whatIsTooOldGoesStepByStep() {
    List<SeenJob> ended = new ArrayList<>();
    for (long id = 1; id <= 100; id++) {
      ended.add(Records.ended(id, ALICE));
    }
    write(Records.look(Records.REGION, NOON, List.of(), ended));
    long now = NOON + 100 * Records.SECOND;
    OptionalLong keep = OptionalLong.of(10 * Records.SECOND);
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      assertTrue(HistoryPruner.step(writer.sql(), now, keep, Long.MAX_VALUE));
      int steps = 1;
      while (HistoryPruner.step(writer.sql(), now, keep, Long.MAX_VALUE)) {
        steps++;
      }
      assertTrue(steps > 5, () -> "all at once");
      assertEquals(0, writer.sql().number("SELECT count(*) FROM job_device WHERE job <= 89"));
    }
    assertEquals(
        Set.of(90L, 91L, 92L, 93L, 94L, 95L, 96L, 97L, 98L, 99L, 100L),
        Set.copyOf(ids(JobQuery.all())));
  }

  @Test
  void aLargeFileShrinksFromItsOldEndAndRunningJobsStay() throws IOException {
    int limit = 1 << 20;
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(
          Records.look(Records.REGION, NOON, List.of(Records.running(1, ALICE)), List.of()));
      for (int second = 0; second < 400; second++) {
        long time = NOON + second * Records.SECOND;
        List<DeviceSample> devices = new ArrayList<>();
        for (int device = 0; device < 100; device++) {
          devices.add(Records.device(time, device, 1L << 40));
        }
        writer.write(Records.samples(time, devices, List.of()));
      }
      long now = NOON + 400 * Records.SECOND;
      assertTrue(HistoryPruner.usedBytes(writer.sql()) > limit);
      while (HistoryPruner.step(writer.sql(), now, OptionalLong.empty(), limit)) {
        assertTrue(writer.sql().number("SELECT count(*) FROM device_sample") > 0, "all of it went");
      }
      assertEquals(
          NOON + 399 * Records.SECOND,
          writer.sql().number("SELECT max(time_ns) FROM device_sample"));
    }
    assertTrue(Files.size(file) <= limit, () -> "the file did not shrink");
    assertEquals(List.of(1L), ids(JobQuery.all()));
  }

  /** Bob had one job, long before Alice began thousands. */
  @Test
  void whoHasTheMostJobsLosesHisOldest() {
    int limit = 1 << 20;
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(Records.look(Records.REGION, NOON, List.of(), List.of(Records.ended(1, BOB))));
      List<SeenJob> many = new ArrayList<>();
      for (int id = 2; id <= 6000; id++) {
        many.add(Records.ended(id, ALICE));
      }
      writer.write(Records.look(Records.REGION, NOON, List.of(), many));
      assertTrue(HistoryPruner.usedBytes(writer.sql()) > limit);
      long now = NOON + 6000 * Records.SECOND;
      while (HistoryPruner.step(writer.sql(), now, OptionalLong.empty(), limit)) {
        assertTrue(writer.sql().number("SELECT count(*) FROM job") > 1, "all of it went");
      }
    }
    List<Long> ids = ids(JobQuery.all());
    assertEquals(6000, ids.get(0), "of Alice the oldest went");
    assertEquals(1, ids.get(ids.size() - 1));
    assertEquals(List.of(1L), ids(JobQuery.all().ofUser(BOB)));
  }

  @Test
  void whatUsersKeepIsShared() {
    assertEquals(0, HistoryPruner.level(List.of()));
    assertEquals(0, HistoryPruner.level(List.of(1L)));
    assertEquals(95, HistoryPruner.level(List.of(100L)));
    assertEquals(94, HistoryPruner.level(List.of(100L, 1L, 99L, 20L)));
    assertEquals(18, HistoryPruner.level(List.of(20L, 20L, 18L)));
  }

  @Test
  void whatIsNotOursOrNewerIsRefusedAndLeftAlone() throws IOException {
    Files.createDirectories(file.getParent());
    try (Sql other = Sql.open(file, false)) {
      other.update("CREATE TABLE theirs (a)");
    }
    HistoryException foreign = assertThrows(HistoryException.class, () -> HistoryWriter.open(file));
    assertEquals(
        "history: " + file + ": is not of schedGPU: set HistoryFile to another file",
        foreign.getMessage());
    Files.delete(file);
    write();
    try (Sql newer = Sql.open(file, false)) {
      newer.pragma("PRAGMA user_version = 99");
    }
    for (HistoryException problem :
        List.of(
            assertThrows(HistoryException.class, () -> HistoryWriter.open(file)),
            assertThrows(HistoryException.class, () -> HistoryStore.open(file)))) {
      assertTrue(
          problem.getMessage().contains("was written by a newer schedgpu (version 99, known is 8)"),
          problem::getMessage);
      assertFalse(problem.damaged());
    }
  }

  @Test
  void anOlderFileBecomesANewerOneOrStaysAsItWas() {
    makeOfVersionOne();
    List<String> next = List.of("ALTER TABLE job ADD COLUMN cluster TEXT");
    List<String> wrong = List.of("ALTER TABLE job ADD COLUMN other TEXT", "no SQL");
    try (Sql sql = Sql.open(file, false)) {
      assertThrows(
          HistoryException.class,
          () -> HistorySchema.prepare(sql, List.of(HistorySchema.first(), next, wrong)));
      assertEquals(1, sql.number("PRAGMA user_version"));
      assertThrows(HistoryException.class, () -> sql.number("SELECT count(cluster) FROM job"));
      HistorySchema.prepare(sql, List.of(HistorySchema.first(), next));
      assertEquals(2, sql.number("PRAGMA user_version"));
      assertEquals(1, sql.number("SELECT count(*) FROM job WHERE cluster IS NULL AND id = 7"));
    }
  }

  /** With job 7, which ended. */
  private void makeOfVersionOne() {
    HistoryStore.makeFile(file);
    try (Sql sql = Sql.open(file, false)) {
      HistorySchema.prepare(sql, List.of(HistorySchema.first()));
      sql.update("INSERT INTO region VALUES (1, 'boot-1', '/run/schedgpu', 5, 1, 0, ?)", NOON);
      sql.update(
          "INSERT INTO job VALUES (1, 1, 1007, 'slurm', 7, 1, 'ended', 'train', ?, 'user1000', 50,"
              + " 'peak', ?, ?, 0, 0, 0)",
          ALICE,
          NOON,
          NOON + 1);
    }
  }

  /** Before an agent has converted it, a reader gets nothing. */
  @Test
  void aFileOfVersionOneIsTakenOverWithItsJobs() {
    makeOfVersionOne();
    assertEquals(Optional.empty(), HistoryStore.open(file));
    write(Records.look(Records.REGION, NOON, List.of(), List.of(Records.ended(8, ALICE))));
    List<JobRecord> jobs = read(JobQuery.all());
    assertEquals(List.of(8L, 7L), jobs.stream().map(JobRecord::id).toList());
    assertEquals(
        List.of(new Refusals(4, Records.GIB), Refusals.NONE),
        jobs.stream().map(JobRecord::refusals).toList());
  }

  /** The same number may have another lane, or none, in its next run. The share is of the run. */
  @Test
  void howAJobUsedItsLaneIsKept() {
    LaneUse running = new LaneUse(LanePolicy.FAIR, 4, 1, 0, 2, 3, 0);
    LaneUse ended =
        new LaneUse(
            LanePolicy.FAIR, 4, 12, 11, 7 * Records.SECOND, 8 * Records.SECOND, Records.GIB);
    SeenJob job = Records.ended(8, ALICE);
    SeenJob before = Records.running(8, ALICE);
    write(
        Records.look(
            Records.REGION, NOON, List.of(inLane(before, running)), List.of(Records.ended(9, 1))));
    assertEquals(
        List.of(Optional.empty(), Optional.of(running)),
        read(JobQuery.all()).stream().map(JobRecord::lane).toList());
    write(Records.look(Records.REGION, NOON, List.of(), List.of(inLane(job, withoutShare(ended)))));
    assertEquals(
        List.of(Optional.empty(), Optional.of(ended)),
        read(JobQuery.all()).stream().map(JobRecord::lane).toList());
    assertEquals(
        List.of(Optional.of(ended)),
        read(JobQuery.all().ofUser(ALICE).ended()).stream().map(JobRecord::lane).toList());
    assertEquals(
        List.of(8L), read(JobQuery.all().inLanes().ended()).stream().map(JobRecord::id).toList());
  }

  /** It is not known how many there were, so one is taken off, as before. */
  @Test
  void thePeakOfAnOldRecordHasContexts() {
    HistoryStore.makeFile(file);
    try (Sql sql = Sql.open(file, false)) {
      HistorySchema.prepare(sql, HistorySchema.steps().subList(0, 6));
      sql.update("INSERT INTO region VALUES (1, 'boot-1', '/run/schedgpu', 5, 1, 0, ?)", NOON);
      addOfVersionFive(sql, 1, "fair", "ended");
      sql.update("INSERT INTO job_device VALUES (1, 0, 8, 6)");
    }
    write(Records.samples(NOON, List.of(), List.of()));
    DeviceUse old = read(JobQuery.all()).get(0).devices().get(0);
    assertEquals(new DeviceUse(8, 6, OptionalLong.empty()), old);
    assertEquals(4, old.usedBytes(2));
    assertEquals(6, new DeviceUse(8, 6, OptionalLong.of(4)).usedBytes(2));
  }

  /**
   * In version 5 the service of a job with a share had what it caught up with, and that of a lost
   * job lacked its last turn. Other jobs, which ended, have theirs.
   */
  @Test
  void serviceThatWasNotExactIsNotKnown() {
    HistoryStore.makeFile(file);
    try (Sql sql = Sql.open(file, false)) {
      HistorySchema.prepare(sql, HistorySchema.steps().subList(0, 5));
      sql.update("INSERT INTO region VALUES (1, 'boot-1', '/run/schedgpu', 5, 1, 0, ?)", NOON);
      addOfVersionFive(sql, 1, "share", "ended");
      addOfVersionFive(sql, 2, "fair", "lost");
      addOfVersionFive(sql, 3, "fair", "ended");
      addOfVersionFive(sql, 4, "share", "running");
      sql.update("INSERT INTO device VALUES (1, 0, 'GPU-0', 'GPU', 16)");
      sql.update("INSERT INTO device_sample VALUES (?, 1, 8, 4, NULL, NULL, 1, 2)", NOON);
    }
    write(Records.samples(NOON, List.of(), List.of()));
    assertEquals(
        List.of(
            Optional.of(new LaneUse(LanePolicy.SHARE, 3, 1, 2, OptionalLong.empty(), 4, 5)),
            Optional.of(new LaneUse(LanePolicy.FAIR, 3, 1, 2, 7, 4, 5)),
            Optional.of(new LaneUse(LanePolicy.FAIR, 3, 1, 2, OptionalLong.empty(), 4, 5)),
            Optional.of(new LaneUse(LanePolicy.SHARE, 3, 1, 2, OptionalLong.empty(), 4, 5))),
        read(JobQuery.all()).stream().map(JobRecord::lane).toList());
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      store.eachDeviceSample(
          0,
          Long.MAX_VALUE,
          1,
          sample -> {
            assertEquals(2, sample.waiting());
            assertEquals(OptionalInt.empty(), sample.lanes());
            assertEquals(OptionalInt.empty(), sample.waitingTurns());
          });
    }
    LaneUse more = new LaneUse(LanePolicy.SHARE, 3, 9, 2, 70, 4, 5);
    write(
        Records.look(
            Records.REGION, NOON, List.of(inLane(Records.running(4, ALICE), more)), List.of()));
    LaneUse after = read(JobQuery.all()).get(0).lane().orElseThrow();
    assertEquals(9, after.turns());
    assertEquals(OptionalLong.empty(), after.serviceNs(), "the region has the same fault");
  }

  private static void addOfVersionFive(Sql sql, long id, String policy, String state) {
    sql.update(
        "INSERT INTO job VALUES (?, 1, ?, 'slurm', ?, NULL, ?, 'train', ?, 'user1000', 50,"
            + " 'peak', ?, ?, 0, 0, 0, 0, 0)",
        id,
        Records.key(id).begunNs(),
        id,
        state,
        ALICE,
        NOON,
        state.equals("running") ? Sql.NULL : NOON + 1);
    sql.update("INSERT INTO job_lane VALUES (?, ?, 1, 2, 7, 4, 5, 3)", id, policy);
  }

  @Test
  void samplesHaveLanesAndWaitsForTurns() {
    DeviceSample plain = Records.device(NOON + 1, 0, 8);
    DeviceSample sample =
        new DeviceSample(
            NOON + 1,
            0,
            plain.uuid(),
            plain.name(),
            plain.totalBytes(),
            8,
            4,
            OptionalLong.empty(),
            plain.utilisationPercent(),
            1,
            2,
            OptionalInt.of(3),
            OptionalInt.of(5));
    write(Records.samples(NOON + 1, List.of(sample), List.of()));
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      List<DeviceSample> read = new ArrayList<>();
      store.eachDeviceSample(0, Long.MAX_VALUE, 1, read::add);
      assertEquals(List.of(sample), read);
    }
    assertEquals(3, HistoryJson.of(sample).get("lanes"));
    assertEquals(5, HistoryJson.of(sample).get("waitingTurns"));
  }

  /** The record of an ended job has no share. */
  private static LaneUse withoutShare(LaneUse use) {
    return new LaneUse(
        use.policy(),
        0,
        use.turns(),
        use.switches(),
        use.serviceNs(),
        use.waitedNs(),
        use.keptBytes());
  }

  private static SeenJob inLane(SeenJob job, LaneUse use) {
    return new SeenJob(job.key(), job.sequence(), Records.inLane(job.job(), use));
  }

  @Test
  void damageIsKnownAsSuch() throws IOException {
    write();
    byte[] garbage = new byte[8192];
    java.util.Arrays.fill(garbage, (byte) 'x');
    Files.write(file, garbage);
    HistoryException problem = assertThrows(HistoryException.class, () -> HistoryWriter.open(file));
    assertTrue(problem.damaged(), problem::getMessage);
    assertEquals("history: " + file + ": it is damaged", problem.getMessage());
  }
}
