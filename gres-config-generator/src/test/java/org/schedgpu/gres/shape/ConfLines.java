package org.schedgpu.gres.shape;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Hostlist;

/** The lines of a site's files that a plan has no business with, byte for byte. */
final class ConfLines {
  private ConfLines() {}

  /** By file: comments, blank lines, and what neither a planned node nor the plan's keys are in. */
  static Map<String, List<String>> notPlanned(ShapeCluster cluster, Shape shape)
      throws IOException {
    Set<String> planned =
        shape.gres().keySet().stream().map(cluster::node).collect(Collectors.toSet());
    Set<String> keys = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    keys.addAll(shape.mayChange());
    Map<String, List<String>> lines = new TreeMap<>();
    for (Path file : files(cluster.etc())) {
      List<String> kept = new ArrayList<>();
      for (ConfLine line : ConfFile.read(file).lines()) {
        if (!isPlanned(line, planned)
            && line.pairs().stream().noneMatch(p -> keys.contains(p.key()))) {
          kept.add(line.raw());
        }
      }
      lines.put(cluster.etc().relativize(file).toString(), kept);
    }
    lines.remove("devices.conf");
    return lines;
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
