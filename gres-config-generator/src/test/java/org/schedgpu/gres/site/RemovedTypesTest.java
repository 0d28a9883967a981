package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs ask for types by name. */
class RemovedTypesTest {
  @TempDir Path folder;

  private List<String> warnings(String before, String after) {
    SiteFixture site = new SiteFixture(folder);
    return SiteFixture.warnings(
        site.node("g1", before, after)
            .node("g2", before, after)
            .change("NodeName=DEFAULT Gres=" + before + "\nPartitionName=p Nodes=ALL\n"));
  }

  @Test
  void aTypeThatIsGoneIsReportedWithHowToKeepIt() {
    assertEquals(
        List.of(
            "g[1-2] has no gpu:a100 any more but gpu:nvidia_a100: jobs that ask for gpu:a100 there"
                + " are refused; --type 'NAME=a100' keeps it, NAME as the facts call the device"),
        warnings("nic:2,gpu:a100:2(S:0-1)", "nic:2,gpu:nvidia_a100:24"));
  }

  @Test
  void aTypeThatStaysOrWasNoneIsNotReported() {
    assertEquals(List.of(), warnings("gpu:a100:2", "gpu:a100:12,gpu:full:1"));
    assertEquals(List.of(), warnings("gpu:2", "gpu:a100:24"));
  }
}
