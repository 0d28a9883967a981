package org.schedgpu.gres.facts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;

/**
 * The CPUs of nodes, read from the output of {@code slurmd -C}; the output of several nodes may
 * follow each other. Immutable.
 */
public final class SlurmdCpus {
  private static final Pattern LINE =
      Pattern.compile("(?m)^[ \\t]*NodeName=(\\S+)(?:.*?[ \\t]CPUs=(\\d{1,6})(?:[ \\t].*)?|.*)$");

  private final String place;
  private final Map<String, Integer> cpusByNode = new LinkedHashMap<>();

  private SlurmdCpus(String place) {
    this.place = place;
  }

  /**
   * Reads the output of slurmd -C.
   *
   * @throws GresException if the file cannot be read, or is not such output
   */
  public static SlurmdCpus read(Path file) {
    try {
      return parse(Files.readString(file), "file " + file);
    } catch (IOException e) {
      throw new GresException(
          "file " + file + Check.unreadable(e), "write it with slurmd -C on the nodes", e);
    }
  }

  static SlurmdCpus parse(String text, String place) {
    SlurmdCpus cpus = new SlurmdCpus(place);
    Matcher matcher = LINE.matcher(text);
    while (matcher.find()) {
      cpus.add(matcher.group(1), matcher.group(2));
    }
    if (cpus.cpusByNode.isEmpty()) {
      throw new GresException(
          place + " has no line with NodeName= and CPUs=", "write it with slurmd -C on the nodes");
    }
    return cpus;
  }

  private void add(String node, String number) {
    if (number == null) {
      throw new GresException(
          "%s, node %s has no CPUs=".formatted(place, node), "write it with slurmd -C on the node");
    }
    int cpus = Integer.parseInt(number);
    Integer other = cpusByNode.putIfAbsent(node, cpus);
    if (other != null && other != cpus) {
      throw new GresException(
          "%s, node %s has %d CPUs and %d CPUs".formatted(place, node, other, cpus),
          "keep the line that slurmd -C prints on the node now");
    }
  }

  /**
   * The facts, with CPUs added where they have none.
   *
   * @throws GresException if the facts contain another number
   */
  public List<NodeFacts> fill(List<NodeFacts> facts) {
    List<NodeFacts> filled = new ArrayList<>();
    for (NodeFacts node : facts) {
      Integer cpus = cpusByNode.get(node.nodeName());
      if (cpus != null && node.cpus() != null && !cpus.equals(node.cpus())) {
        throw new GresException(
            "node %s has %d cpus in its facts, and %d in %s"
                .formatted(node.nodeName(), node.cpus(), cpus, place),
            "correct the facts, or take cpus out of them");
      }
      filled.add(cpus == null ? node : new NodeFacts(node.nodeName(), cpus, node.devices()));
    }
    return filled;
  }

  /** Notes on nodes that have CPUs here but no facts. */
  public List<String> notes(List<NodeFacts> facts) {
    Set<String> known = new HashSet<>();
    facts.forEach(node -> known.add(node.nodeName()));
    List<String> unknown = cpusByNode.keySet().stream().filter(n -> !known.contains(n)).toList();
    return unknown.isEmpty()
        ? List.of()
        : List.of(
            "%s has %s, but there are no facts of it: not planned"
                .formatted(place, Hostlist.compress(unknown)));
  }
}
