package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.RegionSnapshot.Job;

/** The real library, with a new region for each test. The timeout only ends tests that hang. */
@Timeout(600)
class SchedGpuTest {
  static final long GIB = 1L << 30;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final List<Process> children = new ArrayList<>();
  private Path runDir;

  @BeforeEach
  void region() {
    RealLibrary.require();
    runDir = folder.resolve("run");
    SchedGpu.setup(runDir, setup(device(0), device(1)));
  }

  @AfterEach
  void endChildren() throws InterruptedException {
    for (Process child : children) {
      child.destroyForcibly().waitFor();
    }
    if (runDir != null) {
      SchedGpu.remove(runDir, true);
    }
  }

  private Process started(Process child) {
    children.add(child);
    return child;
  }

  private static DeviceSpec device(int index) {
    return new DeviceSpec(index, 16 * GIB, GIB, GIB / 4, "GPU-" + index, "Emulated GPU");
  }

  private static Setup setup(DeviceSpec... devices) {
    return new Setup(Policy.FIFO, 64, DeadlockRule.AVOID, Setup.EVERYONE, 5, 0, List.of(devices));
  }

  static JobSpec job(long id, long budgetBytes) {
    return new JobSpec(
        JobKind.SLURM,
        id,
        Posix.effectiveUid(),
        50,
        Mode.PEAK,
        1,
        false,
        JobSpec.FOREVER,
        new TreeMap<>(Map.of(0, budgetBytes)),
        "train");
  }

  @Test
  void aNewRegionIsAsItWasSetUp() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      RegionSnapshot snapshot = region.snapshot();
      assertEquals(List.of(), snapshot.damage());
      assertEquals(Optional.of(Policy.FIFO), snapshot.policy());
      assertEquals(64, snapshot.overtakeLimit());
      assertEquals(Optional.of(DeadlockRule.AVOID), snapshot.deadlockRule());
      assertEquals(5, snapshot.graceNs());
      assertEquals(
          List.of(
              new RegionSnapshot.Device(0, "GPU-0", "Emulated GPU", 16 * GIB, GIB, GIB / 4, 0, 0),
              new RegionSnapshot.Device(1, "GPU-1", "Emulated GPU", 16 * GIB, GIB, GIB / 4, 0, 0)),
          snapshot.devices());
      assertEquals(Optional.empty(), region.check());
    }
  }

  @Test
  void setUpTwiceAddsDevicesAndKeepsJobs() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, GIB));
      SchedGpu.setup(runDir, setup(device(0), device(1), device(2)));
      assertEquals(3, region.snapshot().devices().size());
      assertEquals(1, region.snapshot().jobs().size());
    }
  }

  @Test
  void whoAsksForLittleGetsTheJobsThatEndedAfterwards() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      for (int id = 1; id <= 3; id++) {
        region.jobBegin(job(id, GIB));
        region.jobEnd(JobKind.SLURM, id);
      }
      assertEquals(
          List.of(2L, 3L), region.snapshotAfter(1).ended().stream().map(EndedJob::id).toList());
      assertEquals(List.of(), region.snapshotAfter(3).ended());
      assertEquals(3, region.snapshotAfter(9).ended().size());
      assertEquals(List.of(), region.liveSnapshot().ended());
    }
  }

  @Test
  void aPictureThatWasClosedHasWhatWasAskedOfIt() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, GIB));
      region.jobBegin(job(2, GIB));
      region.jobEnd(JobKind.SLURM, 2);
      RegionSnapshot asked;
      RegionSnapshot late;
      try (RegionCopy picture = region.picture()) {
        asked = picture.snapshot();
        assertEquals(1, asked.ended().size());
      }
      try (RegionCopy picture = region.picture()) {
        late = picture.snapshot();
        try (Forecast forecast = picture.forecast()) {
          assertFalse(forecast.waits(1));
          assertEquals(0, forecast.left().length);
        }
      }
      assertEquals(2, asked.ended().get(0).id());
      assertEquals(1, late.jobs().get(0).id());
      assertThrows(IllegalStateException.class, () -> late.ended().size());
    }
  }

  @Test
  void aJobThatEndedIsRemembered() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      long before = RegionSnapshot.nowNs();
      region.jobBegin(job(1, GIB));
      region.jobBegin(job(2, 2 * GIB));
      assertEquals(List.of(), region.snapshot().ended());
      region.jobEnd(JobKind.SLURM, 2);
      region.jobEnd(JobKind.SLURM, 1);
      List<EndedJob> ended = region.snapshot().ended();
      assertEquals(List.of(1L, 2L), ended.stream().map(EndedJob::sequence).toList());
      assertEquals(List.of(2L, 1L), ended.stream().map(EndedJob::id).toList());
      EndedJob first = ended.get(0);
      assertEquals("train", first.name());
      assertEquals(Posix.effectiveUid(), first.uid());
      assertEquals(Map.of(0, 2 * GIB), first.budgetBytes());
      assertTrue(before <= first.begunNs() && first.begunNs() <= first.endedNs());
      assertTrue(first.endedNs() <= ended.get(1).endedNs());
    }
  }

  @Test
  void outsideMemoryIsSetAndSeen() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, GIB));
      assertTrue(region.setOverrun(JobKind.SLURM, 1, 1, 3 * GIB));
      assertFalse(region.setOverrun(JobKind.SLURM, 2, 1, 3 * GIB));
      region.setForeign(1, 14 * GIB);
      RegionSnapshot snapshot = region.snapshot();
      assertEquals(14 * GIB, snapshot.devices().get(1).foreignBytes());
      assertEquals(17 * GIB, snapshot.devices().get(1).usedBytes());
      assertEquals(Map.of(1, 3 * GIB), snapshot.jobs().get(0).overrunBytes());
      assertEquals(List.of(), snapshot.damage());
      assertEquals(Optional.empty(), region.check());
      assertEquals(List.of(), region.info().overcommitted());
      SchedGpuException problem =
          assertThrows(SchedGpuException.class, () -> region.setForeign(2, GIB));
      assertEquals(ErrorCode.EDEVICE, problem.code());
    }
  }

  @Test
  void aJobIsFoundAsItWasBegun() {
    JobSpec job =
        new JobSpec(
            JobKind.RUN,
            4711,
            1234,
            90,
            Mode.ONDEMAND,
            3,
            true,
            77_000_000_000L,
            new TreeMap<>(Map.of(0, 3 * GIB, 1, 0L)),
            "a job");
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job);
      assertEquals(Optional.of(job), region.jobFind(JobKind.RUN, 4711));
      assertEquals(Optional.empty(), region.jobFind(JobKind.SLURM, 4711));
      Job seen = region.snapshot().jobs().get(0);
      assertEquals(job.budgetBytes(), seen.budgetBytes());
      assertEquals("run:4711", seen.reference());
      assertEquals(Mode.ONDEMAND, seen.mode());
      assertEquals(3, seen.processes());
      assertTrue(seen.owned());
      assertTrue(seen.begunNs() <= RegionSnapshot.nowNs());
    }
  }

  @Test
  void aJobWhoseOverflowWaitsIsFoundAsItWasBegun() {
    JobSpec job =
        new JobSpec(
            JobKind.SLURM,
            4712,
            1234,
            50,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(Map.of(0, GIB)),
            "a job",
            true);
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job);
      assertEquals(Optional.of(job), region.jobFind(JobKind.SLURM, 4712));
    }
  }

  @Test
  void aJobEndsOnce() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, GIB));
      assertTrue(region.jobEnd(JobKind.SLURM, 1));
      assertFalse(region.jobEnd(JobKind.SLURM, 1));
      assertEquals(List.of(), region.snapshot().jobs());
    }
  }

  @Test
  void aBudgetThatNeverFitsIsRefused() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      SchedGpuException problem =
          assertThrows(SchedGpuException.class, () -> region.jobBegin(job(1, 15 * GIB)));
      assertEquals(ErrorCode.ETOOBIG, problem.code());
      assertTrue(problem.getMessage().startsWith("cannot begin job slurm:1: "));
    }
  }

  @Test
  void thePolicyChangesWhileJobsRun() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, GIB));
      region.setPolicy(Policy.PRIORITY_MMU);
      assertEquals(Optional.of(Policy.PRIORITY_MMU), region.snapshot().policy());
      assertEquals(1, region.snapshot().jobs().size());
    }
  }

  @Test
  void withoutARegionTheCodeSaysSo() {
    Path nowhere = folder.resolve("nowhere");
    SchedGpuException problem = assertThrows(SchedGpuException.class, () -> SchedGpu.open(nowhere));
    assertEquals(ErrorCode.ENOREGION, problem.code());
  }

  @Test
  void aFailedSystemCallIsNamed() throws IOException {
    Path trap = Files.createDirectory(folder.resolve("trap"));
    Files.createSymbolicLink(trap.resolve("region"), runDir.resolve("region"));
    SchedGpuException problem = assertThrows(SchedGpuException.class, () -> SchedGpu.open(trap));
    assertEquals(ErrorCode.ESYSTEM, problem.code());
    assertTrue(
        problem.getMessage().endsWith("(Too many levels of symbolic links)"), problem::getMessage);
  }

  @Test
  void theKernelSaysWhoMayUseTheRegion() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      RegionInfo info = region.info();
      assertEquals("rwrwrw", info.modeText());
      assertEquals(Posix.effectiveUid(), info.uid());
      assertTrue(info.attached() >= 1);
      assertTrue(info.livenessRight());
      assertEquals(List.of(), info.overcommitted());
    }
  }

  @Test
  void aRegionInUseIsRemovedOnlyByForce() throws IOException {
    Process owner = started(JobMaker.startOwner(runDir, 7));
    assertEquals('r', owner.getInputStream().read());
    SchedGpuException problem =
        assertThrows(SchedGpuException.class, () -> SchedGpu.remove(runDir, false));
    assertEquals(ErrorCode.EINUSE, problem.code());
    assertTrue(SchedGpu.remove(runDir, true));
    assertFalse(SchedGpu.remove(runDir, true));
    assertThrows(SchedGpuException.class, () -> SchedGpu.open(runDir));
  }

  @Test
  void aClosedRegionIsNotUsed() {
    SchedGpu region = SchedGpu.open(runDir);
    region.close();
    region.close();
    assertThrows(IllegalStateException.class, region::snapshot);
  }

  @Test
  void severalProcessesBeginAndEndJobsAtOnce() throws IOException, InterruptedException {
    int processes = 4;
    int jobs = 50;
    List<Process> running = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      running.add(started(JobMaker.start(runDir, i * 1000L, jobs)));
    }
    for (Process process : running) {
      assertEquals(0, process.waitFor());
    }
    try (SchedGpu region = SchedGpu.open(runDir)) {
      assertEquals(processes * jobs, region.snapshot().jobs().size());
      assertEquals(Optional.empty(), region.check());
    }
  }

  @Test
  void anOwnedJobEndsWithItsKilledOwner() throws IOException, InterruptedException {
    Process owner = started(JobMaker.startOwner(runDir, 7));
    assertEquals('r', owner.getInputStream().read());
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.reap();
      assertEquals(1, region.snapshot().jobs().size());
      owner.destroyForcibly().waitFor();
      assertEquals(1, region.reap().jobs());
      assertEquals(List.of(), region.snapshot().jobs());
    }
  }

  /** The lock word of a live process: slot + 1, with the generation above (region.h, lock.c). */
  @Test
  void whoSitsOnTheLockIsNamed() throws IOException {
    Process owner = started(JobMaker.startOwner(runDir, 7));
    assertEquals('r', owner.getInputStream().read());
    try (SchedGpu region = SchedGpu.open(runDir);
        RealSegment segment = new RealSegment(region.info().shmid())) {
      int slot = region.snapshot().clients().get(0).record();
      region.setTimeoutNs(50_000_000);
      RegionLayout layout = RegionLayout.ofLibrary();
      int generation =
          segment.getInt(layout.at("client.offset") + (long) layout.at("client.stride") * slot + 4);
      segment.putInt(layout.at("region.lock"), generation << 11 | (slot + 1));
      SchedGpuException problem = assertThrows(SchedGpuException.class, region::reap);
      assertEquals(ErrorCode.ELOCK, problem.code());
      assertTrue(
          problem.getMessage().startsWith("cannot reap (process " + owner.pid() + ", state "),
          problem::getMessage);
    }
  }

  /**
   * The first job holds 10 GiB of 15; the second waits for the same amount until the first is dead.
   */
  @Test
  void aWaiterIsSeenUntilItIsServed() throws IOException, InterruptedException {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, 10 * GIB));
      region.jobBegin(job(2, 10 * GIB));
      Process first = started(Reserver.start(runDir, 1, 2 * GIB));
      assertEquals('r', first.getInputStream().read());
      Process second = started(Reserver.start(runDir, 2, GIB));
      while (region.snapshot().waiters().isEmpty()) {
        Thread.sleep(5);
      }
      RegionSnapshot waiting = region.snapshot();
      assertEquals(List.of(), waiting.damage());
      long contexts = 2 * waiting.devices().get(0).contextBytes(); // both jobs are admitted
      assertEquals(10 * GIB + contexts, waiting.devices().get(0).usedBytes());
      assertEquals(Map.of(0, 10 * GIB), waiting.jobs().get(0).heldBytes());
      assertEquals(Map.of(), waiting.jobs().get(1).heldBytes());
      RegionSnapshot.Waiter waiter = waiting.waiters().get(0);
      assertEquals(RegionSnapshot.Request.PEAK, waiter.request());
      assertEquals(waiting.jobs().get(1).record(), waiter.job());
      assertEquals(1, waiter.place());
      assertTrue(waiter.sinceNs() <= RegionSnapshot.nowNs());
      RegionSnapshot.Client holder =
          waiting.clients().stream().filter(c -> c.pid() == first.pid()).findFirst().orElseThrow();
      assertEquals(2 * GIB, holder.inUseBytes().get(0));
      first.destroyForcibly().waitFor();
      region.reap();
      assertEquals('r', second.getInputStream().read());
      assertEquals(List.of(), region.snapshot().waiters());
    }
  }

  /** Before the refusal is counted, while the process lives; after that; and for the ended job. */
  @Test
  void whatAJobIsRefusedIsSeenAtOnceAndRemembered() throws IOException {
    Refusals refused = new Refusals(1, 4 * GIB);
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(1, 3 * GIB));
      Process process = started(Reserver.start(runDir, 1, 4 * GIB));
      assertEquals('e', process.getInputStream().read());
      assertEquals(refused, region.snapshot().jobs().get(0).refusals());
      assertEquals(1, region.snapshot().refusals());
      region.notePeaks();
      assertEquals(refused, region.snapshot().jobs().get(0).refusals());
      region.jobEnd(JobKind.SLURM, 1);
      assertEquals(refused, region.snapshot().ended().get(0).refusals());
      assertEquals(1, region.snapshot().refusals());
    }
  }
}
