package org.schedgpu.gres.shape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The state of slurmctld: each node, each partition and the cluster. */
record ControllerState(
    Map<String, Map<String, String>> nodes, Map<String, Map<String, String>> others) {
  private static final List<String> OF_A_NODE =
      List.of(
          "NodeHostName",
          "NodeAddr",
          "Port",
          "CPUTot",
          "Sockets",
          "CoresPerSocket",
          "ThreadsPerCore",
          "RealMemory",
          "TmpDisk",
          "Weight",
          "AvailableFeatures",
          "Partitions",
          "MCS_label",
          "Gres");

  private static final Pattern COUNT = Pattern.compile("([0-9]+)([KMGT]?)");
  private static final List<String> UNITS = List.of("", "K", "M", "G", "T");

  /** These fields depend on the run, not on the files. */
  private static final Set<String> OF_A_RUN = Set.of("BOOT_TIME", "HASH_VAL", "NEXT_JOB_ID");

  static ControllerState by(ShapeCluster cluster, Shape shape) {
    Map<String, Map<String, String>> nodes = cluster.nodes();
    Map<String, Map<String, String>> others = new LinkedHashMap<>();
    Set<String> planned = new TreeSet<>();
    shape.gres().keySet().forEach(name -> planned.add(cluster.node(name)));
    nodes.forEach((name, all) -> others.put("node " + name, ofNode(all, planned.contains(name))));
    Set<String> mayChange = new TreeSet<>(shape.mayChange());
    cluster
        .partitions()
        .forEach((name, all) -> others.put("partition " + name, less(all, mayChange)));
    mayChange.addAll(OF_A_RUN);
    others.put("cluster", less(cluster.settings(), mayChange));
    return new ControllerState(nodes, others);
  }

  private static Map<String, String> ofNode(Map<String, String> all, boolean planned) {
    Map<String, String> some = new TreeMap<>();
    for (String key : OF_A_NODE) {
      if (!planned || !key.equals("Gres")) {
        some.put(key, plain(all.getOrDefault(key, "")));
      }
    }
    return some;
  }

  private static Map<String, String> less(Map<String, String> all, Set<String> keys) {
    Map<String, String> some = new TreeMap<>(all);
    some.keySet().removeAll(keys);
    return some;
  }

  /** Without the sockets, which slurmd adds when it registers: {@code gpu:k20m:4(S:0-1)}. */
  private static String plain(String gres) {
    return gres.replaceAll("\\(S:[0-9,-]+\\)", "");
  }

  String gresOf(String node) {
    return plain(nodes.get(node).get("Gres"));
  }

  /** Counts by name and type, as {@code slurmd -G} tells them. */
  static Map<String, Long> counts(String gres) {
    Map<String, Long> counts = new TreeMap<>();
    for (String part : gres.equals("(null)") ? new String[0] : gres.split(",", -1)) {
      List<String> words = new ArrayList<>(Stream.of(part.split(":", -1)).toList());
      Matcher number = COUNT.matcher(words.get(words.size() - 1));
      long count = 1;
      if (number.matches()) {
        words.remove(words.size() - 1);
        count = Long.parseLong(number.group(1)) << (10 * UNITS.indexOf(number.group(2)));
      }
      counts.merge(String.join(":", words), count, Long::sum);
    }
    return counts;
  }
}
