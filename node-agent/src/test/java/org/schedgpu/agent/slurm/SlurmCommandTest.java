package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The shell stands in for squeue. */
class SlurmCommandTest {
  private static final long FOREVER_S = 3600;

  private static SlurmCommand.Result sh(String script, long patienceS) {
    return SlurmCommand.run(List.of("sh", "-c", script), patienceS);
  }

  /**
   * A pipe holds 64 KiB: a user whose job says more than that stopped the agent for ten seconds.
   */
  @Test
  void moreThanAPipeHoldsIsReadWhileTheCommandRuns() {
    SlurmCommand.Result result = sh("head -c 1000000 /dev/zero | tr '\\0' x", FOREVER_S);
    assertTrue(result.ok());
    assertEquals(1_000_000, result.text().length());
  }

  @Test
  void aCommandThatPrintsWithoutEndIsEnded() {
    SlurmCommand.Result result = sh("yes", FOREVER_S);
    assertFalse(result.ok());
    assertEquals("sh prints more than 8 MiB", result.text());
  }

  @Test
  void aCommandThatDoesNotAnswerIsEnded() {
    SlurmCommand.Result result = sh("echo begun; sleep 3600", 1);
    assertFalse(result.ok());
    assertEquals("sh has not answered for 1 s", result.text());
  }

  @Test
  void itsStatusAndBothStreamsCount() {
    SlurmCommand.Result result = sh("echo 'Invalid job id specified' >&2; exit 1", FOREVER_S);
    assertTrue(result.isUnknownJob());
  }
}
