package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.PlanFixture;

/** The table of a plan on a terminal; what is piped is in {@link PlanInPlaceTest}. */
class TableWidthTest {
  private static final String RULE =
      "--rule=nodes=gpu1,per-gpu=2,keep-exclusive=1,exclusive-type=for_one_job_at_a_time";

  @TempDir Path temporary;

  private String table(int columns) throws Exception {
    PlanFixture site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:a100:2\n")
            .facts("gpu1", 0, 1);
    List<String> command = new ArrayList<>(List.of("env", "COLUMNS=" + columns));
    command.addAll(
        ChildJvm.command(
            CommandMain.class.getName(),
            "gres",
            "plan",
            "--facts=" + temporary.resolve("facts"),
            "--slurm-conf=" + site.folder.resolve("slurm.conf"),
            "--slurm-version=22.05",
            RULE));
    command.add(3, "-Dschedgpu.terminal=true");
    String output = ChildJvm.run(command);
    return output.substring(0, output.indexOf("\nin all: "));
  }

  /** Each type has a line of its own there, rather than that the types are cut. */
  @Test
  void aNarrowTerminalGetsSeveralLines() throws Exception {
    assertEquals(
        """
        0
        NODE  BEFORE      AFTER                        SHARES         ORDER   A SHARE
        gpu1  gpu:a100:2  gpu:a100:2                   1 x 2 + 1 x 1  spread  2.3 GiB
                          gpu:for_one_job_at_a_time:1""",
        table(80));
  }

  @Test
  void aWideTerminalGetsOne() throws Exception {
    assertEquals(
        """
        0
        NODE  BEFORE      AFTER                                   SHARES         ORDER   A SHARE
        gpu1  gpu:a100:2  gpu:a100:2,gpu:for_one_job_at_a_time:1  1 x 2 + 1 x 1  spread  2.3 GiB""",
        table(220));
  }
}
