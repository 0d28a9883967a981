package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.SlurmCommands;

/** All processes of a job, however started, are one job in the region with one budget. */
final class JobProcessesTest extends ClusterTest {
  private static final List<String> BUDGET = List.of("--gres=gpu:1", "--schedgpu-mem=300M");

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  private SlurmCommands root() {
    return cluster.slurm().commands();
  }

  private static long overBudgetLines(String text) {
    return text.lines()
        .filter(line -> line.contains("asked for 0.2 GiB on device 0"))
        .filter(line -> line.contains("0.2 of its 0.3 GiB budget are in use"))
        .count();
  }

  @Test
  void tasksShareTheBudget() {
    List<String> options = new ArrayList<>(BUDGET);
    options.add("--ntasks=2");
    Path up = cluster.barrier("up");

    String taskZero = cluster.gpuUser("alloc", 200, "touch", up, "until", up + ".done");
    String taskOne = cluster.gpuUser("until", up, "try", 200, "touch", up + ".done");
    CommandResult result =
        root()
            .run(
                words(
                    "srun",
                    options,
                    "sh",
                    "-c",
                    "if [ $SLURM_PROCID = 0 ]; then " + taskZero + "; else " + taskOne + "; fi"));

    assertEquals(List.of(2), Seen.numbers(result.orThrow().stdout(), "tried"));
    assertEquals(1, overBudgetLines(result.stderr()), result.stderr());
  }

  @Test
  void scriptAndStepsShareTheBudgetAndTheRecord() {
    Path up = cluster.barrier("up");
    Path done = cluster.barrier("done");
    long job =
        cluster.sbatch(
            root(),
            BUDGET,
            cluster.gpuUser("alloc", 200, "touch", up, "until", done)
                + " & srun --overlap "
                + cluster.gpuUser("until", up, "try", 200, "touch", up + ".tried", "until", done)
                + "; wait");
    cluster.await(Path.of(up + ".tried"));

    assertEquals(1, cluster.status().get("jobs").size());
    assertEquals(2, cluster.statusOf(job).get("processes").size());
    assertEquals(200L << 20, cluster.statusOf(job).at("/devices/0/inUseBytes").asLong());

    cluster.open(done);
    cluster.end(job);
    assertEquals(List.of(2), Seen.numbers(cluster.output(job), "tried"));
    assertEquals(1, overBudgetLines(cluster.output(job)), cluster.output(job));
  }

  @Test
  void stepsOneAfterTheOtherHaveTheWholeBudgetEach() {
    String step = "srun " + cluster.gpuUser("alloc", 250) + " && ";
    long job = cluster.sbatch(root(), BUDGET, step + step + "echo both");
    cluster.end(job);

    // srun of 24.11 prints this when it had to wait for its step.
    assertEquals("both\n", cluster.output(job).replaceAll("(?m)^srun: .*\n", ""));
  }

  @Test
  void sallocAndItsStepsAreOneJob() {
    Path up = cluster.barrier("up");
    Path done = cluster.barrier("done");
    String first = "srun --overlap " + cluster.gpuUser("alloc", 200, "touch", up, "until", done);
    String second =
        "srun --overlap " + cluster.gpuUser("until", up, "try", 200, "info", "touch", done);

    CommandResult result =
        root().run(words("salloc", BUDGET, "sh", "-c", first + " & " + second + "; wait"));

    assertEquals(List.of(2), Seen.numbers(result.orThrow().stdout(), "tried"));
    assertEquals(List.of(300), Seen.numbers(result.stdout(), "totalMiB"));
  }

  @Test
  void insideTheBudgetTheProgramSeesTheBudgetAsItsDevice() {
    CommandResult result = cluster.srun(BUDGET, "info", "alloc", 100, "info");

    assertEquals(List.of(300, 300), Seen.numbers(result.orThrow().stdout(), "totalMiB"));
    assertEquals(List.of(300, 200), Seen.numbers(result.stdout(), "freeMiB"));
  }

  @Test
  void thePreloadOfTheUserIsKeptBehindOurs() {
    CommandResult result =
        cluster.srun(root().with(Map.of("LD_PRELOAD", "libm.so.6")), BUDGET, "show", "info");

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals(
        cluster.installation().preloadLibrary() + ":libm.so.6", seen.variable("LD_PRELOAD"));
    assertEquals(List.of(300), Seen.numbers(result.stdout(), "totalMiB"));
  }

  @Test
  void nestedStepsHaveThePreloadOnce() {
    long job = cluster.sbatch(root(), BUDGET, "srun --overlap " + cluster.gpuUser("show"));
    cluster.end(job);

    assertEquals(
        cluster.installation().preloadLibrary().toString(),
        Seen.in(cluster.output(job)).variable("LD_PRELOAD"));
  }

  @Test
  void aStepCannotChangeTheBudgetOfItsJob() {
    long job =
        cluster.sbatch(
            root(), BUDGET, "srun --overlap --schedgpu-mem=900M " + cluster.gpuUser("info"));
    cluster.end(job);

    assertTrue(
        cluster
            .output(job)
            .contains(
                "ignoring the step's --schedgpu-* options: those of job " + job + " are in force"),
        cluster.output(job));
    assertEquals(List.of(300), Seen.numbers(cluster.output(job), "totalMiB"));
  }

  @Test
  void aJobWithoutABudgetReservesAsItAllocates() {
    Path held = cluster.barrier("held");
    long job =
        cluster.sbatch(
            List.of("--gres=gpu:1"), "alloc", 100, "touch", held, "until", cluster.barrier("x"));
    cluster.await(held);

    assertEquals("ondemand", cluster.statusOf(job).get("mode").asText());
    assertEquals(100L << 20, cluster.statusOf(job).at("/devices/0/reservedBytes").asLong());
    assertFalse(cluster.output(job).contains("warning"), cluster.output(job));
  }

  @Test
  void nothingIsPrintedWhenThereIsNothingToSay() {
    CommandResult result = cluster.srun(BUDGET, "alloc", 100);

    assertTrue(result.ok());
    assertEquals("", result.stdout());
    assertFalse(result.stderr().contains("schedgpu"), result.stderr());
  }

  private static List<String> words(String command, List<String> options, String... more) {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(options);
    words.addAll(List.of(more));
    return words;
  }
}
