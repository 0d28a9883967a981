package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.slurm.SlurmQueue.Answer;

/** A script stands in for squeue. */
class SlurmQueueTest {
  @TempDir Path folder;

  private Answer ask(String script) throws IOException {
    Path squeue = Files.writeString(folder.resolve("squeue"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(squeue, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new SlurmQueue(squeue.toString()).ask(42);
  }

  @Test
  void onlyAJobThatHasEndedIsOver() throws IOException {
    assertEquals(Answer.OVER, ask("echo COMPLETED"));
    assertEquals(Answer.OVER, ask("echo CANCELLED"));
    for (String state : new String[] {"RUNNING", "COMPLETING", "PENDING", "SUSPENDED", "ODD"}) {
      assertEquals(Answer.NOT_OVER, ask("echo " + state), state);
    }
    assertEquals(Answer.NOT_OVER, ask("echo COMPLETED; echo RUNNING"));
  }

  @Test
  void aJobThatSlurmHasForgottenIsOver() throws IOException {
    assertEquals(
        Answer.OVER, ask("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"));
  }

  @Test
  void withoutAnAnswerNothingIsKnown() throws IOException {
    assertEquals(
        Answer.UNKNOWN,
        ask("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1"));
    assertEquals(Answer.UNKNOWN, ask("exit 0"));
    assertEquals(Answer.UNKNOWN, new SlurmQueue("/no/such/squeue").ask(42));
  }

  @Test
  void theJobIsAskedForByItsNumber() throws IOException {
    assertEquals(
        Answer.OVER,
        ask("case \"$*\" in *--states=all*--jobs=42) echo COMPLETED;; *) echo RUNNING;; esac"));
  }
}
