package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.Finding;

/** slurm.conf, gres.conf and devices.conf must have the same for a node. */
class NodeGresCheckTest {
  private static final String SHARES =
      """
      NodeName=n1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl
      NodeName=n1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl
      NodeName=n1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia1,/dev/nvidiactl
      """;

  @TempDir private Path folder;
  private Path slurmConf;

  private Optional<Finding> check(String gres, String gresConf) throws IOException {
    Files.writeString(folder.resolve("gres.conf"), gresConf);
    String line = gres.isEmpty() ? "NodeName=n1\n" : "NodeName=n1 Gres=" + gres + "\n";
    slurmConf =
        Files.writeString(
            folder.resolve("slurm.conf"),
            "ClusterName=c\nSlurmctldHost=h\nGresTypes=gpu,shard\n" + line);
    return NodeGresCheck.check(slurmConf, "n1");
  }

  private void assertDiffers(String text, String gres, String gresConf) throws IOException {
    Finding finding = check(gres, gresConf).orElseThrow();
    assertFalse(finding.ok(), finding::text);
    assertTrue(finding.text().endsWith(text), finding::text);
  }

  @Test
  void theSameInBothIsWell() throws IOException {
    assertTrue(check("gpu:a100:3", SHARES).orElseThrow().ok());
    assertTrue(check("gpu:3", SHARES).orElseThrow().ok());
    assertTrue(check("gpu:a100:3,gpumem:32G", SHARES).orElseThrow().ok());
    assertEquals(Optional.empty(), check("", "Name=gpu AutoDetect=nvml\nAutoDetect=nvml\n"));
    assertEquals(Optional.empty(), NodeGresCheck.check(slurmConf, "another"));
  }

  @Test
  void anotherCountIsWrong() throws IOException {
    assertDiffers("differ for n1: slurm.conf has gpu:8, gres.conf gpu:3", "gpu:a100:8", SHARES);
    assertDiffers("slurm.conf has gpu:0, gres.conf gpu:3", "", SHARES);
    assertDiffers("slurm.conf has gpu:2, gres.conf gpu:0", "gpu:2", "");
    assertDiffers(
        "slurm.conf has shard:20, gres.conf shard:30",
        "gpu:1,shard:20",
        "Name=gpu File=/dev/nvidia0\nName=shard Count=30 File=/dev/nvidia0\n");
    assertDiffers("slurm.conf has gpu:a100:0, gres.conf gpu:a100:3", "gpu:h100:3", SHARES);
  }

  @Test
  void aGresConfThatIsNotThereIsWrong() throws IOException {
    check("gpu:2", "");
    Files.delete(folder.resolve("gres.conf"));
    assertTrue(NodeGresCheck.check(slurmConf, "n1").orElseThrow().text().contains("there is no"));
  }

  @Test
  void virtualGpusNeedDevicesConf() throws IOException {
    check("gpu:a100:3", SHARES);
    Path missing = folder.resolve("etc/devices.conf");
    Finding finding = NodeGresCheck.withoutDevices(slurmConf, missing, "n1").orElseThrow();
    assertEquals(
        "there is no %s, and gres.conf has 3 virtual GPUs on 2 devices: jobs run without GPU memory scheduling"
            .formatted(missing),
        finding.text());
    assertTrue(finding.todo().startsWith("copy devices.conf"), finding::todo);
    Path planned = Files.writeString(folder.resolve("devices.conf"), "");
    assertEquals(
        "ln -s %s %s".formatted(planned, missing),
        NodeGresCheck.withoutDevices(slurmConf, missing, "n1").orElseThrow().todo());
    check("gpu:2", "Name=gpu File=/dev/nvidia[0-1]\n");
    assertEquals(Optional.empty(), NodeGresCheck.withoutDevices(slurmConf, missing, "n1"));
  }
}
