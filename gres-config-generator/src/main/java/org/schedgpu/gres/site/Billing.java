package org.schedgpu.gres.site;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.conf.SlurmPartition;

/** Checks what a share costs: TRESBillingWeights= of partitions, and PriorityWeightTRES=. */
final class Billing {
  private static final String KEY = "TRESBillingWeights";
  private static final String MIXED = "a mix";

  private Billing() {}

  static void check(SiteEdits site, SitePlan plan) {
    site.config().partitions().forEach(partition -> check(site, plan, partition));
    site.config().setting("PriorityWeightTRES").ifPresent(weights -> priority(site, plan, weights));
  }

  private static void check(SiteEdits site, SitePlan plan, SlurmPartition partition) {
    Optional<Setting> setting = partition.setting(KEY);
    Optional<Weights> weights = setting.flatMap(s -> Weights.parse(s.value()));
    if (setting.isPresent() && weights.isEmpty()) {
      site.warn(
          setting.get().place()
              + ", %s=%s of partition %s is not understood and stays; see what a share costs now"
                  .formatted(KEY, setting.get().value(), partition.name()));
      return;
    }
    if (weights.isEmpty() || weights.get().gpus().isEmpty()) {
      return;
    }
    if (ShardBilling.check(site, plan, partition, weights.get())) {
      removedTypes(site, plan, partition, weights.get());
      return;
    }
    Map<String, List<String>> nodesByFactor = nodesByFactor(plan, partition);
    boolean nothingToDo = nodesByFactor.keySet().stream().allMatch("1"::equals);
    if (nothingToDo) {
      return;
    }
    boolean alike = nodesByFactor.size() == 1 && !nodesByFactor.containsKey(MIXED);
    if (!alike) {
      site.warn(mixed(partition, nodesByFactor, weights.get()));
    } else {
      alike(site, plan, partition, weights.get(), nodesByFactor.keySet().iterator().next());
    }
    removedTypes(site, plan, partition, weights.get());
  }

  private static void alike(
      SiteEdits site, SitePlan plan, SlurmPartition partition, Weights weights, String factor) {
    Weights shared = weights.shared(new BigDecimal(factor));
    if (!plan.request().scaleBilling()) {
      site.warn(cost(partition, weights, factor, shared));
      return;
    }
    site.edit(partition.line()).set(partition.line(), KEY, shared.text());
    site.billed(partition.name());
    site.warn(
        "partition %s bills in a smaller unit from now on (%s, was %s): a whole device costs as much beside a CPU as before, but limits in billing, fair share and what was billed before count the larger unit; partitions without GPUs keep it until you multiply their weights, too"
            .formatted(partition.name(), shared.text(), weights.text()));
  }

  private static String cost(
      SlurmPartition partition, Weights weights, String factor, Weights shared) {
    Weights.Part gpu = weights.gpus().get(0);
    return "partition %s bills %s for each virtual GPU, what a whole GPU cost; a whole device as %s shares costs %s: --scale-billing makes it %s=%s"
        .formatted(
            partition.name(),
            gpu.text(),
            factor,
            Weights.plain(gpu.number().multiply(new BigDecimal(factor))),
            KEY,
            shared.text());
  }

  private static String mixed(
      SlurmPartition partition, Map<String, List<String>> nodesByFactor, Weights weights) {
    StringBuilder factors = new StringBuilder();
    nodesByFactor.forEach(
        (factor, nodes) ->
            factors
                .append(factors.isEmpty() ? "" : ", ")
                .append(factor)
                .append(" on ")
                .append(Hostlist.compress(nodes)));
    return "partition %s has nodes where a GPU becomes different numbers of shares (%s), and one %s: a share costs what a whole GPU cost, and no weight is right for all; make a partition for each number"
        .formatted(partition.name(), factors, weights.gpus().get(0).text());
  }

  /** Nodes with GPUs by the number of shares of one GPU, as a plain number. */
  private static Map<String, List<String>> nodesByFactor(SitePlan plan, SlurmPartition partition) {
    Map<String, List<String>> nodes = new TreeMap<>();
    for (SlurmNode node : partition.nodes()) {
      Optional<NodeChange> change = plan.node(node.name());
      String gres = node.gres().map(Setting::value).orElse("");
      if (change.isPresent() && NodeChange.gpus(change.get().before()) > 0) {
        String factor = change.get().factor().map(BigDecimal::toPlainString).orElse(MIXED);
        nodes.computeIfAbsent(factor, f -> new java.util.ArrayList<>()).add(node.name());
      } else if (NodeChange.gpus(gres) > 0) {
        nodes.computeIfAbsent("1", f -> new java.util.ArrayList<>()).add(node.name());
      }
    }
    return nodes;
  }

  private static void removedTypes(
      SiteEdits site, SitePlan plan, SlurmPartition partition, Weights weights) {
    TreeSet<String> types = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (SlurmNode node : partition.nodes()) {
      String gres =
          plan.node(node.name())
              .map(NodeChange::after)
              .orElse(node.gres().map(Setting::value).orElse(""));
      NodeChange.specs(gres).stream()
          .map(GresSpec::type)
          .flatMap(Optional::stream)
          .forEach(types::add);
    }
    for (Weights.Part gpu : weights.gpus()) {
      int colon = gpu.name().indexOf(':');
      if (colon > 0 && !types.contains(gpu.name().substring(colon + 1))) {
        site.warn(
            "partition %s has the weight %s, and no node of it has that type any more: GPUs cost nothing; name one of %s"
                .formatted(partition.name(), gpu.text(), types));
      }
    }
  }

  private static void priority(SiteEdits site, SitePlan plan, Setting setting) {
    Optional<Weights> weights = Weights.parse(setting.value());
    if (plan.countsChange() && weights.isPresent() && !weights.get().gpus().isEmpty()) {
      site.warn(
          "PriorityWeightTRES has %s: it counts a job's part of all GPUs of its partition, and a job of one share asks for less of them than one of a whole GPU did, so it gains less priority; raise the weight if that is not wanted"
              .formatted(weights.get().gpus().get(0).text()));
    }
  }
}
