package org.schedgpu.gres.site;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.conf.SlurmPartition;

/**
 * The last check of new files: read again, they must mean the same for every node, except for the
 * intended changes.
 */
final class MeaningUnchangedCheck {
  private static final Set<String> IN_OTHER_WORDS = Set.of("nodehostname", "nodeaddr", "port");

  private final SlurmConfig before;
  private final SlurmConfig after;

  MeaningUnchangedCheck(SlurmConfig before, SlurmConfig after) {
    this.before = before;
    this.after = after;
  }

  /**
   * Compares everything.
   *
   * @param gresByNode the planned Gres= of these nodes; the others keep theirs
   * @param globals keys for the cluster that were meant to change
   * @param billing partitions whose TRESBillingWeights= was meant to change
   * @throws GresException if anything else differs
   */
  void require(Map<String, String> gresByNode, Set<String> globals, Set<String> billing) {
    NavigableMap<String, String> settings = before.settings();
    NavigableMap<String, String> now = after.settings();
    globals.forEach(settings::remove);
    globals.forEach(now::remove);
    same("the cluster", settings, now);
    same("the list of nodes", names(before), names(after));
    for (SlurmNode node : before.nodes()) {
      String gres = gresByNode.getOrDefault(node.name(), gres(node));
      SlurmNode other = after.node(node.name()).orElseThrow();
      same("node " + node.name(), meaning(node, gres), meaning(other, gres(other)));
    }
    same("the number of partitions", before.partitions().size(), after.partitions().size());
    for (SlurmPartition partition : before.partitions()) {
      boolean billed = billing.contains(partition.name());
      SlurmPartition other = after.partition(partition.name()).orElseThrow();
      same("partition " + partition.name(), meaning(partition, billed), meaning(other, billed));
    }
  }

  private static String gres(SlurmNode node) {
    return node.gres().map(Setting::value).orElse("");
  }

  private static Set<String> names(SlurmConfig config) {
    Set<String> names = new TreeSet<>();
    config.nodes().forEach(node -> names.add(node.name()));
    return names;
  }

  private static Map<String, String> meaning(SlurmNode node, String gres) {
    NavigableMap<String, String> values = new TreeMap<>();
    node.values()
        .forEach(
            (key, value) -> {
              String lower = key.toLowerCase(java.util.Locale.ROOT);
              if (!IN_OTHER_WORDS.contains(lower)) {
                values.put(lower, value);
              }
            });
    values.put("gres", gres);
    values.put("nodehostname", node.hostname());
    values.put("nodeaddr", node.address());
    values.put("port", Integer.toString(node.port()));
    return values;
  }

  private static Map<String, String> meaning(SlurmPartition partition, boolean billed) {
    NavigableMap<String, String> values = new TreeMap<>(partition.values());
    Set<String> nodes = new TreeSet<>();
    partition.nodes().forEach(node -> nodes.add(node.name()));
    values.put("nodes", nodes.toString());
    if (billed) {
      values.remove("TRESBillingWeights");
    }
    return values;
  }

  private static void same(String what, Object expected, Object found) {
    if (!Objects.equals(expected, found)) {
      throw new GresException(
          "the changed slurm.conf would mean something else for %s: %s instead of %s"
              .formatted(what, found, expected),
          "change the file by hand, and report this as a defect of schedgpu");
    }
  }
}
