package org.schedgpu.papers.paper004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.common.Row;

class Paper004Test {
  @Test
  void theWorkloadsAreThe45OfTableThreeAnd14ForInference() {
    assertEquals(45, Workload.ofTableThree().size());
    assertEquals(59, Workload.all().size());
    assertEquals(45, Workload.ofTableThree().stream().map(Workload::name).distinct().count());
  }

  @Test
  void valuesOfThePaperAreThoseOfItsText() {
    assertEquals(110.9, Workload.named("googlenet 25").persistentMib());
    assertEquals(822.2, Workload.named("resnet152 75").persistentMib());
    assertEquals(13.8e9 / (1 << 20), Workload.named("resnet152 75").peakMib(), 0.1);
    assertEquals(35e6 / (1 << 20), Workload.named("vae 64").peakMib(), 0.1);
  }

  @Test
  void everyWorkloadFitsOnTheDeviceAndKeepsLessThanItsPeak() {
    for (Workload workload : Workload.all()) {
      LaneJob.Memory memory = workload.memory();
      assertTrue(memory.ephemeralBytes() > 0, workload.name());
      assertTrue(
          memory.persistentBytes() + memory.ephemeralBytes() <= Workload.DEVICE_BYTES,
          workload.name());
    }
  }

  @Test
  void aSeedGivesTheSame100JobsAgainWithThePapersMeanLength() {
    Trace trace = new Trace(1.3, 50, 0.4);
    List<LaneJob> jobs = trace.jobs(3);
    assertEquals(jobs, trace.jobs(3));
    assertEquals(100, jobs.size());
    double minutes = jobs.stream().mapToDouble(job -> job.work().lengthNs() / 60e9).sum();
    assertEquals(100 * Trace.MEAN_MINUTES, minutes, 1);
  }

  @Test
  void progressiveAllocationsDeadlockWithoutLanesAndNotWith() {
    assertTrue(FigureSix.deadlocksByTurns());
    assertEquals(new FigureSix.Orders(50, 20), FigureSix.ordersWithoutLanes());
    assertEquals(1, FigureSix.inLanes().mostLanes());
    assertEquals(9_000_000_000L, FigureSix.inLanes().mostBytes());
  }

  @Test
  void shorterJobsTakeOverAsFigureNineShows() {
    for (Row row :
        new Preemption().part().tables().get(0).rows().stream().map(this::row).toList()) {
      assertEquals("same", row.difference(), row.what());
    }
  }

  private Row row(List<String> cells) {
    return new Row(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
  }

  @Test
  void threeEqualJobsHaveHalfAndThenAThirdOfOne() {
    FairSharing sharing = new FairSharing();
    double alone = sharing.imagesPerS(0, 0, 15);
    assertEquals(0.5, sharing.imagesPerS(1, 15, 30) / alone, 0.02);
    assertEquals(1.0 / 3, sharing.imagesPerS(2, 30, 45) / alone, 0.02);
  }

  @Test
  void fortyTwoModelsFitOnOneDeviceUnlessEachHasALargeContext() {
    assertEquals(42, Serving.jobs(1).size());
    assertEquals(1, Serving.devices(0));
    assertEquals(3, Serving.devices(500));
  }
}
