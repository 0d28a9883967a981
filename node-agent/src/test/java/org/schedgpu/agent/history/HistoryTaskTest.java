package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.AgentCounts.UsageOwner;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.SchedGpu;

/** The task on a real region, called by hand. */
class HistoryTaskTest {
  private static final long GIB = 1L << 30;
  private static final Logger LOGGER = Logger.getLogger(HistoryTask.class.getName());

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final List<String> logged = new ArrayList<>();
  private final Handler log = new ListHandler(logged);
  private final AgentCounts counts = new AgentCounts();
  private Supplier<Optional<String>> accounts = Optional::empty;
  private TestNode node;
  private Path file;
  private RegionAccess access;
  private final UnscheduledJobs unscheduled = new UnscheduledJobs();
  private HistoryTask task;
  private long nowNs = System.nanoTime();

  private static final class ListHandler extends Handler {
    private final List<String> lines;

    ListHandler(List<String> lines) {
      this.lines = lines;
    }

    @Override
    public void publish(LogRecord record) {
      lines.add(
          record.getLevel() + " " + new java.util.logging.SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    LOGGER.addHandler(log);
    LOGGER.setUseParentHandlers(false);
    node = new TestNode(folder);
    node.makeRegion();
    file = node.runDir().resolve("history.db");
    start();
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    LOGGER.removeHandler(log);
    if (task != null) {
      stop();
      node.close();
    }
  }

  private void start() {
    access = new RegionAccess(node.runDir(), TimeUnit.SECONDS.toNanos(5));
    Conf conf = node.readConf();
    task =
        new HistoryTask(
            access, new NvmlAccess(), () -> conf, counts, id -> accounts.get(), unscheduled);
  }

  private void stop() {
    task.close();
    access.close();
  }

  private long run() {
    nowNs += TimeUnit.SECONDS.toNanos(1);
    return task.run(nowNs);
  }

  private void begin(long id) {
    begin(id, Mode.PEAK);
  }

  private void begin(long id, Mode mode) {
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      region.jobBegin(
          new JobSpec(
              JobKind.SLURM,
              id,
              1000,
              50,
              mode,
              1,
              false,
              JobSpec.FOREVER,
              new TreeMap<>(Map.of(0, 4 * GIB)),
              "train",
              false));
    }
  }

  private void end(long id) {
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      assertTrue(region.jobEnd(JobKind.SLURM, id));
    }
  }

  private List<JobRecord> remembered() {
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      return store.jobs(JobQuery.all());
    }
  }

  private List<Long> ids() {
    return remembered().stream().map(JobRecord::id).toList();
  }

  @Test
  void aJobIsRememberedFromItsBeginningToItsEnd() {
    begin(7);
    run();
    assertEquals(State.RUNNING, remembered().get(0).state());
    end(7);
    run();
    JobRecord job = remembered().get(0);
    assertEquals(State.ENDED, job.state());
    assertEquals(4 * GIB, job.devices().get(0).requestedBytes());
    assertTrue(job.endedNs().orElseThrow() >= job.begunNs());
  }

  /** The region does not change by it; and it may have been seen just before the job ended. */
  @Test
  void whatRanUnscheduledIsRememberedAlsoOfAJobThatHasEnded() {
    begin(7);
    run();
    see(1);
    run();
    assertEquals(1, remembered().get(0).unscheduled().orElseThrow().processes());
    see(2);
    end(7);
    run();
    JobRecord job = remembered().get(0);
    assertEquals(State.ENDED, job.state());
    assertEquals(Optional.of(new Unscheduled(2, OptionalLong.of(2 * GIB))), job.unscheduled());
  }

  private void see(int processes) {
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      unscheduled.see(
          region.snapshot().jobs().get(0),
          new Unscheduled(processes, OptionalLong.of(processes * GIB)));
    }
  }

  @Test
  void whatEndedWhileNoAgentRanIsTakenOnceByTheNext() {
    begin(1);
    run();
    stop();
    begin(2);
    end(1);
    end(2);
    start();
    run();
    assertEquals(List.of(2L, 1L), ids());
    stop();
    start();
    run();
    assertEquals(List.of(2L, 1L), ids());
    assertTrue(remembered().stream().allMatch(job -> job.state() == State.ENDED));
  }

  @Test
  void aJobOfARegionThatWasRemovedIsLost() {
    begin(1);
    run();
    assertTrue(SchedGpu.remove(node.runDir(), true));
    run();
    node.makeRegion();
    run();
    assertEquals(State.LOST, remembered().get(0).state());
    begin(1);
    run();
    assertEquals(
        List.of(State.RUNNING, State.LOST), remembered().stream().map(JobRecord::state).toList());
  }

  @Test
  void aDamagedFileIsMovedAsideAndANewOneBegins() throws IOException {
    stop();
    Files.deleteIfExists(file);
    byte[] garbage = new byte[9000];
    java.util.Arrays.fill(garbage, (byte) 'x');
    Files.write(file, garbage);
    begin(1);
    start();
    assertEquals(0, run());
    Path aside = node.runDir().resolve("history.db.damaged");
    assertEquals(
        List.of(
            "WARNING history: %s: is damaged, and was moved to %s: a new one begins"
                .formatted(file, aside)),
        logged);
    assertEquals(9000, Files.size(aside));
    run();
    assertEquals(List.of(1L), ids());
  }

  @Test
  void damageFoundAsItWritesIsNoEndEither() throws IOException {
    begin(1);
    run();
    stop();
    byte[] bytes = Files.readAllBytes(file);
    for (int page = 1; page * 4096 < bytes.length; page++) {
      java.util.Arrays.fill(bytes, page * 4096, page * 4096 + 4096, (byte) 0x55);
    }
    Files.write(file, bytes);
    start();
    begin(2);
    run();
    run();
    assertEquals(List.of(2L, 1L), ids());
    assertTrue(Files.exists(node.runDir().resolve("history.db.damaged")));
  }

  @Test
  void whereItCannotBeWrittenItIsReportedOnceAndTriedAgain() throws IOException {
    Files.writeString(folder.resolve("no-folder"), "");
    node.configure("HistoryFile=" + folder.resolve("no-folder/history.db") + "\n");
    stop();
    start();
    begin(1);
    assertTrue(run() > TimeUnit.SECONDS.toNanos(1));
    run();
    assertEquals(1, logged.size(), logged::toString);
    assertTrue(logged.get(0).startsWith("SEVERE history: "), logged::toString);
    assertTrue(logged.get(0).endsWith("check its folder, or set HistoryFile"), logged::toString);
    end(1);
    Files.delete(folder.resolve("no-folder"));
    run();
    file = folder.resolve("no-folder/history.db");
    assertEquals(List.of(1L), ids());
    assertTrue(logged.get(1).startsWith("INFO over: history: "), logged::toString);
  }

  @Test
  void aFullDiskIsReportedOnceAndNothingIsLost() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    Assumptions.assumeTrue(
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0,
        "mounting is needed");
    try {
      stop();
      file = small.resolve("history.db");
      node.configure("HistoryFile=" + file + "\n");
      start();
      begin(1);
      run();
      Path ballast = small.resolve("ballast");
      try {
        Files.write(ballast, new byte[1 << 20]);
      } catch (IOException full) {
        assertTrue(Files.size(ballast) > 0);
      }
      for (long id = 100; id < 150; id++) {
        begin(id);
        end(id);
      }
      run();
      run();
      assertEquals(
          List.of(
              "SEVERE history: %s: the disk is full: make room, or lower HistoryMax"
                  .formatted(file)),
          logged);
      Files.delete(ballast);
      end(1);
      // all of them may need more room than the small disk has
      new ProcessBuilder("mount", "-o", "remount,size=4m", small.toString()).start().waitFor();
      run();
      assertEquals(51, ids().size());
      stop();
      task = null;
    } finally {
      new ProcessBuilder("umount", "-l", small.toString()).start().waitFor();
      node.close();
    }
  }

  @Test
  void samplesAreTakenWhenTheyAreDue() {
    begin(1);
    run();
    run();
    nowNs += TimeUnit.SECONDS.toNanos(20);
    run();
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      List<DeviceSample> samples = new ArrayList<>();
      store.eachDeviceSample(0, Long.MAX_VALUE, 1, samples::add);
      assertEquals(2, samples.size());
      assertEquals("Emulated GPU", samples.get(0).name());
    }
    assertEquals(
        new DeviceUse(4 * GIB, 0, OptionalLong.of(0)), remembered().get(0).devices().get(0));
  }

  private List<JobUsage> byAccount() {
    try (HistoryStore store = HistoryStore.open(file).orElseThrow()) {
      return store.usage(JobQuery.all(), JobUsage.By.ACCOUNT, 0, Long.MAX_VALUE);
    }
  }

  /** Slurm may answer later, also after the end of the job. */
  @Test
  void theAccountOfAJobIsWhatSlurmSays() {
    begin(1);
    run();
    assertEquals("", byAccount().get(0).name());
    end(1);
    accounts = () -> Optional.of("physics");
    run();
    assertEquals("", byAccount().get(0).name(), "it is asked again after a pause");
    nowNs += TimeUnit.SECONDS.toNanos(20);
    run();
    assertEquals("physics", byAccount().get(0).name());
  }

  @Test
  void ifSlurmDoesNotAnswerItIsNotAskedForTheOtherJobs() {
    int[] asked = {0};
    accounts =
        () -> {
          asked[0]++;
          return Optional.empty();
        };
    begin(1);
    begin(2);
    run();
    assertEquals(1, asked[0]);
  }

  @Test
  void whatUsersHaveIsCountedForMetricsOnlyIfWanted() throws Exception {
    begin(1, Mode.GATE);
    node.passGate(folder.resolve("passed"), "slurm:1");
    takeSamples();
    assertEquals(Map.of(), counts.usage());
    stop();
    node.configure("MetricsByUser=yes\n");
    accounts = () -> Optional.of("physics");
    start();
    takeSamples();
    assertEquals(
        List.of("physics"), counts.usage().keySet().stream().map(UsageOwner::account).toList());
  }

  private void takeSamples() {
    for (int i = 0; i < 3; i++) {
      nowNs += TimeUnit.SECONDS.toNanos(20);
      run();
    }
  }
}
