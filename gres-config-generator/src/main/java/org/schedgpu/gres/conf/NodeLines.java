package org.schedgpu.gres.conf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.GresException;

/** Turns NodeName= lines into nodes, in their order. */
final class NodeLines {
  private static final List<String> NOT_BY_DEFAULT =
      List.of("NodeHostname", "NodeAddr", "BcastAddr");

  private final int defaultPort;
  private final DefaultLines defaults = new DefaultLines();
  private final Map<String, SlurmNode> nodes = new LinkedHashMap<>();

  /**
   * @param defaultPort SlurmdPort= of the whole file, wherever it is set
   */
  NodeLines(int defaultPort) {
    this.defaultPort = defaultPort;
  }

  Map<String, SlurmNode> nodes() {
    return nodes;
  }

  void add(ConfLine line) {
    String names = line.pairs().get(0).value();
    if (DefaultLines.isDefault(line)) {
      addDefault(line);
    } else if (names.equalsIgnoreCase("ALL")) {
      throw line.place().error("NodeName=ALL is reserved by Slurm", "name the nodes");
    } else {
      addNodes(line, expand(line, names));
    }
  }

  private void addDefault(ConfLine line) {
    for (String key : NOT_BY_DEFAULT) {
      if (line.pair(key).isPresent()) {
        throw line.place()
            .error(key + "= is not allowed with NodeName=DEFAULT", "move it to the nodes' lines");
      }
    }
    defaults.add(line);
  }

  private void addNodes(ConfLine line, List<String> names) {
    DefaultLines.Settings settings = defaults.with(line);
    List<String> hosts = listOr(line, settings, "NodeHostname", names);
    List<String> addresses = listOr(line, settings, "NodeAddr", hosts);
    List<String> ports = ports(line, settings);
    requireCount(line, "NodeAddr", addresses.size(), names.size());
    requireCount(line, "Port", Math.max(1, ports.size()), names.size());
    for (int i = 0; i < names.size(); i++) {
      SlurmNode node =
          new SlurmNode(
              names.get(i),
              hosts.get(Math.min(i, hosts.size() - 1)),
              addresses.get(Math.min(i, addresses.size() - 1)),
              ports.isEmpty() ? defaultPort : port(line, ports.get(Math.min(i, ports.size() - 1))),
              line,
              settings);
      SlurmNode other = nodes.putIfAbsent(node.name(), node);
      if (other != null) {
        throw line.place()
            .error(
                "node %s is defined already in %s".formatted(node.name(), other.line().place()),
                "define each node once; DEFAULT lines are the way to share keys");
      }
    }
  }

  private static List<String> listOr(
      ConfLine line, DefaultLines.Settings settings, String key, List<String> others) {
    return settings.own(key).map(setting -> expand(line, setting.value())).orElse(others);
  }

  /** Port=1-3 means Port=[1-3]. */
  private static List<String> ports(ConfLine line, DefaultLines.Settings settings) {
    String ports = settings.get("Port").map(Setting::value).orElse("");
    boolean bare = !ports.startsWith("[") && (ports.contains("-") || ports.contains(","));
    return expand(line, bare ? "[" + ports + "]" : ports);
  }

  private static int port(ConfLine line, String port) {
    boolean number = port.matches("[0-9]{1,5}");
    int value = number ? Integer.parseInt(port) : 0;
    if (value < 1 || value > 0xffff) {
      throw line.place().error("Port=" + port + " is no port", "use 1 to 65535");
    }
    return value;
  }

  private static void requireCount(ConfLine line, String key, int count, int nodes) {
    if (count != 1 && count != nodes) {
      throw line.place()
          .error(
              "%s= has %d values for %d nodes".formatted(key, count, nodes),
              "give one for all or one for each");
    }
  }

  static List<String> expand(ConfLine line, String list) {
    try {
      return Hostlist.expand(list);
    } catch (GresException e) {
      throw e.in(line.place().toString());
    }
  }
}
