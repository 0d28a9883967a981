package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.SlurmConfig;

/** Gres= in the lines of nodes, and the lines that become several. */
class NodeGresTest {
  private static final String NEW = "gpu:t4:12";

  @TempDir Path folder;

  private SiteChange change(String text, String... nodes) throws IOException {
    Path conf = Files.writeString(folder.resolve("slurm.conf"), "GresTypes=gpu\n" + text);
    List<NodeChange> changes =
        Stream.of(nodes).map(n -> new NodeChange(n, "gpu:2", NEW, true)).toList();
    return SiteChange.of(
        SlurmConfig.read(conf), changes, SlurmConfSettings.defaults(), SiteRequest.none());
  }

  private String changed(String text, String... nodes) throws IOException {
    List<SiteFile> files = change(text, nodes).files();
    assertEquals(1, files.size());
    String all = new String(files.get(0).after(), StandardCharsets.UTF_8);
    return all.substring("GresTypes=gpu\n".length());
  }

  @Test
  void listsOfASplitLineAreSplitAlike() throws IOException {
    assertEquals(
"""
NodeName=a[1,3] NodeHostname=h[11,13] NodeAddr=10.0.0.[1,3] Port=[7001,7003] Gres=gpu:t4:12 # x
NodeName=a[2,4] NodeHostname=h[12,14] NodeAddr=10.0.0.[2,4] Port=[7002,7004] Gres=gpu:2 # x
""",
        changed(
            "NodeName=a[1-4] NodeHostname=h[11-14] NodeAddr=10.0.0.[1-4] Port=7001-7004 Gres=gpu:2"
                + " # x\n",
            "a1",
            "a3"));
  }

  @Test
  void oneValueForAllNodesStaysAsItIsWritten() throws IOException {
    assertEquals(
        "NodeName=a1 NodeAddr=my-host Port=7001 Gres=gpu:t4:12\n"
            + "NodeName=a2 NodeAddr=my-host Port=7001 Gres=gpu:2\n",
        changed("NodeName=a[1-2] NodeAddr=my-host Port=7001 Gres=gpu:2\n", "a1"));
  }

  @Test
  void portsOfADefaultLineAreKeptByTheSplitLines() throws IOException {
    assertEquals(
        "NodeName=DEFAULT Port=[7001-7002]\n"
            + "NodeName=a1 NodeAddr=h Port=7001 Gres=gpu:t4:12\n"
            + "NodeName=a2 NodeAddr=h Port=7002\n",
        changed("NodeName=DEFAULT Port=[7001-7002]\nNodeName=a[1-2] NodeAddr=h\n", "a1"));
  }

  @Test
  void nodesBesideThePlannedKeepTheDefaultOfTheirLine() throws IOException {
    assertEquals(
        "NodeName=DEFAULT Gres=gpu:2\nNodeName=a1 Gres=gpu:t4:12\nNodeName=a2\n",
        changed("NodeName=DEFAULT Gres=gpu:2\nNodeName=a[1-2]\n", "a1"));
  }

  @Test
  void whatADefaultLineGivesAlreadyIsLeftToIt() throws IOException {
    assertEquals(
        List.of(), change("NodeName=DEFAULT Gres=gpu:t4:12\nNodeName=a[1-2]\n", "a1").files());
  }

  @Test
  void continuedLineAndLineWithoutEndAreSplit() throws IOException {
    assertEquals(
        "NodeName=a1 \\\n  CPUs=2 Gres=gpu:t4:12 # y\nNodeName=a2 \\\n  CPUs=2 Gres=gpu:2 # y",
        changed("NodeName=a[1-2] \\\n  CPUs=2 Gres=gpu:2 # y", "a1"));
  }

  @Test
  void lineFeedsStayThoseOfTheFile() throws IOException {
    assertEquals(
        "NodeName=a1 CPUs=2 Gres=gpu:t4:12\r\nNodeName=a2 CPUs=2\r\n# end\r\n",
        changed("NodeName=a[1-2] CPUs=2\r\n# end\r\n", "a1"));
  }

  @Test
  void broadcastAddressesOfASplitLineAreRefused() {
    assertEquals(
        "schedgpu gres: %s line 2, nodes of the line get different Gres=, and it has a list in BcastAddr=: give them lines of their own"
            .formatted(folder.resolve("slurm.conf")),
        assertThrows(GresException.class, () -> change("NodeName=a[1-2] BcastAddr=b[1-2]\n", "a1"))
            .getMessage());
  }
}
