package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A full node for some seconds. It asserts no time, but that every begun job ends, that all waiters
 * are served, and that nothing is left or damaged.
 */
class FullNodeTest {
  private static final Path ROOT =
      Path.of(System.getProperty("bench.root")).toAbsolutePath().normalize();
  private static final int SECONDS = 4;
  private static final int RATE = 15;

  @TempDir Path folder;

  @Test
  void nothingIsLostOnAFullNode() throws IOException, InterruptedException {
    Path said = folder.resolve("said.txt");

    int status =
        run(
            said,
            ROOT.resolve("lab/bench/target/native/full-node").toString(),
            "-f",
            "-t",
            SECONDS + "s",
            "-r",
            String.valueOf(RATE),
            "-o",
            folder.toString());

    String text = Files.readString(said);
    assertEquals(0, status, text);
    Map<String, JsonNode> found = results();
    assertEquals(SECONDS * RATE, value(found, "start of a job (prolog), asked"), text);
    assertEquals(SECONDS * RATE, value(found, "end of a job (epilog), asked"), text);
    assertTrue(value(found, "waits served") >= 256, text);
    assertTrue(value(found, "processes that wait, most") > 0, text);
    assertEquals("emulated", found.get("gpu").get("value").asText());
    List<MemoryCurve.Point> curve =
        MemoryCurve.parse(Files.readAllLines(folder.resolve("samples.csv")));
    assertTrue(curve.stream().allMatch(point -> point.mib() > 0), curve.toString());
  }

  private static int run(Path output, String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("LD_LIBRARY_PATH");
    Process process = builder.redirectOutput(output.toFile()).start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroy(); // it cleans up
      process.waitFor();
    }
    return process.exitValue();
  }

  private Map<String, JsonNode> results() throws IOException {
    Map<String, JsonNode> found = new HashMap<>();
    new ObjectMapper()
        .readTree(folder.resolve("result.json").toFile())
        .forEach(result -> found.put(result.get("name").asText(), result));
    return found;
  }

  private static double value(Map<String, JsonNode> found, String name) {
    return found.get(name).get("value").asDouble();
  }
}
