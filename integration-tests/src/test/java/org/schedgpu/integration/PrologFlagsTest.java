package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.SlurmRelease;

/**
 * With PrologFlags=Alloc,Contain: prolog at the allocation, and an extern step beside the others.
 * From 24.05 on with RunInJob, too: prolog and epilog are processes of the job's control group.
 */
final class PrologFlagsTest extends ClusterTest {
  private static final List<String> BUDGET = List.of("--gres=gpu:1", "--schedgpu-mem=300M");

  @Override
  ClusterSetup setup() {
    String inJob = SlurmRelease.installed().isAtLeast(24, 5) ? ",RunInJob" : "";
    return ClusterSetup.oneDevice().slurmConf("PrologFlags=Alloc,Contain" + inJob);
  }

  @Test
  void allocationIsAJobBeforeItsFirstStep() {
    String status = "%s status --json --run-dir %s".formatted(Build.command(), cluster.runDir());

    CommandResult result =
        cluster.slurm().commands().run("salloc", BUDGET.get(0), BUDGET.get(1), "sh", "-c", status);

    assertEquals(
        300L << 20,
        Json.parse(result.orThrow().stdout()).at("/jobs/0/devices/0/budgetBytes").asLong(),
        result.stdout());
  }

  @Test
  void stepsOfTheAllocationHaveItsBudget() {
    String step = "srun " + cluster.gpuUser("info", "alloc", 250);

    CommandResult result =
        cluster
            .slurm()
            .commands()
            .run("salloc", BUDGET.get(0), BUDGET.get(1), "sh", "-c", step + "; " + step);

    assertEquals(List.of(300, 300), Seen.numbers(result.orThrow().stdout(), "totalMiB"));
  }

  @Test
  void aStepCannotChangeTheBudgetOfTheAllocation() {
    String step = "srun --schedgpu-mem=900M " + cluster.gpuUser("info");

    CommandResult result =
        cluster.slurm().commands().run("salloc", BUDGET.get(0), BUDGET.get(1), "sh", "-c", step);

    assertEquals(List.of(300), Seen.numbers(result.orThrow().stdout(), "totalMiB"));
    assertTrue(
        result.stderr().contains("ignoring the step's --schedgpu-* options"), result.stderr());
  }

  @Test
  void externStepIsNoClient() {
    Path held = cluster.barrier("held");
    long job =
        cluster.sbatch(BUDGET, "alloc", 10, "touch", held, "until", cluster.barrier("never"));
    cluster.await(held);

    assertEquals(1, cluster.statusOf(job).get("processes").size());
    assertTrue(cluster.status().get("waiters").isEmpty());
  }
}
