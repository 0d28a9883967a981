package org.schedgpu.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A gpu-user's view of its devices and its environment.
 *
 * @param json the line that {@code gpu-user show} prints
 */
record Seen(JsonNode json) {

  /** The first output of {@code show}. */
  static Seen in(String output) {
    return all(output).get(0);
  }

  /** The outputs of {@code show} of all tasks, in the order of their SLURM_PROCID. */
  static List<Seen> all(String output) {
    List<Seen> seen =
        lines(output).stream()
            .filter(line -> line.has("devices"))
            .map(Seen::new)
            .sorted(Comparator.comparing(task -> task.variable("SLURM_PROCID")))
            .toList();
    if (seen.isEmpty()) {
      throw new AssertionError("no task showed its devices: " + output);
    }
    return seen;
  }

  /** A number that a program printed: {@code totalMiB}, {@code freeMiB} or {@code tried}. */
  static List<Integer> numbers(String output, String key) {
    return lines(output).stream()
        .filter(line -> line.has(key))
        .map(line -> line.get(key).asInt())
        .toList();
  }

  /** UUIDs of the devices, in the program's order. */
  List<String> devices() {
    return StreamSupport.stream(json.get("devices").spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }

  /** The value of a variable; empty if it is not set. */
  String variable(String name) {
    return json.get("environment").path(name).asText("");
  }

  private static List<JsonNode> lines(String output) {
    return output.lines().filter(line -> line.startsWith("{")).map(Json::parse).toList();
  }
}
