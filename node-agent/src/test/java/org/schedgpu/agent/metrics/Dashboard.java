package org.schedgpu.agent.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The panels of a Grafana dashboard, as far as the drawing needs them. */
record Dashboard(List<Panel> panels) {
  /** A query and the names of its series. */
  record Target(String query, String legend) {}

  /** Its place in Grafana's grid of 24 columns. */
  record Place(int x, int y, int width, int height) {}

  /** One picture. */
  record Panel(
      String title, String type, String unit, boolean stacked, Place place, List<Target> targets) {}

  /**
   * @param variables values of the dashboard's variables
   */
  static Dashboard read(Path file, Map<String, String> variables) throws IOException {
    List<Panel> panels = new ArrayList<>();
    for (JsonNode panel : new ObjectMapper().readTree(file.toFile()).path("panels")) {
      List<Target> targets = new ArrayList<>();
      for (JsonNode target : panel.path("targets")) {
        targets.add(
            new Target(
                with(target.path("expr").asText(), variables),
                target.path("legendFormat").asText()));
      }
      JsonNode at = panel.path("gridPos");
      JsonNode defaults = panel.path("fieldConfig").path("defaults");
      panels.add(
          new Panel(
              with(panel.path("title").asText(), variables),
              panel.path("type").asText(),
              defaults.path("unit").asText(),
              defaults.path("custom").path("stacking").path("mode").asText().equals("normal"),
              new Place(
                  at.path("x").asInt(),
                  at.path("y").asInt(),
                  at.path("w").asInt(),
                  at.path("h").asInt()),
              targets));
    }
    return new Dashboard(panels);
  }

  private static String with(String text, Map<String, String> variables) {
    String result = text;
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      result = result.replace("$" + variable.getKey(), variable.getValue());
    }
    return result;
  }
}
