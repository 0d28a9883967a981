package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.logging.Logger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.conf.UnscheduledAction;
import org.schedgpu.agent.history.Unscheduled;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** The job slurm:7 has devices 0 and 1. */
class UnscheduledWatchTest {
  private static final Job JOB =
      Snapshots.job(0, JobKind.SLURM, 7, 1000, Mode.PEAK, 50, Map.of(0, GIB, 1, GIB), Map.of());
  private static final RegionSnapshot RUNS = region(JOB);
  private static final RegionSnapshot OVER = region();

  @TempDir Path runDir;

  private final AgentCounts counts = new AgentCounts();
  private final Map<Job, Unscheduled> history = new HashMap<>();

  private static RegionSnapshot region(Job... jobs) {
    return Snapshots.snapshot(
        Snapshots.busy().devices(), List.of(jobs), List.of(), List.of(), List.of());
  }

  private UnscheduledWatch watch() {
    return new UnscheduledWatch(
        runDir, pid -> runDir.resolve("no such process"), counts, history::put);
  }

  private static GpuUser user(int pid, long bytes, String step) {
    return new GpuUser(pid, "train", OptionalLong.of(bytes), Optional.of(JOB), false, step);
  }

  private static GpuUse use(GpuUser... users) {
    return use(List.of(users), List.of());
  }

  private static GpuUse use(List<GpuUser> first, List<GpuUser> second) {
    return Overruns.of(
        RUNS,
        Map.of(
            0, new Overruns.Seen(Optional.of(first), OptionalLong.empty()),
            1, new Overruns.Seen(Optional.of(second), OptionalLong.empty())));
  }

  private List<UnscheduledProgram> programs() {
    return UnscheduledFiles.byJob(runDir).getOrDefault("slurm:7", List.of());
  }

  private String told(String file) throws IOException {
    return Files.readAllLines(runDir.resolve("unscheduled").resolve(file)).get(0);
  }

  @Test
  void theFileOfAStepTellsTheUserAndNamesEachProgram() throws IOException {
    watch()
        .look(
            use(user(9, 716L << 20, "0"), user(10, GIB, "batch")),
            RUNS,
            UnscheduledAction.WARN,
            false);
    assertEquals(
        "slurm:7: train (pid 9) ran unscheduled, with up to 716 MiB of device 0:"
            + " why cannot be seen by this user:"
            + " run it in mode gate with a budget: --schedgpu-mode=gate --schedgpu-mem=SIZE",
        told("slurm-7.0"));
    assertTrue(told("slurm-7.batch").startsWith("slurm:7: train (pid 10) ran unscheduled"));
    assertEquals(
        List.of("9 train, up to 716 MiB of device 0", "10 train, up to 1.0 GiB of device 0"),
        programs().stream().map(UnscheduledProgram::text).sorted(byLength()).toList());
  }

  /** Who waits for the line may end the program at once; its step then reads the file. */
  @Test
  void theFileIsThereBeforeTheLineInTheLog() {
    Logger log = Logger.getLogger(UnscheduledWatch.class.getName());
    List<Boolean> there = new ArrayList<>();
    log.setFilter(
        line -> {
          there.add(Files.exists(runDir.resolve("unscheduled/slurm-7.0")));
          return false;
        });
    try {
      watch().look(use(user(9, 1, "0")), RUNS, UnscheduledAction.WARN, false);
    } finally {
      log.setFilter(null);
    }
    assertEquals(List.of(true), there);
  }

  @Test
  void whatTheNodeDoesAboutItIsSaid() throws IOException {
    watch().look(use(user(9, 1, "0")), RUNS, UnscheduledAction.REFUSE, false);
    assertTrue(told("slurm-7.0").contains(" of device 0, and this node ends such programs: "));
    watch().look(use(user(9, 2, "0")), RUNS, UnscheduledAction.GATE, false);
    assertTrue(told("slurm-7.0").contains(", and the job was charged with its whole budget: "));
    watch().look(use(user(9, 1, "")), RUNS, UnscheduledAction.REFUSE, false);
    assertFalse(told("slurm-7").contains("ends such programs"), "not without a control group");
  }

  private static java.util.Comparator<String> byLength() {
    return java.util.Comparator.comparing(String::length);
  }

  @Test
  void theMostThatALookShowedIsKept() {
    UnscheduledWatch watch = watch();
    watch.look(use(user(9, 2 * GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    watch.look(use(user(9, GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    watch.look(use(), RUNS, UnscheduledAction.WARN, false);
    assertEquals(
        List.of(
            new UnscheduledProgram(
                9, "train", 0, false, OptionalLong.of(2 * GIB), UncaughtProgram.UNKNOWN)),
        programs());
  }

  @Test
  void theLargestIsNamedAndTheOthersAreCounted() throws IOException {
    UnscheduledWatch watch = watch();
    GpuUser both = user(9, GIB, "0");
    watch.look(use(List.of(both), List.of(both)), RUNS, UnscheduledAction.WARN, false);
    assertTrue(told("slurm-7.0").startsWith("slurm:7: train (pid 9) ran"), "it is one program");
    watch.look(use(both, user(10, 3 * GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    assertTrue(told("slurm-7.0").startsWith("slurm:7: train (pid 10) and 1 more ran unscheduled"));
  }

  @Test
  void theirNumberIsCountedByDevice() {
    UnscheduledWatch watch = watch();
    watch.look(
        use(List.of(user(9, 1, "0"), user(10, 1, "0")), List.of()),
        RUNS,
        UnscheduledAction.WARN,
        false);
    assertEquals(2, counts.unscheduled(0));
    assertEquals(0, counts.unscheduled(1));
    watch.look(use(), RUNS, UnscheduledAction.WARN, false);
    assertEquals(0, counts.unscheduled(0));
  }

  @Test
  void withTheJobItsFilesEnd() throws IOException {
    UnscheduledWatch watch = watch();
    watch.look(use(user(9, 1, "0")), RUNS, UnscheduledAction.WARN, false);
    watch.look(use(), OVER, UnscheduledAction.WARN, false);
    assertEquals(List.of(), programs());
  }

  /** It has the number of its first run, and another begin. */
  @Test
  void aRequeuedJobIsNotTheOneThatRanBefore() {
    UnscheduledWatch watch = watch();
    watch.look(use(user(9, 1, "0")), RUNS, UnscheduledAction.WARN, false);
    watch.look(
        use(), region(Snapshots.begun(JOB, JOB.begunNs() + 1)), UnscheduledAction.WARN, false);
    assertEquals(List.of(), programs());
  }

  @Test
  void anAgentGoesOnWithWhatTheOneBeforeItWrote() {
    watch().look(use(user(9, 2 * GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    UnscheduledWatch next = watch();
    next.look(use(user(9, GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    assertEquals(OptionalLong.of(2 * GIB), programs().get(0).mostBytes());
    next.look(use(), OVER, UnscheduledAction.WARN, false);
    assertEquals(List.of(), programs());
  }

  @Test
  void howManyAProgramStartsItsFileStaysSmall() {
    UnscheduledWatch watch = watch();
    for (int i = 0; i < 100; i++) {
      watch.look(
          use(user(100 + 2 * i, 1, "0"), user(101 + 2 * i, 1, "0")),
          RUNS,
          UnscheduledAction.WARN,
          false);
    }
    assertEquals(32, programs().size());
  }

  @Test
  void aUserWithoutSlurmIsToldOfTheOptionsOfRun() throws IOException {
    Job run =
        Snapshots.job(0, JobKind.RUN, 7, 1000, Mode.PEAK, 50, Map.of(0, GIB, 1, GIB), Map.of());
    GpuUser user = new GpuUser(9, "train", OptionalLong.of(1), Optional.of(run), false, "");
    RegionSnapshot region = region(run);
    GpuUse use =
        Overruns.of(
            region, Map.of(0, new Overruns.Seen(Optional.of(List.of(user)), OptionalLong.empty())));
    watch().look(use, region, UnscheduledAction.WARN, false);
    assertTrue(told("run-7").endsWith(" with a budget: schedgpu run --mode gate --mem SIZE"));
  }

  @Test
  void onlyWithTheBrokerItIsTheUsersAlone() throws IOException {
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "files of other users are needed");
    watch().look(use(user(9, 1, "0")), RUNS, UnscheduledAction.WARN, false);
    assertEquals("rw-r--r-- of 0", access());
    watch().look(use(user(9, 2, "0")), RUNS, UnscheduledAction.WARN, true);
    assertEquals("r-------- of 1000", access());
    watch().look(use(user(9, 3, "0")), OVER, UnscheduledAction.WARN, true);
    assertEquals("r-------- of 0", access(), "the job has just ended");
  }

  private String access() throws IOException {
    Path file = runDir.resolve("unscheduled/slurm-7.0");
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
        + " of "
        + Files.getAttribute(file, "unix:uid");
  }

  @Test
  void aDamagedLineIsLeftOut() throws IOException {
    watch().look(use(user(9, 1, "0")), RUNS, UnscheduledAction.WARN, false);
    Path file = runDir.resolve("unscheduled/slurm-7.0");
    Files.write(
        file, Arrays.asList(told("slurm-7.0"), "9 x", "1 2 3 4 NO x", "8 0 1 -1 STATIC a b"));
    assertEquals(List.of("8 a b, device 0"), programs().stream().map(p -> p.text()).toList());
    Files.write(file, List.of());
    assertFalse(UnscheduledFiles.byJob(runDir).containsKey("slurm:7"));
  }

  /** Of all its devices and steps together; a process on two devices is one. */
  @Test
  void theHistoryGetsWhatTheJobHadAtOnce() {
    UnscheduledWatch watch = watch();
    GpuUser first = user(9, GIB, "0");
    watch.look(
        use(List.of(first, user(10, GIB, "batch")), List.of(first)),
        RUNS,
        UnscheduledAction.WARN,
        false);
    assertEquals(Map.of(JOB, new Unscheduled(2, OptionalLong.of(3 * GIB))), history);
    watch.look(use(first), RUNS, UnscheduledAction.WARN, false);
    watch.look(use(user(11, GIB, "0")), RUNS, UnscheduledAction.WARN, false);
    assertEquals(Map.of(JOB, new Unscheduled(3, OptionalLong.of(GIB))), history);
  }
}
