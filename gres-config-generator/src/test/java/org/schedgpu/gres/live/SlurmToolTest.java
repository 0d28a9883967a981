package org.schedgpu.gres.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slurm's commands, replaced by scripts. */
class SlurmToolTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;

  private Map<String, String> scripts(String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Map.of(
        "PATH", folder.toString(),
        "SQUEUE_STATES", "PENDING",
        "SLURM_TIME_FORMAT", "relative",
        "SLURM_JOB_ID", "7",
        "LC_MESSAGES", "de_DE",
        "SLURM_JWT", "token");
  }

  @Test
  void whatChangesTheOutputIsNotPassedOn() throws IOException {
    SlurmTool tool =
        new SlurmTool(
            scripts(
                "squeue",
                "echo $SQUEUE_STATES,$SLURM_TIME_FORMAT,$SLURM_JOB_ID,$LC_MESSAGES,$LC_ALL,$SLURM_JWT"),
            LONG);

    assertEquals(",,,,C,token\n", tool.run("squeue").out());
  }

  @Test
  void whatDoesNotEndIsKilledWithItsChildren() throws IOException {
    Map<String, String> environment =
        scripts("scontrol", "echo $$ > " + folder.resolve("pid") + "\nexec /bin/sleep 1000\n");
    String pid = "";

    // On a busy host the echo may come later, so the limit is generous.
    for (int seconds = 1; seconds <= 100 && pid.isEmpty(); seconds *= 10) {
      SlurmTool tool = new SlurmTool(environment, Duration.ofSeconds(seconds));
      LiveException e = assertThrows(LiveException.class, () -> tool.run("scontrol", "show"));
      String end = "scontrol show did not end within " + seconds + " s";
      assertTrue(e.getMessage().contains(end), e.getMessage());
      Path file = folder.resolve("pid");
      pid = Files.exists(file) ? Files.readString(file).strip() : "";
    }
    ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> process.onExit().join());
  }

  @Test
  void moreOutputThanAPipeHoldsIsRead() throws IOException {
    SlurmTool tool =
        new SlurmTool(
            scripts(
                "sinfo",
                "i=0; while [ $i -lt 3000 ]; do echo " + "x".repeat(100) + "; i=$((i+1)); done"),
            LONG);

    assertEquals(3000 * 101, tool.run("sinfo").out().length());
  }

  @Test
  void aCommandThatIsNotThere() {
    SlurmTool tool = new SlurmTool(Map.of("PATH", folder.toString()), LONG);

    LiveException e = assertThrows(LiveException.class, () -> tool.run("scontrol"));

    assertEquals(
        "schedgpu gres: scontrol is not in PATH: repeat where Slurm's commands are, or ask"
            + " slurmrestd with --rest",
        e.getMessage());
  }

  @Test
  void aConfigurationThatIsNotThere() throws IOException {
    Map<String, String> environment = new java.util.HashMap<>(scripts("scontrol", "exit 0"));
    environment.put("SLURM_CONF", "/nosuch/slurm.conf");

    LiveException e =
        assertThrows(LiveException.class, () -> new SlurmTool(environment, LONG).run("scontrol"));

    assertTrue(e.getMessage().contains("SLURM_CONF is /nosuch/slurm.conf"), e.getMessage());
  }

  @Test
  void whatSlurmSaidIsReported() throws IOException {
    ScontrolController controller =
        new ScontrolController(
            scripts(
                "scontrol",
                "echo 'slurm_load_node error: Unable to contact slurm controller' >&2; exit 1"));

    LiveException e = assertThrows(LiveException.class, controller::nodes);

    assertTrue(
        e.getMessage()
            .contains(
                "scontrol says: slurm_load_node error: Unable to contact slurm controller: see"),
        e.getMessage());
  }
}
