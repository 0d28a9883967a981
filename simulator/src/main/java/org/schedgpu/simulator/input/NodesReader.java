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

/**
 * Reads nodes from {@code scontrol show nodes --oneliner}. Nodes that cannot be played are counted.
 */
public final class NodesReader {
  private static final Pattern WORD = Pattern.compile("(?:^|\\s)([A-Za-z]+)=(\\S*)");

  /** States in which a node is there, and starts no job until somebody mends it. */
  private static final Pattern DOWN =
      Pattern.compile("\\b(DOWN|DRAIN|DRAINED|DRAINING|ERROR|FAIL|FAILING|INVAL|INVALID_REG)\\b");

  private static final long MIB = 1L << 20;
  private static final String PRINT = "print it with scontrol show nodes --oneliner";

  private final GpuSizes sizes;
  private final List<NodeSpec> nodes = new ArrayList<>();
  private final LeftOut leftOut = new LeftOut();
  private final List<String> down = new ArrayList<>();
  private String release = "";
  private long read;

  private NodesReader(GpuSizes sizes) {
    this.sizes = sizes;
  }

  /**
   * Reads all of it.
   *
   * @param place names the input in messages
   * @throws SimulatorException if a line does not describe a node, or no node can be played
   */
  public static Nodes read(BufferedReader lines, String place, GpuSizes sizes) throws IOException {
    return new NodesReader(sizes).read(lines, place);
  }

  private Nodes read(BufferedReader lines, String place) throws IOException {
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String at = place + " line " + number;
      if (!line.isBlank() && !line.startsWith("#")) {
        read++;
        add(at, words(line));
      }
    }
    if (nodes.isEmpty()) {
      throw new SimulatorException(
          place + ": none of " + read + " nodes can be played" + leftOut.mostOften(), PRINT);
    }
    return new Nodes(List.copyOf(nodes), read, leftOut, List.copyOf(down), release);
  }

  private static Map<String, String> words(String line) {
    Map<String, String> words = new HashMap<>();
    for (Matcher word = WORD.matcher(line); word.find(); ) {
      words.putIfAbsent(word.group(1), word.group(2));
    }
    return words;
  }

  private void add(String at, Map<String, String> words) {
    String name = word(at, words, "NodeName");
    if (name.contains("[")) {
      throw new SimulatorException(at + ": " + name + " is several nodes", PRINT);
    }
    String version = words.getOrDefault("Version", "");
    release = new Release(version).isNewerThan(new Release(release)) ? version : release;
    String state = words.getOrDefault("State", "");
    try {
      NodeGpus gpus = gpus(words, state);
      String cpus = words.containsKey("CPUTot") ? "CPUTot" : "CPUs";
      nodes.add(
          new NodeSpec(
              name,
              (int) number(at, words, cpus),
              number(at, words, "RealMemory") * MIB,
              gpus.type(),
              (int) gpus.count(),
              sizes.of(gpus.type())));
      if (DOWN.matcher(state).find()) {
        down.add(name + " (" + state + ")");
      }
    } catch (NodeGpus.Unplayable reason) {
      leftOut.add(reason.getMessage(), name);
    }
  }

  private static NodeGpus gpus(Map<String, String> words, String state) throws NodeGpus.Unplayable {
    NodeGpus gpus =
        NodeGpus.of(words.getOrDefault("Gres", ""))
            .orElseThrow(() -> new NodeGpus.Unplayable("has no GPU"));
    if (state.contains("FUTURE")) {
      throw new NodeGpus.Unplayable("is not there yet (State=FUTURE)");
    }
    if (gpus.count() > NodeSpec.MAX_GPUS) {
      throw new NodeGpus.Unplayable("has more than " + NodeSpec.MAX_GPUS + " GPUs");
    }
    return gpus;
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
