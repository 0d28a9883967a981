package org.schedgpu.gres.shape;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;

/** The lines of a site's files that a plan must not touch, byte for byte. */
final class ConfLines {
  private ConfLines() {}

  /**
   * By file: comments, blank lines, and lines that contain neither a planned node nor the plan's
   * keys. From gres.conf only the comments, because {@link #gresOfOthers} compares the meaning of
   * its lines.
   */
  static Map<String, List<String>> notPlanned(ShapeCluster cluster, Shape shape)
      throws IOException {
    Set<String> planned = planned(cluster, shape);
    Set<String> keys = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    keys.addAll(shape.mayChange());
    Map<String, List<String>> lines = new TreeMap<>();
    for (Path file : files(cluster.etc())) {
      boolean isGres = file.endsWith("gres.conf");
      List<String> kept = new ArrayList<>();
      for (ConfLine line : ConfFile.read(file).lines()) {
        boolean touched = line.pairs().stream().anyMatch(pair -> keys.contains(pair.key()));
        if (line.pairs().isEmpty() || (!isGres && !touched && !isPlanned(line, planned))) {
          kept.add(line.raw());
        }
      }
      lines.put(cluster.etc().relativize(file).toString(), kept);
    }
    return lines;
  }

  /** New lines may be in between, but none may be missing or changed. */
  static void requireKept(Map<String, List<String>> before, Map<String, List<String>> after) {
    before.forEach(
        (file, lines) -> {
          Iterator<String> now = after.getOrDefault(file, List.of()).iterator();
          for (String line : lines) {
            boolean found = false;
            while (!found && now.hasNext()) {
              found = now.next().equals(line);
            }
            assertTrue(found, () -> file + " has no longer, in its place: " + line);
          }
        });
  }

  /** What gres.conf says for each node that is not planned. */
  static Map<String, List<String>> gresOfOthers(ShapeCluster cluster, Shape shape) {
    Set<String> planned = planned(cluster, shape);
    GresConfig config = GresConfig.read(cluster.etc().resolve("gres.conf"));
    Map<String, List<String>> byNode = new TreeMap<>();
    for (SlurmNode node : SlurmConfig.read(cluster.etc().resolve("slurm.conf")).nodes()) {
      if (!planned.contains(node.name())) {
        List<String> lines = new ArrayList<>();
        config
            .linesFor(node.name())
            .forEach(
                line ->
                    lines.add(
                        "%s %s %s %s %s %s"
                            .formatted(
                                line.name(),
                                line.type(),
                                line.count(),
                                line.files(),
                                line.links(),
                                line.cores())));
        lines.add("AutoDetect=" + config.autoDetect(node.name()).map(Setting::value));
        byNode.put(node.name(), lines);
      }
    }
    return byNode;
  }

  private static Set<String> planned(ShapeCluster cluster, Shape shape) {
    return shape.gres().keySet().stream().map(cluster::node).collect(Collectors.toSet());
  }

  private static boolean isPlanned(ConfLine line, Set<String> planned) {
    return line.value("NodeName").stream()
        .flatMap(list -> Hostlist.expand(list).stream())
        .anyMatch(planned::contains);
  }

  private static List<Path> files(Path etc) throws IOException {
    try (Stream<Path> all = Files.walk(etc)) {
      return all.filter(file -> file.toString().endsWith(".conf"))
          .filter(file -> !file.toString().contains("schedgpu-backup"))
          .toList();
    }
  }
}
