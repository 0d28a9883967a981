package org.schedgpu.simulator.input;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.problem.SimulatorException;

/** Reads nodes from {@code scontrol show nodes --oneliner}. Skips nodes without a GPU. */
public final class NodesReader {
  private static final Pattern WORD = Pattern.compile("(?:^|\\s)([A-Za-z]+)=(\\S*)");
  private static final Pattern GPU =
      Pattern.compile("(?:^|,)gpu(?::([A-Za-z][^:,()]*))?:([0-9]{1,4})(?=[(,]|$)");
  private static final long MIB = 1L << 20;
  private static final String PRINT = "print it with scontrol show nodes --oneliner";

  private NodesReader() {}

  /**
   * Reads all of it.
   *
   * @param place names the input in messages
   * @throws SimulatorException if a line does not describe a node, or no node has a GPU
   */
  public static List<NodeSpec> read(BufferedReader lines, String place, GpuSizes sizes)
      throws IOException {
    List<NodeSpec> nodes = new ArrayList<>();
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String at = place + " line " + number;
      if (!line.isBlank() && !line.startsWith("#")) {
        addNode(nodes, at, words(line), sizes);
      }
    }
    if (nodes.isEmpty()) {
      throw new SimulatorException(place + ": no node has a GPU", PRINT);
    }
    return nodes;
  }

  private static Map<String, String> words(String line) {
    Map<String, String> words = new HashMap<>();
    for (Matcher word = WORD.matcher(line); word.find(); ) {
      words.putIfAbsent(word.group(1), word.group(2));
    }
    return words;
  }

  private static void addNode(
      List<NodeSpec> nodes, String at, Map<String, String> words, GpuSizes sizes) {
    String name = word(at, words, "NodeName");
    if (name.contains("[")) {
      throw new SimulatorException(at + ": " + name + " is several nodes", PRINT);
    }
    Matcher matcher = GPU.matcher(words.getOrDefault("Gres", ""));
    if (!matcher.find()) {
      return;
    }
    String type = matcher.group(1) == null ? "" : matcher.group(1);
    int count = Integer.parseInt(matcher.group(2));
    if (matcher.find()) {
      throw new SimulatorException(
          at + ": " + name + " has GPUs of several types", "leave the node out");
    }
    if (count < 1 || count > NodeSpec.MAX_GPUS) {
      throw new SimulatorException(
          at + ": " + name + " has " + count + " GPUs",
          "1 to " + NodeSpec.MAX_GPUS + " are played");
    }
    String cpus = words.containsKey("CPUTot") ? "CPUTot" : "CPUs";
    nodes.add(
        new NodeSpec(
            name,
            (int) number(at, words, cpus),
            number(at, words, "RealMemory") * MIB,
            type,
            count,
            sizes.of(type)));
  }

  private static String word(String at, Map<String, String> words, String key) {
    String value = words.get(key);
    if (value == null) {
      throw new SimulatorException(at + ": there is no " + key + "=", PRINT);
    }
    return value;
  }

  private static long number(String at, Map<String, String> words, String key) {
    String value = word(at, words, key);
    if (!value.matches("[0-9]{1,9}")) {
      throw new SimulatorException(at + ": " + key + "=" + value + " is no number", PRINT);
    }
    return Long.parseLong(value);
  }
}
