package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;

/** {@code schedgpu run} at its end, with a file as the agent writes it while the command runs. */
class RunUnscheduledTest {
  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;

  @BeforeEach
  void node() throws Exception {
    RealLibrary.require();
    node = new TestNode(folder);
    node.configure("EndHint=no\n");
    node.makeRegion();
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  /** The command writes a line into the file that `name` says, where JOB is its job. */
  private Cli run(String name) {
    String script =
        "d=%s/unscheduled; mkdir -p $d; JOB=run-${SCHEDGPU_JOB#run:}; echo \"$JOB: train\" > $d/%s"
            .formatted(node.runDir(), name);
    return Cli.run(
        "run", "--conf", node.conf().toString(), "--mem", "1G", "--", "sh", "-c", script);
  }

  @Test
  void itTellsWhatRanUnscheduled() {
    Cli cli = run("$JOB");
    assertEquals("schedgpu: run-N: train\n", cli.err().replaceAll("[0-9]+", "N"));
    assertEquals(0, cli.exitCode());
  }

  @Test
  void whatRanInOtherJobsIsNotItsOwn() {
    assertEquals(new Cli(0, "", ""), run("slurm-${JOB#run-}"));
    assertEquals(new Cli(0, "", ""), run("run-1"));
  }
}
