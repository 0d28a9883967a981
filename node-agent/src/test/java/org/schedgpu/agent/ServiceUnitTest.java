package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** etc/schedgpu-agent.service. */
class ServiceUnitTest {
  private static final Path UNIT = Path.of("../etc/schedgpu-agent.service");
  private static final Path ANALYZE = Path.of("/usr/bin/systemd-analyze");

  @TempDir Path folder;

  @Test
  void everyLineIsASectionAKeyOrAComment() throws IOException {
    for (String line : Files.readAllLines(UNIT)) {
      assertTrue(line.matches("|#.*|\\[[A-Z][a-z]+]|[A-Z][A-Za-z]+=.+"), line);
    }
  }

  /**
   * Without these settings the region would disappear with the agent, or the agent would not
   * restart or end well.
   */
  @Test
  void theRegionOutlivesTheAgentAndTheAgentComesBack() throws IOException {
    List<String> lines = Files.readAllLines(UNIT);
    for (String line :
        List.of(
            "RuntimeDirectoryPreserve=yes",
            "Restart=always",
            "SystemCallErrorNumber=ENOSYS",
            "SuccessExitStatus=143",
            "Type=notify",
            "Before=slurmd.service",
            "ExecStart=@PREFIX@/bin/schedgpu agent")) {
      assertTrue(lines.contains(line), line);
    }
  }

  /** systemd only warns of an unknown key, so any output is a failure. */
  @Test
  void systemdUnderstandsAllOfIt() throws Exception {
    assumeTrue(Files.isExecutable(ANALYZE), "no systemd-analyze here: only the lines are checked");
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("schedgpu"), Path.of("/bin/true"));
    Path unit = folder.resolve("schedgpu-agent.service");
    Files.writeString(
        unit,
        Files.readString(UNIT)
            .replace("@PREFIX@", folder.toString())
            .replace("Documentation=man:schedgpu(1)\n", "")); // not installed in a test
    Process verify =
        new ProcessBuilder(ANALYZE.toString(), "verify", unit.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("0 ", verify.waitFor() + " " + said);
  }
}
