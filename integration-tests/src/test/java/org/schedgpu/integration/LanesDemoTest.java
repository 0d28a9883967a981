package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The demo of lanes runs from the build, without Slurm. In its short variant all trainings arrive
 * while the first is in its first iteration, so that their order does not depend on the machine.
 */
final class LanesDemoTest {
  private static final Pattern ENDED = Pattern.compile("Ended in this order:\\s+(.*)");

  @Test
  void trainingsOfTheShortDemoCompleteInTheOrderOfTheirPolicy(@TempDir Path output)
      throws IOException, InterruptedException {
    Path log = output.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(Build.demoLanes().toString());
    builder.redirectErrorStream(true).redirectOutput(Redirect.to(log.toFile()));
    builder.environment().putAll(Map.of("DEMO_LANES", "short", "DEMO_OUTPUT", output.toString()));

    int status = builder.start().waitFor();

    String text = Files.readString(log);
    assertEquals(0, status, text);
    assertEquals(
        List.of("third, second, first.", "short-5, short-4, short-2, short-1, short-3, long."),
        ENDED.matcher(text).results().map(match -> match.group(1)).toList(),
        text);
    assertTrue(text.contains("EMULATED GPU"), text);
    assertTrue(Files.size(output.resolve("lanes.png")) > 0, "the picture");
  }
}
