package org.schedgpu.simulator.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.simulator.problem.SimulatorException;

/** What is submitted; a script stands for sbatch. */
class JobArrayTest {
  @TempDir Path folder;

  private JobArray array(String sbatch) throws IOException {
    Path program = folder.resolve("sbatch");
    Files.writeString(program, "#!/bin/sh\n" + sbatch + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return new JobArray(
        folder.resolve("sweep"),
        List.of("/opt/my tools/schedgpu", "simulate", "--sacct=it's.txt", "--slurm", "sweep"),
        List.of("--partition=cpu"),
        program.toString());
  }

  @Test
  void theTasksAreAnArrayAndTheMergerComesBehindThem() throws IOException {
    String said =
        array(
                "echo \"$@\" >>%1$s/said; echo \"sbatch: a note\"; echo \"$(wc -l <%1$s/said)7;mini\""
                    .formatted(folder))
            .submit(List.of(2, 5), 2);
    assertEquals("job 17 plays 2 configurations, job 27 merges them", said);
    String sweep = folder.resolve("sweep").toString();
    String common =
        "--parsable --requeue --job-name=schedgpu-simulate --open-mode=append --partition=cpu ";
    assertEquals(
        List.of(
            common + "--array=2,5 --output=" + sweep + "/task-%a.log " + sweep + "/task.sh",
            common
                + "--dependency=afterany:17 --output="
                + sweep
                + "/merge.log "
                + sweep
                + "/merge-2.sh"),
        Files.readAllLines(folder.resolve("said")));
    String command =
        "#!/bin/sh\nexec '/opt/my tools/schedgpu' simulate '--sacct=it'\\''s.txt' --slurm sweep ";
    assertEquals(
        command + "--slurm-task=\"$SLURM_ARRAY_TASK_ID\"\n",
        Files.readString(folder.resolve("sweep/task.sh")));
    assertEquals(
        command + "--slurm-merge=2\n", Files.readString(folder.resolve("sweep/merge-2.sh")));
  }

  @Test
  void whatSlurmSaysIsTold() throws IOException {
    String message =
        assertThrows(
                SimulatorException.class,
                () -> array("echo 'error: no partition' >&2; exit 1").submit(List.of(1), 1))
            .getMessage();
    assertEquals(
        "schedgpu: simulate: sbatch: error: no partition: try --sbatch, or play here without"
            + " --slurm",
        message);
    JobArray without =
        new JobArray(folder.resolve("sweep"), List.of("schedgpu"), List.of(), "/no/sbatch");
    assertTrue(
        assertThrows(SimulatorException.class, () -> without.submit(List.of(1), 1))
            .getMessage()
            .contains("call it where jobs are submitted"));
  }
}
