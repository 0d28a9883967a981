package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.process.HostProcess;

class SlurmSurroundingsTest {
  private static final int USER = 1000;

  private static Optional<HostProcess> within(String cgroup) {
    return Optional.of(new HostProcess(7, "java", USER, 1, 7, 0, List.of(cgroup), ""));
  }

  @Test
  void insideASlurmJobAUserBeginsNoOther() {
    AgentException refused =
        assertThrows(
            AgentException.class,
            () ->
                SlurmSurroundings.refuse(
                    "./train",
                    USER,
                    within("0::/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0")));
    assertEquals(
        "./train is not run: this is inside Slurm job 4711, which has a budget of its own: leave"
            + " schedgpu run out, the job's --schedgpu-mem counts",
        refused.getMessage());
  }

  @Test
  void elsewhereAndForRootItIsPossible() {
    assertDoesNotThrow(
        () -> SlurmSurroundings.refuse("true", USER, within("0::/user.slice/user-1000.slice")));
    assertDoesNotThrow(() -> SlurmSurroundings.refuse("true", USER, Optional.empty()));
    assertDoesNotThrow(
        () -> SlurmSurroundings.refuse("true", 0, within("0::/slurmstepd.scope/job_1/step_0")));
  }
}
