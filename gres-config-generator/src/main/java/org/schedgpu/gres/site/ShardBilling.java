package org.schedgpu.gres.site;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.conf.SlurmPartition;

/**
 * Checks what a shard costs. Slurm counts no gres/gpu for a job with shards, so a weight of GPUs
 * alone bills such a job for its CPUs only.
 */
final class ShardBilling {
  private static final String KEY = "TRESBillingWeights";
  private static final String MIXED = "a mix";

  private ShardBilling() {}

  /** True if nodes of the partition get shards, and nothing else remains to be checked. */
  static boolean check(SiteEdits site, SitePlan plan, SlurmPartition partition, Weights weights) {
    Map<String, List<String>> nodes = nodesByShards(plan, partition);
    if (nodes.isEmpty()) {
      return false;
    }
    if (!weights.hasShards()) {
      String shards = nodes.size() == 1 ? nodes.keySet().iterator().next() : MIXED;
      Optional<Weights> billed =
          shards.equals(MIXED) ? Optional.empty() : weights.withShards(new BigDecimal(shards));
      billed.ifPresentOrElse(
          after -> change(site, plan, partition, weights, after),
          () -> site.warn(free(partition, weights) + noWeight(nodes)));
    }
    return true;
  }

  private static void change(
      SiteEdits site, SitePlan plan, SlurmPartition partition, Weights before, Weights after) {
    if (!plan.request().scaleBilling()) {
      site.warn(
          "%s; --scale-billing makes it %s=%s"
              .formatted(free(partition, before), KEY, after.text()));
    } else if (!site.hasWord("AccountingStorageTRES", "gres/shard")) {
      site.warn(
          "%s; --scale-billing needs --accounting, because slurmctld ends with a fatal error at a weight of gres/shard that is not in AccountingStorageTRES"
              .formatted(free(partition, before)));
    } else {
      site.edit(partition.line()).set(partition.line(), KEY, after.text());
      site.billed(partition.name());
      site.warn(
          "partition %s bills in a smaller unit from now on (%s, was %s): a device costs as much beside a CPU as before, whole or as shards, but limits in billing, fair share and what was billed before count the larger unit"
              .formatted(partition.name(), after.text(), before.text()));
    }
  }

  private static String free(SlurmPartition partition, Weights weights) {
    return "partition %s bills %s for a whole GPU and nothing for shards: a job with --gres=shard pays for its CPUs and memory only"
        .formatted(partition.name(), weights.gpus().get(0).text());
  }

  private static String noWeight(Map<String, List<String>> nodes) {
    List<String> counts = new ArrayList<>();
    nodes.forEach((shards, names) -> counts.add(shards + " on " + Hostlist.compress(names)));
    return "; no one weight of GRES/shard is right for all (shards of a GPU: %s): set it yourself"
        .formatted(String.join(", ", counts));
  }

  /** Nodes that get shards, by the number of shards of a GPU, as a plain number. */
  private static Map<String, List<String>> nodesByShards(SitePlan plan, SlurmPartition partition) {
    Map<String, List<String>> nodes = new TreeMap<>();
    for (SlurmNode node : partition.nodes()) {
      plan.node(node.name())
          .filter(change -> NodeChange.shards(change.after()) > 0)
          .map(change -> change.shardsPerGpu().map(BigDecimal::toPlainString).orElse(MIXED))
          .ifPresent(
              shards -> nodes.computeIfAbsent(shards, s -> new ArrayList<>()).add(node.name()));
    }
    return nodes;
  }
}
