package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmNode;

/**
 * Sets Gres= in the lines of nodes. A line whose nodes get different values is split into several.
 */
public final class NodeGres {
  private NodeGres() {}

  /** Sets Gres= where it differs, and GresTypes=. Values of a DEFAULT line are left there. */
  public static void set(SiteEdits site, List<NodeChange> changes) {
    Map<String, String> gresByNode = new HashMap<>();
    for (NodeChange change : changes) {
      gresByNode.put(change.name(), change.after());
      GresSpec.parse(change.after()).forEach(spec -> site.addGlobal("GresTypes", spec.name()));
    }
    Map<ConfLine, List<SlurmNode>> byLine = new LinkedHashMap<>();
    for (SlurmNode node : site.config().nodes()) {
      byLine.computeIfAbsent(node.line(), line -> new ArrayList<>()).add(node);
    }
    byLine.forEach((line, nodes) -> set(site, line, nodes, gresByNode));
  }

  private static void set(
      SiteEdits site, ConfLine line, List<SlurmNode> nodes, Map<String, String> gresByNode) {
    String now = gres(nodes.get(0));
    Map<String, List<SlurmNode>> byGres = new LinkedHashMap<>();
    for (SlurmNode node : nodes) {
      String gres = gresByNode.getOrDefault(node.name(), now);
      byGres.computeIfAbsent(gres, g -> new ArrayList<>()).add(node);
    }
    if (byGres.size() > 1) {
      split(site, line, nodes.get(0), byGres);
    } else if (!byGres.containsKey(now)) {
      site.edit(line).set(line, "Gres", byGres.keySet().iterator().next());
    }
  }

  private static void split(
      SiteEdits site, ConfLine line, SlurmNode any, Map<String, List<SlurmNode>> byGres) {
    requireNoBroadcastList(line);
    List<Map<String, String>> lines = new ArrayList<>();
    byGres.forEach(
        (gres, nodes) -> {
          Map<String, String> values = new LinkedHashMap<>();
          values.put("NodeName", list(nodes, SlurmNode::name));
          putList(values, any, "NodeHostname", nodes, SlurmNode::hostname);
          putList(values, any, "NodeAddr", nodes, SlurmNode::address);
          putList(values, any, "Port", nodes, node -> Integer.toString(node.port()));
          if (!gres.equals(gres(any))) {
            values.put("Gres", gres);
          }
          lines.add(values);
        });
    site.edit(line).split(line, lines);
  }

  /** One value for all nodes stays as written. */
  private static void putList(
      Map<String, String> values,
      SlurmNode any,
      String key,
      List<SlurmNode> nodes,
      Function<SlurmNode, String> part) {
    String now = any.setting(key).map(Setting::value).orElse("");
    if (now.matches(".*[\\[,\\s-].*") && isList(key, now)) {
      values.put(key, list(nodes, part));
    }
  }

  /** A dash means a range only in Port=. */
  private static boolean isList(String key, String value) {
    return key.equals("Port") || Hostlist.expand(value).size() > 1;
  }

  private static String list(List<SlurmNode> nodes, Function<SlurmNode, String> part) {
    return Hostlist.compress(nodes.stream().map(part).toList());
  }

  private static void requireNoBroadcastList(ConfLine line) {
    if (line.value("BcastAddr").filter(list -> Hostlist.expand(list).size() > 1).isPresent()) {
      throw line.place()
          .error(
              "nodes of the line get different Gres=, and it has a list in BcastAddr=",
              "give them lines of their own");
    }
  }

  private static String gres(SlurmNode node) {
    return node.gres().map(Setting::value).orElse("");
  }
}
