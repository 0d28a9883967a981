package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/**
 * Heterogeneous jobs: each component has its own options, and only a step whose options do not
 * apply is told so. Slurm's backfill scheduler starts such a job only on as many nodes as it has
 * components.
 */
final class HetJobTest extends ClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String IGNORING = "ignoring the step's --schedgpu-* options: those of job ";

  @Override
  ClusterSetup setup() {
    return ClusterSetup.twoDevices().otherNodes(1).slurmConf("PrologFlags=Alloc");
  }

  /** A direct srun of two components with these options. */
  private CommandResult srun(String first, String second) {
    List<String> command = new ArrayList<>(List.of("srun", "--label", "-n1", "--gres=gpu:1"));
    command.add(first);
    command.addAll(cluster.gpuUserWords("info"));
    command.addAll(List.of(":", "-n1", "--gres=gpu:1", second));
    command.addAll(cluster.gpuUserWords("info"));
    return cluster.slurm().commands().within(LIMIT).run(command).orThrow();
  }

  /** What the tasks of a step with labels saw: {@code 0:300 1:400}. */
  private static String budgets(String output) {
    return String.join(
        " ",
        output
            .lines()
            .filter(line -> line.contains("totalMiB"))
            .map(line -> line.charAt(0) + ":" + line.replaceAll(".*totalMiB\":(\\d+).*", "$1"))
            .sorted()
            .toList());
  }

  /** The output of a job of two components with 310 MiB and 410 MiB; the second has two GPUs. */
  private String batch(String more, String step) throws IOException {
    Path script =
        Files.writeString(
            cluster.barrier("script"),
            String.join(
                "\n",
                "#!/bin/sh",
                "#SBATCH -n1 --gres=gpu:1 --schedgpu-mem=310M " + more,
                "#SBATCH hetjob",
                "#SBATCH -n1 --gres=gpu:2 --schedgpu-mem=410M",
                step,
                ""));
    long job = cluster.slurm().sbatch(script.toString());
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    return cluster.output(job);
  }

  private String batch(String step) throws IOException {
    return batch("", step);
  }

  private String info(String options) {
    return options + " " + cluster.gpuUser("info");
  }

  @Test
  void eachComponentOfAnSrunHasItsOwnOptions() {
    CommandResult both = srun("--schedgpu-mem=300M", "--schedgpu-mem=400M");
    CommandResult first = srun("--schedgpu-mem=300M", "--schedgpu=on");
    CommandResult second = srun("--schedgpu=off", "--schedgpu-mem=400M");

    assertEquals("0:300 1:400", budgets(both.stdout()));
    assertEquals("0:300 1:1200", budgets(first.stdout()));
    assertEquals("0:1200 1:400", budgets(second.stdout()));
    assertFalse((both.stderr() + first.stderr() + second.stderr()).contains(IGNORING));
  }

  @Test
  void eachComponentOfAScriptHasItsOwnOptionsInItsSteps() throws IOException {
    String both = batch("srun --label --het-group=0,1 " + info(""));
    String second = batch("srun --label --het-group=1 " + info(""));

    assertEquals("0:310 1:410", budgets(both));
    assertEquals("0:410", budgets(second));
    assertFalse((both + second).contains("ignoring"), both + second);
  }

  @Test
  void optionsOfTheCommandLineAreThoseOfAllComponents() throws IOException {
    Path script =
        Files.writeString(
            cluster.barrier("script"),
            "#!/bin/sh\n#SBATCH -n1 --gres=gpu:1\n#SBATCH hetjob\n"
                + "#SBATCH -n1 --gres=gpu:1 --schedgpu-mem=410M\n"
                + "srun --label --het-group=0,1 "
                + info(""));
    long job = cluster.slurm().sbatch("--schedgpu-mem=320M", script.toString());

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertEquals("0:320 1:320", budgets(cluster.output(job)));
  }

  @Test
  void optionsOfTheFirstComponentAreNotThoseOfTheSecond() throws IOException {
    Path script =
        Files.writeString(
            cluster.barrier("script"),
            "#!/bin/sh\n#SBATCH -n1 --gres=gpu:1 --schedgpu-mem=310M\n#SBATCH hetjob\n"
                + "#SBATCH -n1 --gres=gpu:1\nsrun --label --het-group=0,1 "
                + info(""));
    long job = cluster.slurm().sbatch(script.toString());

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertEquals("0:310 1:1200", budgets(cluster.output(job)));
  }

  @Test
  void aLaneOfTheFirstComponentIsNotThatOfTheSecond() throws IOException {
    assertEquals(
        "0:410", budgets(batch("--schedgpu-lane", "srun --label --het-group=1 " + info(""))));
  }

  @Test
  void onlyAStepWithOtherOptionsIsToldSo() throws IOException {
    String same =
        batch(
            "srun --label --het-group=0 %s : --het-group=1 %s"
                .formatted(info("--schedgpu-mem=310M"), info("--schedgpu-mem=410M")));
    String reversed =
        batch(
            "srun --label --het-group=1 %s : --het-group=0 %s"
                .formatted(info("--schedgpu-mem=410M"), info("--schedgpu-mem=310M")));
    String other =
        batch(
            "srun --label --het-group=0 %s : --het-group=1 %s"
                .formatted(info("--schedgpu-mem=310M"), info("--schedgpu-mem=200M")));

    assertFalse((same + reversed).contains("ignoring"), same + reversed);
    assertEquals("0:310 1:410", budgets(other));
    assertEquals(1, other.lines().filter(line -> line.contains(IGNORING)).count(), other);
    assertTrue(other.lines().anyMatch(line -> line.matches("1: .*ignoring.*")), other);
  }

  @Test
  void tasksDoNotSeeWhatTheStepWasGiven() throws IOException {
    String output =
        batch("srun --het-group=0,1 --schedgpu-mem=200M sh -c 'env | grep COMPONENT; true'");

    assertFalse(output.contains("COMPONENT"), output);
  }
}
