package org.schedgpu.agent.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A series of an answer of Prometheus.
 *
 * @param times in seconds since the epoch, ascending
 * @param values of those times
 */
record Series(Map<String, String> labels, List<Double> times, List<Double> values) {
  static List<Series> of(JsonNode result) {
    List<Series> all = new ArrayList<>();
    for (JsonNode entry : result) {
      Map<String, String> labels = new LinkedHashMap<>();
      entry.path("metric").properties().forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
      List<Double> times = new ArrayList<>();
      List<Double> values = new ArrayList<>();
      for (JsonNode point : entry.path("values")) {
        double value = Double.parseDouble(point.get(1).asText().replace("Inf", "Infinity"));
        if (Double.isFinite(value)) {
          times.add(point.get(0).asDouble());
          values.add(value);
        }
      }
      all.add(new Series(labels, times, values));
    }
    return all;
  }

  /** What the legend of a dashboard shows for it. */
  String name(String legend) {
    String name = legend;
    for (Map.Entry<String, String> label : labels.entrySet()) {
      name = name.replace("{{" + label.getKey() + "}}", label.getValue());
    }
    return name;
  }

  double most() {
    return values.stream().mapToDouble(v -> v).max().orElse(Double.NaN);
  }

  double last() {
    return values.get(values.size() - 1);
  }

  double at(double time) {
    int index = times.indexOf(time);
    return index < 0 ? 0 : values.get(index);
  }
}
