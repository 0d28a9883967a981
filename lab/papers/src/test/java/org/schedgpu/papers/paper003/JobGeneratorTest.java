package org.schedgpu.papers.paper003;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.remote.NodeModel;
import org.schedgpu.papers.remote.QueueJob;

class JobGeneratorTest {
  private static final JobGenerator YEAR = new JobGenerator(365, 160, 75);

  @Test
  void aSeedGivesTheSameJobsAgain() {
    JobGenerator week = new JobGenerator(7, 160, 75);
    assertEquals(week.jobs(1), week.jobs(1));
    assertNotEquals(week.jobs(1), week.jobs(2));
  }

  @Test
  void thereAreAsManyJobsAsAskedFor() {
    List<QueueJob> jobs = YEAR.jobs(1);
    assertEquals(1, jobs.size() / (365 * 160.0), 0.1);
    double runS = jobs.stream().mapToDouble(job -> job.runNs() / 1e9).average().orElse(0);
    assertEquals(1, runS / JobGenerator.MEAN_RUN_S, 0.15);
    double all = jobs.stream().filter(job -> job.gpus() == 3).count();
    assertEquals(0.75, all / jobs.size(), 0.05);
  }

  @Test
  void eachJobFitsOnEmptyNodesAndTheyComeInOrder() {
    NodeModel node = NodeModel.tsubame();
    long before = 0;
    for (QueueJob job : YEAR.jobs(3)) {
      assertTrue(job.cpus() <= node.cpus() && job.memoryBytes() <= node.memoryBytes());
      assertTrue(job.gpus() >= 1 && job.gpus() <= node.gpus() && job.nodes() <= 32);
      assertTrue(job.gpuTransfers() >= 100 && job.gpuTransfers() <= 100_000);
      assertTrue(job.arriveNs() >= before && job.runNs() > 0);
      before = job.arriveNs();
    }
  }
}
