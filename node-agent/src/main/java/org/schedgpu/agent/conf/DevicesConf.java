package org.schedgpu.agent.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.DeviceSpec;

/** devices.conf: the devices of one node. */
public final class DevicesConf {
  private static final int MAX_INDEX = 15;
  private static final List<String> NUMBERS =
      List.of("TotalBytes", "ReservedBytes", "ContextBytes");
  private static final List<String> KEYS =
      List.of(
          "NodeName",
          "Device",
          "UUID",
          "File",
          "TotalBytes",
          "ReservedBytes",
          "ContextBytes",
          "Virtual",
          "Name");

  /** Beside NodeName= on a line of its own: GPUs of the node that schedGPU leaves alone. */
  private static final String NOT_OURS = "NotOurs";

  private static final List<String> ALL_KEYS =
      Stream.concat(KEYS.stream(), Stream.of(NOT_OURS)).toList();

  private DevicesConf() {}

  /** The devices of {@code node}, by index; none if the file does not name the node. */
  public static List<DeviceSpec> read(Path file, String node) {
    return parse(file.toString(), Texts.lines(file), node);
  }

  static List<DeviceSpec> parse(String place, List<String> text, String node) {
    ConfLines lines = new ConfLines(place);
    List<DeviceSpec> devices = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (ConfLines.Line line : lines.read(text)) {
      Map<String, String> values = values(lines, line);
      if (values.containsKey(NOT_OURS)) {
        checkNotOurs(lines, line.number(), values);
        continue;
      }
      if (!isComplete(lines, line.number(), values)) {
        continue;
      }
      if (!seen.add(values.get("NodeName") + " " + values.get("Device"))) {
        lines.problem(
            line.number(), "Device=" + values.get("Device") + " of this node is there twice");
      } else if (values.get("NodeName").equals(node)) {
        devices.add(device(values));
      }
    }
    lines.check();
    devices.sort(Comparator.comparingInt(DeviceSpec::index));
    return devices;
  }

  private static Map<String, String> values(ConfLines lines, ConfLines.Line line) {
    Map<String, String> values = new LinkedHashMap<>();
    for (ConfLines.Pair pair : line.pairs()) {
      ALL_KEYS.stream()
          .filter(key -> key.equalsIgnoreCase(pair.key()))
          .findFirst()
          .ifPresentOrElse(
              key -> {
                if (values.put(key, pair.value()) != null) {
                  lines.problem(line.number(), key + " is there twice: keep one");
                }
              },
              () -> lines.unknownKey(line.number(), pair.key(), ALL_KEYS));
    }
    return values;
  }

  private static void checkNotOurs(ConfLines lines, int number, Map<String, String> values) {
    if (!values.keySet().equals(Set.of("NodeName", NOT_OURS))) {
      lines.problem(number, "NotOurs stands beside NodeName only: give it a line of its own");
    }
  }

  private static boolean isComplete(ConfLines lines, int number, Map<String, String> values) {
    boolean complete = true;
    for (String key : KEYS) {
      String value = values.get(key);
      if (value == null) {
        lines.problem(number, key + " is missing: write the file with schedgpu gres plan");
        complete = false;
      } else if (NUMBERS.contains(key) && !value.matches("[0-9]{1,18}")) {
        lines.problem(number, key + "=" + value + ": must be a number of bytes");
        complete = false;
      } else if (key.equals("Device") && !isIndex(value)) {
        lines.problem(number, "Device=" + value + ": must be 0 to " + MAX_INDEX);
        complete = false;
      }
    }
    return complete;
  }

  private static boolean isIndex(String value) {
    return value.matches("[0-9]{1,2}") && Integer.parseInt(value) <= MAX_INDEX;
  }

  private static DeviceSpec device(Map<String, String> values) {
    return new DeviceSpec(
        Integer.parseInt(values.get("Device")),
        Long.parseLong(values.get("TotalBytes")),
        Long.parseLong(values.get("ReservedBytes")),
        Long.parseLong(values.get("ContextBytes")),
        values.get("UUID"),
        values.get("Name"));
  }
}
