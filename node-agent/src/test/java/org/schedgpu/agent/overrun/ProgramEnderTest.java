package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Real processes, which hold no memory. */
class ProgramEnderTest {
  private static final long GRACE_NS = 1000;
  private static final Job JOB =
      Snapshots.job(0, JobKind.SLURM, 7, 1000, Mode.PEAK, 50, Map.of(0, GIB), Map.of());
  private static final RegionSnapshot REGION = region(JOB);

  private static final ProgramEnder.Ends OVERRUNS = new ProgramEnder.Ends(true, false);
  private static final ProgramEnder.Ends UNSCHEDULED = new ProgramEnder.Ends(false, true);

  private final AtomicInteger counted = new AtomicInteger();
  private final ProgramEnder ender = new ProgramEnder(counted::incrementAndGet);
  private final List<Process> processes = new ArrayList<>();

  private static RegionSnapshot region(Job... jobs) {
    return Snapshots.snapshot(List.of(), List.of(jobs), List.of(), List.of(), List.of());
  }

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
    ender.forget();
  }

  private Process start(String script) throws IOException {
    Process process = new ProcessBuilder("bash", "-c", script).start();
    processes.add(process);
    assertEquals('r', process.getInputStream().read());
    return process;
  }

  private static GpuUse use(Process process, boolean asks, long overrun) {
    GpuUser user =
        Snapshots.user((int) process.pid(), "train", GIB, java.util.Optional.of(JOB), asks);
    return new GpuUse(
        List.of(
            new JobUse(
                JOB,
                0,
                OptionalLong.of(GIB),
                0,
                OptionalLong.of(overrun),
                List.of(user),
                List.of())),
        List.of());
  }

  @Test
  void whoIsSeenTwiceIsReportedToEnd() throws Exception {
    Process program = start("trap 'read; exit 9' TERM; echo r; while :; do sleep 0.01; done");
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, 0);
    assertEquals(Long.MAX_VALUE, ender.nextNs(0), "one look may be wrong");
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, 0);
    assertEquals(GRACE_NS, ender.nextNs(0));
    assertEquals(1, counted.get());
    program.getOutputStream().close(); // it was not over before
    assertEquals(9, program.waitFor());
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, GRACE_NS);
    assertEquals(Long.MAX_VALUE, ender.nextNs(0), "it is over");
  }

  @Test
  void whoDoesNotEndIsKilledAfterTheGrace() throws Exception {
    Process program = start("trap '' TERM; echo r; while :; do sleep 0.01; done");
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, 0);
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, 0);
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, GRACE_NS - 1);
    assertTrue(program.isAlive());
    ender.round(use(program, false, GIB), REGION, OVERRUNS, GRACE_NS, GRACE_NS);
    assertEquals(137, program.waitFor());
    assertEquals(1, counted.get(), "it is one program");
  }

  /** If a program asks, its context is larger than configured, which is not its fault. */
  @Test
  void whoAsksIsLeftAlone() throws IOException {
    staysAlive(use(start("echo r; sleep 600"), true, GIB), REGION);
  }

  @Test
  void whoDoesNotOverrunIsLeftAlone() throws IOException {
    staysAlive(use(start("echo r; sleep 600"), false, 0), REGION);
  }

  /** Then a process may look as if it had not asked, although only its record is lost. */
  @Test
  void whileRecordsAreLostEverybodyIsLeftAlone() throws IOException {
    Job unknown = Snapshots.job(1, JobKind.UNKNOWN, 0, 0, Mode.PEAK, 50, Map.of(0, GIB), Map.of());
    staysAlive(use(start("echo r; sleep 600"), false, GIB), region(JOB, unknown));
  }

  /** It is within what its job holds; its control group is that of its job's step. */
  @Test
  void whoRunsUnscheduledInItsJobsControlGroupIsEndedAtTheSecondLook() throws Exception {
    Process program = start("trap 'read; exit 9' TERM; echo r; while :; do sleep 0.01; done");
    GpuUse use = unscheduled(program, "0");
    ender.round(use, REGION, UNSCHEDULED, GRACE_NS, 0);
    assertEquals(Long.MAX_VALUE, ender.nextNs(0), "one look may be wrong, on two devices too");
    ender.round(use, REGION, OVERRUNS, GRACE_NS, 0);
    assertEquals(0, counted.get(), "it does not overrun, and is seen anew");
    ender.round(use, REGION, UNSCHEDULED, GRACE_NS, 0);
    ender.round(use, REGION, UNSCHEDULED, GRACE_NS, 0);
    assertEquals(1, counted.get());
    program.getOutputStream().close();
    assertEquals(9, program.waitFor());
  }

  @Test
  void whoseControlGroupIsNotThatOfItsJobIsLeftAlone() throws IOException {
    staysAlive(unscheduled(start("echo r; sleep 600"), ""), REGION, UNSCHEDULED);
  }

  @Test
  void whoRunsUnscheduledIsLeftAloneUnlessTheSiteWantsItEnded() throws IOException {
    staysAlive(unscheduled(start("echo r; sleep 600"), "0"), REGION, OVERRUNS);
  }

  private static GpuUse unscheduled(Process process, String step) {
    GpuUser user =
        new GpuUser(
            (int) process.pid(),
            "train",
            OptionalLong.of(GIB),
            java.util.Optional.of(JOB),
            false,
            step);
    List<JobUse> uses = new ArrayList<>();
    for (int device = 0; device < 2; device++) {
      uses.add(
          new JobUse(
              JOB,
              device,
              OptionalLong.of(GIB),
              GIB,
              OptionalLong.of(0),
              List.of(user),
              List.of(user)));
    }
    return new GpuUse(uses, List.of());
  }

  private void staysAlive(GpuUse use, RegionSnapshot region) {
    staysAlive(use, region, OVERRUNS);
  }

  private void staysAlive(GpuUse use, RegionSnapshot region, ProgramEnder.Ends ends) {
    for (int i = 0; i < 3; i++) {
      ender.round(use, region, ends, GRACE_NS, 0);
    }
    assertEquals(Long.MAX_VALUE, ender.nextNs(0), "nobody was told to end");
    assertTrue(processes.get(0).isAlive());
  }
}
