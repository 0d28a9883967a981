package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class JobTest {
  @Test
  void jobsAreSubmittedRoundByRound() {
    assertEquals(
        List.of(
            "ara-1",
            "mummergpu-1",
            "gpu-blast-1",
            "ara-2",
            "mummergpu-2",
            "gpu-blast-2",
            "ara-3",
            "mummergpu-3",
            "gpu-blast-3",
            "ara-4",
            "mummergpu-4",
            "gpu-blast-4"),
        Job.inOrder(Fixtures.PROGRAMS).stream().map(Job::name).toList());
  }

  @Test
  void onlyScheduledRunsNameABudget() {
    Job job = new Job(Fixtures.ARA, 2);
    List<String> plain =
        List.of("--job-name=ara-2", "--gres=gpu:1", "--output=ara-2.out", "--error=ara-2.err");
    assertEquals(plain, job.options(RunKind.EXCLUSIVE));
    assertEquals(plain, job.options(RunKind.UNSAFE));
    assertEquals("--schedgpu-mem=703M", job.options(RunKind.FIFO).get(4));
    assertEquals(5, job.options(RunKind.PRIORITY_MMU).size());
  }

  @Test
  void mummerGpuHasPriorityWhereThereAreAny() {
    Job job = new Job(Fixtures.MUMMERGPU, 1);
    assertEquals(5, job.options(RunKind.MMU).size());
    assertEquals("--schedgpu-priority=high", job.options(RunKind.PRIORITY_FIFO).get(5));
  }
}
