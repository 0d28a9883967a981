package org.schedgpu.papers.phases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Policy;

class PhasedSimulationTest {
  private static final long MIB = 1L << 20;
  private static final long TOTAL = 100 * MIB;
  private static final int NORMAL = 50;
  private static final int HIGH = 100;

  /** A job that computes on its CPU, then holds memory for so long; times are ns. */
  private static PhasedJob job(String name, long submitNs, long cpuNs, long mib, long heldNs) {
    return job(name, submitNs, cpuNs, mib, heldNs, NORMAL);
  }

  private static PhasedJob job(
      String name, long submitNs, long cpuNs, long mib, long heldNs, int priority) {
    return new PhasedJob(
        name,
        submitNs,
        mib * MIB,
        priority,
        List.of(
            new Step.Cpu(cpuNs),
            new Step.Context(),
            new Step.Allocate(mib * MIB),
            new Step.Cpu(heldNs),
            new Step.Free(mib * MIB)));
  }

  private static PhasedOutcome unchecked(Starts starts, PhasedJob... jobs) {
    try (DeviceMemory memory = new UncheckedMemory(TOTAL, MIB, jobs.length)) {
      return PhasedSimulation.play(List.of(jobs), starts, memory);
    }
  }

  private static PhasedOutcome core(Policy policy, PhasedJob... jobs) {
    try (DeviceMemory memory = new CoreMemory(TOTAL, MIB, policy, 0, jobs.length)) {
      return PhasedSimulation.play(List.of(jobs), Starts.atOnce(jobs.length), memory);
    }
  }

  private static List<Long> ends(PhasedOutcome outcome) {
    return outcome.jobs().stream().map(PhasedOutcome.JobOutcome::endNs).toList();
  }

  private static List<Long> starts(PhasedOutcome outcome) {
    return outcome.jobs().stream().map(PhasedOutcome.JobOutcome::startNs).toList();
  }

  @Test
  void withoutSchedGpuWhatDoesNotFitDies() {
    PhasedOutcome outcome =
        unchecked(Starts.atOnce(3), job("a", 0, 10, 60, 100), job("b", 0, 20, 60, 100));
    assertEquals(List.of(110L, 20L), ends(outcome));
    assertTrue(outcome.jobs().get(1).outOfMemory());
    assertEquals(1, outcome.completed());
  }

  @Test
  void aContextCountsAsMemory() {
    PhasedOutcome outcome =
        unchecked(Starts.atOnce(2), job("a", 0, 10, 99, 100), job("b", 0, 20, 1, 100));
    assertTrue(outcome.jobs().get(1).outOfMemory());
  }

  @Test
  void theClusterStartsAJobAfterItsDelayAndTheNextAfterItsPause() {
    PhasedOutcome outcome =
        unchecked(new Starts(1, false, 5, 3), job("a", 1, 10, 1, 10), job("b", 2, 10, 1, 10));
    assertEquals(List.of(6L, 29L), starts(outcome));
    assertEquals(49, outcome.totalNs());
  }

  @Test
  void aBatchBeginsWhenAllOfTheLastOneHaveEnded() {
    PhasedOutcome outcome =
        unchecked(
            Starts.batchesOf(2),
            job("a", 0, 10, 1, 10),
            job("b", 0, 10, 1, 90),
            job("c", 0, 10, 1, 10));
    assertEquals(List.of(0L, 0L, 100L), starts(outcome));
  }

  @Test
  void withSchedGpuWhatDoesNotFitWaits() {
    PhasedOutcome outcome = core(Policy.FIFO, job("a", 0, 10, 60, 100), job("b", 0, 20, 60, 100));
    assertEquals(List.of(110L, 210L), ends(outcome));
    assertEquals(90, outcome.jobs().get(1).waitNs());
    assertEquals(2, outcome.completed());
  }

  @Test
  void fifoKeepsASmallRequestBehindALargeOneAndMmuDoesNot() {
    PhasedJob[] jobs = {
      job("a", 0, 10, 60, 100), job("large", 0, 20, 60, 100), job("small", 0, 30, 20, 10)
    };
    assertEquals(List.of(110L, 210L, 120L), ends(core(Policy.FIFO, jobs)));
    assertEquals(List.of(110L, 210L, 40L), ends(core(Policy.MMU, jobs)));
  }

  @Test
  void prioritiesReachTheCore() {
    PhasedJob[] jobs = {
      job("a", 0, 10, 60, 100), job("normal", 0, 20, 60, 100), job("high", 0, 30, 60, 100, HIGH)
    };
    assertEquals(List.of(110L, 310L, 210L), ends(core(Policy.PRIORITY_FIFO, jobs)));
  }

  @Test
  void memoryInUseIsSummedOverTime() {
    PhasedOutcome outcome = core(Policy.FIFO, job("a", 0, 10, 50, 100));
    assertEquals(51.0 * MIB * 100, outcome.memoryByteNs(), 1);
    assertEquals(List.of(new PhasedOutcome.Span(10, 110)), outcome.jobs().get(0).holds());
  }

  @Test
  void kernelsThatRunTogetherAreSlower() {
    List<PhasedJob> jobs = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      jobs.add(new PhasedJob(name, 0, MIB, NORMAL, List.of(new Step.Kernel(100))));
    }
    PhasedOutcome outcome = unchecked(Starts.atOnce(2), jobs.toArray(PhasedJob[]::new));
    assertEquals(List.of(200L, 200L), ends(outcome));
    assertEquals(100, outcome.jobs().get(0).slowedNs());
    assertEquals(200, outcome.busyNs());
  }
}
