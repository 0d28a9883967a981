package org.schedgpu.gres.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.verify.PlannedNode.PlannedDevice;

/**
 * Reads the expected state of nodes from the folder's own gres.conf and devices.conf, if no plan is
 * given.
 */
public final class PlannedNodesReader {
  private static final Pattern WORD = Pattern.compile("([A-Za-z]+)=(\"[^\"]*\"|\\S+)");

  private PlannedNodesReader() {}

  /**
   * The nodes with GPUs of gres.conf.
   *
   * @throws GresException if the files cannot be read, or name no node
   */
  public static List<PlannedNode> read(Path folder) {
    GresConfig gres = GresConfig.read(folder.resolve("gres.conf"));
    Map<String, List<PlannedDevice>> devices = devices(folder.resolve("devices.conf"));
    Set<String> nodes = new LinkedHashSet<>();
    gres.lines().stream()
        .filter(line -> line.name().equals("gpu"))
        .forEach(line -> line.nodes().ifPresent(nodes::addAll));
    if (nodes.isEmpty()) {
      throw new GresException(
          folder.resolve("gres.conf") + " names no node with GPUs", "give the plan with --plan");
    }
    return nodes.stream()
        .map(
            node ->
                new PlannedNode(
                    node, gresOf(gres.linesFor(node)), devices.getOrDefault(node, List.of())))
        .toList();
  }

  private static String gresOf(List<GresLine> lines) {
    Map<String, Long> counts = new LinkedHashMap<>();
    lines.stream()
        .filter(line -> line.name().equals("gpu"))
        .forEach(line -> counts.merge(line.type().orElse(""), line.count(), Long::sum));
    return counts.entrySet().stream()
        .map(e -> "gpu:" + (e.getKey().isEmpty() ? "" : e.getKey() + ":") + e.getValue())
        .collect(Collectors.joining(","));
  }

  private static Map<String, List<PlannedDevice>> devices(Path file) {
    Map<String, List<PlannedDevice>> devices = new LinkedHashMap<>();
    try {
      for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
        Map<String, String> words = words(line);
        if (words.keySet().containsAll(List.of("NodeName", "UUID", "File", "Virtual"))) {
          devices
              .computeIfAbsent(words.get("NodeName"), node -> new ArrayList<>())
              .add(
                  new PlannedDevice(
                      words.get("UUID"), words.get("File"), indexes(words.get("Virtual"))));
        }
      }
    } catch (IOException e) {
      throw unreadable(file, IoReason.of(e), e);
    } catch (NumberFormatException e) {
      throw unreadable(file, "Virtual= is no list of numbers", e);
    }
    return devices;
  }

  private static GresException unreadable(Path file, String why, Exception e) {
    return new GresException(
        file + " cannot be read (" + why + ")", "give the plan with --plan", e);
  }

  private static Map<String, String> words(String line) {
    Map<String, String> words = new LinkedHashMap<>();
    Matcher word = WORD.matcher(line.startsWith("#") ? "" : line);
    while (word.find()) {
      words.putIfAbsent(word.group(1), word.group(2));
    }
    return words;
  }

  /** {@code 0-2,5}. */
  static List<Integer> indexes(String list) {
    return Stream.of(list.split(",", -1))
        .flatMap(
            range -> {
              String[] ends = range.split("-", -1);
              return IntStream.rangeClosed(
                      Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                  .boxed();
            })
        .toList();
  }
}
