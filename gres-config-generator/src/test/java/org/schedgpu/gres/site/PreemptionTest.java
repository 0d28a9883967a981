package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that Slurm suspends keeps its device memory. */
class PreemptionTest {
  private static final String STOPS =
      " stops jobs, which keep their device memory: a job that preempts one waits for that memory,"
          + " and neither goes on; use PreemptMode=REQUEUE or CANCEL, or set WaitLimit, which sends"
          + " the waiting job back";

  @TempDir Path folder;

  private List<String> warnings(String lines) {
    return SiteFixture.warnings(new SiteFixture(folder).change(lines));
  }

  @Test
  void whereSlurmSuspendsIsNamed() {
    assertEquals(
        List.of("PreemptMode=Suspend,Gang" + STOPS), warnings("PreemptMode=Suspend,Gang\n"));
    assertEquals(
        List.of("PreemptMode=GANG, PreemptMode=SUSPEND of partition low" + STOPS),
        warnings("PreemptMode=GANG\nPartitionName=low Nodes=ALL PreemptMode=SUSPEND\n"));
  }

  @Test
  void otherModesGiveTheMemoryBack() {
    assertEquals(
        List.of(), warnings("PreemptMode=REQUEUE\nPartitionName=p Nodes=ALL PreemptMode=CANCEL\n"));
    assertEquals(List.of(), warnings("PreemptMode=OFF\n"));
  }
}
