package org.schedgpu.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** result.json: an array of objects, and machine.json beside it. */
final class ResultJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ResultJson() {}

  static void write(Path folder, Findings findings, Machine machine) {
    write(folder.resolve("result.json"), tree(findings.measurements()));
    write(folder.resolve("machine.json"), machine);
  }

  private static void write(Path file, Object content) {
    try {
      JSON.writeValue(file.toFile(), content);
    } catch (IOException e) {
      throw new BenchException("cannot write " + file, e);
    }
  }

  static ArrayNode tree(List<Measurement> measurements) {
    ArrayNode list = JSON.createArrayNode();
    measurements.forEach(measurement -> list.add(entry(measurement)));
    return list;
  }

  private static ObjectNode entry(Measurement measurement) {
    ObjectNode node = JSON.createObjectNode();
    node.put("name", measurement.name());
    node.put("unit", measurement.unit());
    node.put("p50", Numbers.rounded(measurement.p50()));
    node.put("p99", Numbers.rounded(measurement.p99()));
    node.put("limit", Numbers.rounded(measurement.limit()));
    node.put("ratio", Numbers.rounded(measurement.ratio()));
    Target.of(measurement.name())
        .ifPresent(
            target -> {
              node.put("target", target.toString());
              node.put("met", target.isMetBy(measurement));
            });
    return node;
  }
}
