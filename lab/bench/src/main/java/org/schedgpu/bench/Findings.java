package org.schedgpu.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All results, in the order in which they came. */
final class Findings {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Measurement> measurements = new ArrayList<>();
  private final List<Unmeasured> unmeasured = new ArrayList<>();
  private final List<StageTime> stages = new ArrayList<>();

  List<Measurement> measurements() {
    return List.copyOf(measurements);
  }

  List<Unmeasured> unmeasured() {
    return List.copyOf(unmeasured);
  }

  List<StageTime> stages() {
    return List.copyOf(stages);
  }

  Optional<Measurement> find(String name) {
    return measurements.stream().filter(m -> m.name().equals(name)).findFirst();
  }

  void add(Measurement measurement) {
    measurements.add(measurement);
  }

  /**
   * Runs a program and adds each line that it prints; its errors and progress go to our stderr.
   *
   * @return its exit status
   */
  int addLinesOf(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().forEach(this::addLine);
    }
    return process.waitFor();
  }

  /**
   * Adds a line of the harness.
   *
   * @throws BenchException if it is malformed
   */
  void addLine(String line) {
    try {
      JsonNode node = JSON.readTree(line);
      if (node.has("stage")) {
        stages.add(
            new StageTime(
                text(node, "approach"),
                text(node, "stage"),
                number(node, "p50"),
                number(node, "p99")));
      } else if (node.has("unmeasured")) {
        unmeasured.add(
            new Unmeasured(text(node, "name"), text(node, "unit"), text(node, "unmeasured")));
      } else {
        measurements.add(measurement(node));
      }
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new BenchException("the harness said what nobody understands: " + line, e);
    }
  }

  private static Measurement measurement(JsonNode node) {
    return new Measurement(
        text(node, "name"),
        text(node, "unit"),
        number(node, "p50"),
        number(node, "p99"),
        number(node, "limit"),
        text(node, "limitIs"));
  }

  private static String text(JsonNode node, String field) {
    return node.required(field).asText();
  }

  private static double number(JsonNode node, String field) {
    JsonNode value = node.required(field);
    if (!value.isNumber() || value.asDouble() <= 0) {
      throw new IllegalArgumentException(field + " is no positive number");
    }
    return value.asDouble();
  }
}
