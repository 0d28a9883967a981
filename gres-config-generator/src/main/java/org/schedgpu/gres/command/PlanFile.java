package org.schedgpu.gres.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.verify.PlannedNode;

/** The part of the output of {@code schedgpu gres plan --json} that apply needs. */
final class PlanFile {
  private static final String ACTION = "make it with schedgpu gres plan --json";

  private final JsonNode root;
  private final String place;

  private PlanFile(JsonNode root, String place) {
    this.root = root;
    this.place = place;
  }

  /**
   * @param file {@code -} is the standard input
   * @throws GresException if it cannot be read or is not a plan
   */
  static PlanFile read(Path file) {
    boolean isInput = file.toString().equals("-");
    String place = isInput ? "plan on standard input" : "plan " + file;
    String json;
    try {
      json =
          isInput
              ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
              : Files.readString(file);
    } catch (IOException e) {
      throw new GresException(place + Check.unreadable(e), ACTION, e);
    }
    return parse(json, place);
  }

  static PlanFile parse(String json, String place) {
    JsonNode root = Json.read(json, ObjectNode.class, place, ACTION);
    if (!root.path("files").isObject() || !root.path("nodes").isArray()) {
      throw new GresException(place + " has no files or no nodes", ACTION);
    }
    return new PlanFile(root, place);
  }

  /** The folder for which the plan was made. */
  Optional<Path> output() {
    return Optional.ofNullable(root.path("output").textValue()).map(Path::of);
  }

  /** Gres= of each node, {@code gpu:k20m:12}. */
  Map<String, String> gresByNode() {
    Map<String, String> gres = new LinkedHashMap<>();
    for (JsonNode node : root.get("nodes")) {
      gres.put(text(node, "nodeName"), text(node, "gresAfter"));
    }
    return gres;
  }

  /** The expected state of each node, for verify. */
  List<PlannedNode> planned() {
    List<PlannedNode> planned = new ArrayList<>();
    for (JsonNode node : root.get("nodes")) {
      List<PlannedNode.PlannedDevice> devices = new ArrayList<>();
      for (JsonNode device : node.path("devices")) {
        List<Integer> virtual = new ArrayList<>();
        device.path("virtual").forEach(index -> virtual.add(index.asInt()));
        devices.add(
            new PlannedNode.PlannedDevice(text(device, "uuid"), text(device, "file"), virtual));
      }
      planned.add(new PlannedNode(text(node, "nodeName"), text(node, "gresAfter"), devices));
    }
    return planned;
  }

  Map<String, byte[]> files() {
    JsonNode all = root.get("files");
    Map<String, byte[]> files = new LinkedHashMap<>();
    all.fieldNames().forEachRemaining(name -> files.put(name, bytes(all, name)));
    return files;
  }

  /**
   * The content of a file: a JSON text, or an object with {@code base64} for content that is not
   * UTF-8.
   */
  private byte[] bytes(JsonNode files, String name) {
    JsonNode file = files.get(name);
    if (!file.path("base64").isTextual()) {
      return text(files, name).getBytes(StandardCharsets.UTF_8);
    }
    try {
      return file.get("base64").binaryValue();
    } catch (IOException e) {
      throw new GresException(place + ", " + name + " is no base64", ACTION, e);
    }
  }

  /** The steps on the cluster after the files are in place, as lines with the plan's numbers. */
  List<String> stepsAfterApply() {
    List<String> after = new ArrayList<>();
    boolean applied = false;
    int number = 0;
    for (JsonNode step : root.path("steps")) {
      List<String> commands = new ArrayList<>();
      step.path("commands").forEach(command -> commands.add(command.asText()));
      number++;
      if (applied && commands.stream().noneMatch(command -> command.contains("gres rollout"))) {
        after.addAll(PlanReport.stepLines(number, step.path("what").asText(), commands));
      }
      applied |= commands.stream().anyMatch(command -> command.contains("gres apply"));
    }
    return after;
  }

  /** The files that the plan saw, if it read this folder. */
  Map<String, RequestedFiles.Seen> seenIn(Path folder) {
    Map<String, RequestedFiles.Seen> seen = new LinkedHashMap<>();
    if (output().map(output -> SlurmConfFolder.same(output, folder)).orElse(false)) {
      JsonNode before = root.path("before");
      before
          .fieldNames()
          .forEachRemaining(name -> seen.put(name, RequestedFiles.Seen.parse(before.get(name))));
    }
    return seen;
  }

  private String text(JsonNode node, String key) {
    if (!node.path(key).isTextual()) {
      throw new GresException(place + ", " + key + " is not a text", ACTION);
    }
    return node.get(key).asText();
  }
}
