package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo runs from the build, and loses no job. */
final class DemoTest {
  @Test
  void allJobsOfTheShortDemoComplete(@TempDir Path output)
      throws IOException, InterruptedException {
    List<String> missing = SchedGpuCluster.missing(ClusterSetup.oneDevice());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    Path log = output.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(Build.demo().toString());
    builder.redirectErrorStream(true).redirectOutput(Redirect.to(log.toFile()));
    builder
        .environment()
        .putAll(
            Map.of("DEMO_SCALE", "1000", "DEMO_RUNS", "fifo", "DEMO_OUTPUT", output.toString()));

    int status = builder.start().waitFor();

    assertEquals(0, status, Files.readString(log));
    JsonNode run = Json.parse(Files.readString(output.resolve("result.json"))).at("/runs/0");
    assertEquals("fifo", run.get("name").asText());
    assertEquals(run.get("jobs").asInt(), run.get("completed").asInt(), run.toPrettyString());
  }
}
