package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.AgentException;

/** Scripts stand in for squeue, scontrol and scancel; they note how they were called. */
class SlurmControlTest {
  private static final SlurmJob JOB =
      new SlurmJob("40_2", "RUNNING", OptionalLong.of(5), 1, "", "n[2-3]", "");

  @TempDir Path folder;

  private SlurmControl slurm;

  @BeforeEach
  void scripts() throws IOException {
    script("squeue", "");
    script("scancel", "");
    script("scontrol", "[ \"$1 $2\" != 'show hostnames' ] || printf 'n2\\nn3\\n'");
    slurm =
        new SlurmControl(
            folder.resolve("squeue").toString(), folder.resolve("scontrol").toString());
  }

  private void script(String name, String line) throws IOException {
    Path script =
        Files.writeString(
            folder.resolve(name),
            "#!/bin/sh\necho %s \"$@\" >> %s\n%s\n".formatted(name, folder.resolve("log"), line));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<String> log() throws IOException {
    return Files.readAllLines(folder.resolve("log")).stream()
        .filter(line -> !line.startsWith("squeue") && !line.contains("hostnames"))
        .toList();
  }

  /** The number of the last element of an array is that of the array: squeue prints all of it. */
  @Test
  void aJobIsFoundByItsNumberAndNamedAsCommandsNeedIt() throws IOException {
    script(
        "squeue",
        "echo '40_1|41|RUNNING|2:00|1|||N/A'; echo"
            + " '40_2|40|RUNNING|1-02:03:30|2|n1|n[2-3]|2026-11-01T10:00:00'");
    assertEquals(
        Optional.of(
            new SlurmJob(
                "40_2",
                "RUNNING",
                OptionalLong.of(1564),
                2,
                "n1",
                "n[2-3]",
                "2026-11-01T10:00:00")),
        slurm.job(40));
    assertEquals(Optional.empty(), slurm.job(42));
  }

  @Test
  void limitsAreMinutes() {
    assertEquals(OptionalLong.of(2), SlurmJob.minutes("2:00"));
    assertEquals(OptionalLong.of(62), SlurmJob.minutes("1:02:00"));
    assertEquals(OptionalLong.of(1440), SlurmJob.minutes("1-00:00:00"));
    for (String none : List.of("UNLIMITED", "INVALID", "NOT_SET", "")) {
      assertEquals(OptionalLong.empty(), SlurmJob.minutes(none), none);
    }
  }

  @Test
  void aJobThatSlurmHasForgottenIsNone() throws IOException {
    script("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    assertEquals(Optional.empty(), slurm.job(42));
    script("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller'; exit 1");
    AgentException down = assertThrows(AgentException.class, () -> slurm.job(42));
    assertEquals(
        folder.resolve("squeue") + ": slurm_load_jobs error: Unable to contact slurm controller",
        down.getMessage());
  }

  @Test
  void changesAreOfThisElementOfTheArrayOnly() throws IOException {
    slurm.limit(JOB, 7);
    slurm.requeue(JOB);
    slurm.cancel(JOB);
    assertEquals(
        List.of("scontrol update JobId=40_2 TimeLimit=7", "scontrol requeue 40_2", "scancel 40_2"),
        log());
  }

  @Test
  void oneNodeIsAddedToTheExcludedOnesAndRemoved() throws IOException {
    slurm.exclude(JOB, "n1", true);
    slurm.exclude(JOB, "n2", false);
    slurm.exclude(new SlurmJob("7", "PENDING", OptionalLong.empty(), 1, "", "", "N/A"), "n1", true);
    assertEquals(
        List.of(
            "scontrol update JobId=40_2 ExcNodeList=n2,n3,n1",
            "scontrol update JobId=40_2 ExcNodeList=n3",
            "scontrol update JobId=7 ExcNodeList=n1"),
        log());
  }

  @Test
  void aTextOfTheAdministratorStays() throws IOException {
    slurm.mark(JOB, "schedgpu: ", "one");
    script("squeue", "echo 'schedgpu: one'");
    slurm.mark(JOB, "schedgpu: ", "two");
    script("squeue", "case $2 in *=admin*) echo 'ticket 12';; esac");
    slurm.mark(JOB, "schedgpu: ", "three");
    assertEquals(
        List.of(
            "scontrol update JobId=40_2 AdminComment=schedgpu: one",
            "scontrol update JobId=40_2 AdminComment=schedgpu: two"),
        log());
  }

  @Test
  void whatSlurmRefusesIsAnError() throws IOException {
    script("scontrol", "echo 'Requested operation is presently disabled for job 7'; exit 1");
    AgentException refused = assertThrows(AgentException.class, () -> slurm.requeue(JOB));
    assertEquals(
        folder.resolve("scontrol") + ": Requested operation is presently disabled for job 7",
        refused.getMessage());
  }

  @Test
  void theAccountOfAJobIsWhatSqueueSays() throws IOException {
    SlurmAccounts accounts = new SlurmAccounts(folder.resolve("squeue").toString());
    script("squeue", "echo physics");
    assertEquals(Optional.of("physics"), accounts.apply(7));
    script("squeue", "echo '(null)'");
    assertEquals(Optional.of(""), accounts.apply(7));
    script("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    assertEquals(Optional.of(""), accounts.apply(7));
    script("squeue", "exit 1");
    assertEquals(Optional.empty(), accounts.apply(7));
  }
}
