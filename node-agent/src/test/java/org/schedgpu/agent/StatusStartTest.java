package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code schedgpu status} where no agent answers, and the version, started as the script starts
 * them.
 */
class StatusStartTest {
  private static final Pattern COMMAND = Pattern.compile("org\\.schedgpu\\.[\\w.]+Command(?= )");

  @TempDir Path folder;

  private String status() throws Exception {
    TestNode node = new TestNode(folder);
    node.makeRegion();
    return output("--run-dir", node.runDir().toString(), "status");
  }

  private static String output(String... words) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "-Xbootclasspath/a:" + System.getProperty("java.class.path"),
                "--enable-native-access=ALL-UNNAMED", // as schedgpu.jar says
                "-Dschedgpu.library=" + System.getProperty("schedgpu.library"),
                Main.class.getName()));
    line.addAll(List.of(words));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  private static Set<String> commands(String output) {
    return COMMAND.matcher(output).results().map(MatchResult::group).collect(Collectors.toSet());
  }

  /** The boot loader loads them, which is no object in Java. */
  @Test
  void worksWithTheClassesOfTheBootLoader() throws Exception {
    String output = status();
    assertTrue(output.contains("policy fifo, 0 jobs, 0 waiting"), output);
  }

  @Test
  void loadsTheClassesOfNoOtherCommand() throws Exception {
    assertEquals(
        Set.of(
            "org.schedgpu.agent.command.SchedgpuCommand",
            "org.schedgpu.agent.command.NodeCommand",
            "org.schedgpu.agent.command.StatusCommand"),
        commands(status()));
  }

  @Test
  void theVersionNeedsNoCommand() throws Exception {
    assertEquals(
        Set.of("org.schedgpu.agent.command.SchedgpuCommand"), commands(output("--version")));
  }
}
