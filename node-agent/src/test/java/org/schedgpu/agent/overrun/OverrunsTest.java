package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.overrun.Overruns.Seen;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Sizes in the tables are MiB; a context is 256 MiB. */
class OverrunsTest {
  private static final long MIB = 1L << 20;
  private static final Device DEVICE =
      new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, 256 * MIB, 0, 0);
  private static final Device OTHER =
      new Device(1, "GPU-1", "Emulated GPU", 16 * GIB, 0, 256 * MIB, 0, 0);

  private static RegionSnapshot region(List<Job> jobs, List<Client> clients, List<Waiter> waiters) {
    return Snapshots.snapshot(List.of(DEVICE, OTHER), jobs, clients, waiters, List.of());
  }

  /** A job with one client. */
  private static RegionSnapshot region(
      Mode mode, long budget, long held, int processes, long contexts, long leased, long granted) {
    Job plain =
        Snapshots.job(
            0,
            JobKind.SLURM,
            7,
            1000,
            mode,
            50,
            Map.of(0, budget * MIB),
            held == 0 ? Map.of() : Map.of(0, held * MIB));
    Client client = Snapshots.client(1, 0, 100, Map.of(0, contexts * MIB), leased * MIB, 0);
    Waiter waiter = Snapshots.waiter(1, 0, Request.ONDEMAND, 0, 1, granted * MIB, List.of(0), 0);
    return region(
        List.of(admitted(plain, processes)),
        List.of(client),
        granted == 0 ? List.of() : List.of(waiter));
  }

  /** For so many processes; 0 = not admitted. */
  private static Job admitted(Job job, int processes) {
    return new Job(
        job.record(),
        job.kind(),
        job.id(),
        job.uid(),
        job.name(),
        job.mode(),
        processes,
        processes > 0,
        job.priority(),
        job.ending(),
        job.owned(),
        job.dead(),
        job.begunNs(),
        job.waitNs(),
        job.budgetBytes(),
        job.heldBytes(),
        job.overrunBytes(),
        job.peakBytes(),
        job.figures(),
        job.refusals());
  }

  /** It holds its persistent memory, but its budget may be in use whenever it gets the turn. */
  @Test
  void aLaneJobMayUseItsBudget() {
    RegionSnapshot region = Snapshots.withLanes(); // 4711 has a budget of 9 GiB
    Job job = Snapshots.job(region, 4711).orElseThrow();
    long most = 9 * 1024 + 256;
    GpuUse use = Overruns.of(region, region, seen(user(9, most, Optional.of(job))));
    assertEquals(OptionalLong.of(0), use.of(job, 0).orElseThrow().overrunBytes());
    use = Overruns.of(region, region, seen(user(9, most + 1024, Optional.of(job))));
    assertEquals(OptionalLong.of(GIB), use.of(job, 0).orElseThrow().overrunBytes());
  }

  private static Job first(RegionSnapshot region) {
    return region.jobs().get(0);
  }

  private static GpuUser user(int pid, long mib, Optional<Job> job) {
    return Snapshots.user(pid, "program", mib * MIB, job, false);
  }

  private static Map<Integer, Seen> seen(GpuUser... users) {
    return seen(OptionalLong.empty(), users);
  }

  private static Map<Integer, Seen> seen(OptionalLong used, GpuUser... users) {
    Map<Integer, Seen> seen = new TreeMap<>();
    seen.put(0, new Seen(Optional.of(List.of(users)), used));
    seen.put(1, new Seen(Optional.of(List.of()), OptionalLong.empty()));
    return seen;
  }

  @ParameterizedTest
  @CsvSource({
    // mode, budget, held, processes admitted, contexts, leased, granted, seen, held, overrun
    "PEAK,     8192, 8192, 1,  256,    0,    0, 8448, 8448,    0", // all of the budget
    "PEAK,     8192, 8192, 1,  256, 1024,    0, 1280, 8448,    0", // the budget, not its leases
    "PEAK,     8192, 8192, 1,  256,    0,    0, 9472, 8448, 1024",
    "PEAK,     8192,    0, 1,    0,    0,    0,  256,  256,    0", // admitted: its context
    "PEAK,     8192,    0, 1,    0,    0,    0, 3328,  256, 3072", // does not hold: no budget
    "PEAK,     8192,    0, 0,    0,    0,    0, 3328,    0, 3328", // never asked
    "PEAK,     8192, 8192, 4,  256,    0,    0, 9216, 9216,    0", // contexts of all processes
    "PEAK,     8192, 8192, 1,  768,    0,    0, 8960, 8960,    0", // more than it declared
    "GATE,     4096, 4096, 1,    0,    0,    0, 4352, 4352,    0",
    "GATE,     4096, 4096, 1,    0,    0,    0, 5376, 4352, 1024", // mode gate enforces no budget
    "ONDEMAND,    0,    0, 1,  256, 1024,    0, 1280, 1280,    0",
    "ONDEMAND,    0,    0, 1,  256, 1024,    0, 2304, 1280, 1024",
    "ONDEMAND,    0,    0, 1,  256, 1024,  512, 1792, 1792,    0", // granted, not yet taken
    "ONDEMAND, 4096,    0, 1,  256, 1024,    0, 2304, 1280, 1024", // a budget is no reservation
    "ONDEMAND,    0,    0, 1,  256, 1024,    0,    0, 1280,    0" // less than it holds
  })
  void whatAJobUsesBeyondAllThatItHoldsIsItsOverrun(
      Mode mode,
      long budget,
      long budgetHeld,
      int processes,
      long contexts,
      long leased,
      long granted,
      long seen,
      long held,
      long overrun) {
    RegionSnapshot region = region(mode, budget, budgetHeld, processes, contexts, leased, granted);
    GpuUse use = Overruns.of(region, region, seen(user(9, seen, Optional.of(first(region)))));
    JobUse job = use.of(first(region), 0).orElseThrow();
    assertEquals(OptionalLong.of(seen * MIB), job.seenBytes());
    assertEquals(held * MIB, job.heldBytes());
    assertEquals(OptionalLong.of(overrun * MIB), job.overrunBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "0,       16", // MiB held, MiB tolerated
    "1000,    36",
    "8192,   179",
    "12000,  256",
    "100000, 256"
  })
  void whatTheDriverRoundsUpIsTolerated(long held, long tolerated) {
    assertEquals(tolerated, Overruns.tolerated(held * MIB) / MIB);
  }

  @Test
  void whatIsTooMuchToTolerateIsChargedAsAWhole() {
    RegionSnapshot region = region(Mode.PEAK, 1000, 0, 0, 0, 0, 0);
    Job job = first(region);
    assertEquals(
        OptionalLong.of(0),
        Overruns.of(region, region, seen(user(9, 16, Optional.of(job))))
            .of(job, 0)
            .orElseThrow()
            .overrunBytes());
    assertEquals(
        OptionalLong.of(17 * MIB),
        Overruns.of(region, region, seen(user(9, 17, Optional.of(job))))
            .of(job, 0)
            .orElseThrow()
            .overrunBytes());
  }

  @Test
  void theProcessesOfAJobAreAddedUp() {
    RegionSnapshot region = region(Mode.PEAK, 1024, 1024, 1, 256, 0, 0);
    Optional<Job> job = Optional.of(first(region));
    GpuUse use = Overruns.of(region, region, seen(user(9, 1280, job), user(10, 512, job)));
    assertEquals(OptionalLong.of(512 * MIB), use.of(job.get(), 0).orElseThrow().overrunBytes());
    assertEquals(OptionalLong.of(0), use.of(0).orElseThrow().foreignBytes());
  }

  @Test
  void whatWasHeldBeforeOrAfterTheLookIsHeld() {
    RegionSnapshot holds = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    RegionSnapshot holdsNot = region(Mode.PEAK, 8192, 0, 1, 256, 0, 0);
    Map<Integer, Seen> seen = seen(user(9, 8448, Optional.of(first(holds))));
    for (GpuUse use :
        List.of(Overruns.of(holds, holdsNot, seen), Overruns.of(holdsNot, holds, seen))) {
      assertEquals(OptionalLong.of(0), use.jobs().get(0).overrunBytes());
    }
  }

  /** Whatever it uses: within what the job holds it takes from nobody, and still nobody asked. */
  @Test
  void aProgramOfAScheduledJobThatIsNotAttachedRunsUnscheduled() {
    RegionSnapshot holds = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    Optional<Job> job = Optional.of(first(holds));
    GpuUser asks = Snapshots.user(8, "train", 1024 * MIB, job, true);
    GpuUser server = new GpuUser(7, "nvidia-cuda-mps", OptionalLong.of(1), job, false, "", true);
    GpuUser silent = Snapshots.user(9, "nvidia-cuda-mps", 1024 * MIB, job, false);
    GpuUse use = Overruns.of(holds, seen(asks, server, silent));
    assertFalse(use.jobs().get(0).overruns());
    assertEquals(List.of(silent), use.jobs().get(0).unscheduled());
    assertTrue(use.showsSomething());
    assertFalse(Overruns.of(holds, seen(asks, server)).showsSomething());
  }

  @Test
  void inModeGateNoProgramAsksAndNoneIsUnscheduled() {
    RegionSnapshot gate = region(Mode.GATE, 8192, 8192, 0, 0, 0, 0);
    GpuUser silent = user(9, 1024, Optional.of(first(gate)));
    assertEquals(List.of(), Overruns.of(gate, seen(silent)).jobs().get(0).unscheduled());
  }

  private static OptionalLong wholeBudget(RegionSnapshot region, boolean asks) {
    GpuUser user = Snapshots.user(9, "program", 100 * MIB, Optional.of(first(region)), asks);
    GpuUse use = Overruns.of(region, seen(user)).withWholeBudgets(region);
    return use.jobs().get(0).overrunBytes();
  }

  /** What the job holds anyway is charged once. */
  @Test
  void theWholeBudgetOfAJobWithAnUnscheduledProgramIsKept() {
    RegionSnapshot holdsNot = region(Mode.PEAK, 8192, 0, 0, 0, 0, 0);
    assertEquals(OptionalLong.of(8192 * MIB), wholeBudget(holdsNot, false));
    assertEquals(OptionalLong.of(0), wholeBudget(region(Mode.PEAK, 8192, 8192, 0, 0, 0, 0), false));
  }

  @Test
  void ofAJobWhoseProgramsAllAskOnlyWhatIsUsedIsCharged() {
    RegionSnapshot holdsNot = region(Mode.PEAK, 8192, 0, 0, 0, 0, 0);
    assertEquals(OptionalLong.of(100 * MIB), wholeBudget(holdsNot, true));
  }

  /** Its own charge would keep it waiting. */
  @Test
  void whileAProgramOfTheJobWaitsOnlyWhatIsUsedIsCharged() {
    RegionSnapshot busy = Snapshots.busy();
    for (long id : new long[] {99, 4711}) {
      GpuUser user = Snapshots.user(9, "program", GIB, Snapshots.job(busy, id), false);
      Job job = Snapshots.job(busy, id).orElseThrow();
      GpuUse use = Overruns.of(busy, seen(user)).withWholeBudgets(busy);
      assertEquals(
          OptionalLong.of(id == 99 ? GIB : 0), use.of(job, 0).orElseThrow().overrunBytes());
    }
  }

  /** One that is just attaching may be seen by NVML first. */
  @Test
  void whatOnlyOneOfTwoLooksShowsIsNotUnscheduled() {
    RegionSnapshot holds = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    Optional<Job> job = Optional.of(first(holds));
    GpuUse before = Overruns.of(holds, seen(user(9, 1, job), user(10, 1, job)));
    GpuUse after = Overruns.of(holds, seen(user(10, 1, job), user(11, 1, job)));
    assertEquals(List.of(user(10, 1, job)), after.confirming(before).jobs().get(0).unscheduled());
  }

  @Test
  void whileRecordsAreLostNobodyIsUnscheduled() {
    RegionSnapshot holds = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    Job lost = Snapshots.job(1, JobKind.UNKNOWN, 0, 0, Mode.PEAK, 50, Map.of(0, 1L), Map.of());
    RegionSnapshot damaged =
        Snapshots.snapshot(
            holds.devices(), List.of(first(holds), lost), holds.clients(), List.of(), List.of());
    GpuUse use = Overruns.of(damaged, seen(user(9, 1, Optional.of(first(holds)))));
    assertEquals(List.of(), use.jobs().get(0).unscheduled());
  }

  @Test
  void byOneSnapshotTooMuchMayBeShownButNotTooLittle() {
    RegionSnapshot holds = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    RegionSnapshot holdsNot = region(Mode.PEAK, 8192, 0, 1, 256, 0, 0);
    Map<Integer, Seen> seen =
        seen(Snapshots.user(9, "program", 8448 * MIB, Optional.of(first(holds)), true));
    assertFalse(Overruns.of(holds, seen).showsSomething());
    assertTrue(Overruns.of(holdsNot, seen).showsSomething());
    Map<Integer, Seen> more = seen(user(9, 16384, Optional.of(first(holds))));
    assertTrue(Overruns.of(holds, more).showsSomething());
  }

  @Test
  void aDeviceThatIsNoneOfTheJobsIsAllOverrun() {
    RegionSnapshot region = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    Map<Integer, Seen> seen = seen();
    seen.put(
        1,
        new Seen(
            Optional.of(List.of(user(9, 1024, Optional.of(first(region))))), OptionalLong.empty()));
    GpuUse use = Overruns.of(region, region, seen);
    assertEquals(
        OptionalLong.of(1024 * MIB), use.of(first(region), 1).orElseThrow().overrunBytes());
  }

  @Test
  void whatNvmlDoesNotTellIsUnknown() {
    RegionSnapshot region = region(Mode.PEAK, 8192, 0, 0, 0, 0, 0);
    Optional<Job> job = Optional.of(first(region));
    GpuUser silent = new GpuUser(9, "program", OptionalLong.empty(), job, false, "");
    GpuUse ofJob = Overruns.of(region, region, seen(user(8, 1024, job), silent));
    assertEquals(OptionalLong.empty(), ofJob.jobs().get(0).overrunBytes());
    assertEquals(OptionalLong.of(0), ofJob.of(0).orElseThrow().foreignBytes());

    GpuUser stranger = new GpuUser(9, "program", OptionalLong.empty(), Optional.empty(), false, "");
    GpuUse foreign = Overruns.of(region, region, seen(user(8, 1024, job), stranger));
    assertEquals(OptionalLong.of(1024 * MIB), foreign.jobs().get(0).overrunBytes());
    assertEquals(OptionalLong.empty(), foreign.of(0).orElseThrow().foreignBytes());

    GpuUse nothing = Overruns.of(region, region, Map.of());
    assertEquals(OptionalLong.empty(), nothing.jobs().get(0).seenBytes());
    assertEquals(OptionalLong.empty(), nothing.of(0).orElseThrow().foreignBytes());
  }

  @Test
  void processesOfNoJobAreForeignAndNamedLargestFirst() {
    RegionSnapshot region = region(Mode.PEAK, 8192, 8192, 1, 256, 0, 0);
    DeviceUse use =
        Overruns.of(
                region,
                region,
                seen(
                    user(1, 4, Optional.empty()),
                    user(2, 100, Optional.empty()),
                    user(3, 1024, Optional.of(first(region)))))
            .of(0)
            .orElseThrow();
    assertEquals(OptionalLong.of(104 * MIB), use.foreignBytes());
    assertEquals(List.of(2, 1), use.foreign().stream().map(GpuUser::pid).toList());
  }

  @Test
  void whatIsReservedForLostProcessesIsNotForeignToo() {
    Job lost =
        Snapshots.job(3, JobKind.UNKNOWN, 1, 0, Mode.PEAK, 50, Map.of(0, GIB), Map.of(0, GIB));
    RegionSnapshot region = region(List.of(lost), List.of(), List.of());
    DeviceUse use =
        Overruns.of(region, region, seen(user(1, 1536, Optional.empty()))).of(0).orElseThrow();
    assertEquals(OptionalLong.of((1536 - 1024 - 256) * MIB), use.foreignBytes());
  }

  @ParameterizedTest
  @CsvSource({"1024, 0", "1280, 0", "1281, 257"})
  void whatNoProcessExplainsIsSaidOfTheDevice(long used, long unexplained) {
    RegionSnapshot region = region(List.of(), List.of(), List.of());
    DeviceUse use =
        Overruns.of(
                region, region, seen(OptionalLong.of(used * MIB), user(1, 1024, Optional.empty())))
            .of(0)
            .orElseThrow();
    assertEquals(OptionalLong.of(unexplained * MIB), use.unexplainedBytes());
  }

  @Test
  void onlyWhatBothLooksSawIsConfirmed() {
    RegionSnapshot region = region(Mode.PEAK, 8192, 0, 0, 0, 0, 0);
    Optional<Job> job = Optional.of(first(region));
    GpuUse earlier =
        Overruns.of(region, region, seen(user(9, 1024, job), user(1, 512, Optional.empty())));
    GpuUse later =
        Overruns.of(region, region, seen(user(9, 100, job), user(1, 600, Optional.empty())));
    GpuUse confirmed = later.confirming(earlier);
    assertEquals(OptionalLong.of(100 * MIB), confirmed.jobs().get(0).overrunBytes());
    assertEquals(OptionalLong.of(512 * MIB), confirmed.of(0).orElseThrow().foreignBytes());
  }
}
