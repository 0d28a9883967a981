package org.schedgpu.gres.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.site.Notice;
import org.schedgpu.gres.site.Severity;

/**
 * Finds nodes outside a plan that the plan would take out of service. Without gpu in GresTypes=
 * Slurm ignores GPUs; as soon as it is there, slurmctld drains every node that has fewer GPUs than
 * its Gres= says.
 */
public final class UnlistedNodes {
  private static final String GRES_TYPES = "GresTypes";

  private UnlistedNodes() {}

  /** Warnings if there are such nodes, and on nodes whose GPUs begin to count. */
  public static List<Notice> check(
      SlurmConfig slurm, Optional<CurrentGresConf> gresConf, Set<String> planned) {
    if (has(slurm.setting(GRES_TYPES))) {
      return List.of();
    }
    List<String> drained = new ArrayList<>();
    List<String> counted = new ArrayList<>();
    for (SlurmNode node : slurm.nodes()) {
      boolean hasLine = gresConf.map(conf -> conf.knowsGpus(node.name())).orElse(false);
      if (!planned.contains(node.name()) && hasGpus(node)) {
        (hasLine ? counted : drained).add(node.name());
      }
    }
    List<Notice> notices = new ArrayList<>();
    if (!drained.isEmpty()) {
      notices.add(
          new Notice(
              Severity.LOSS,
              "GresTypes= gets gpu, which it has not now: %s has gpu in Gres= and no line in gres.conf, so slurmctld drains it (INVALID_REG); plan it, too, or list its GPUs in gres.conf, or take gpu out of its Gres="
                  .formatted(Hostlist.compress(drained))));
    }
    if (!counted.isEmpty()) {
      notices.add(
          new Notice(
              Severity.COUNTS,
              "GresTypes= gets gpu, which it has not now: the GPUs of %s, which is not in the plan, begin to count, too: jobs there get the whole GPUs that they ask for, and with ConstrainDevices=yes jobs that ask for none can open none"
                  .formatted(Hostlist.compress(counted))));
    }
    return notices;
  }

  private static boolean has(Optional<Setting> types) {
    String value = types.map(Setting::value).orElse("");
    return Arrays.stream(value.split(",", -1)).anyMatch(t -> t.strip().equals(NodePlan.GPU));
  }

  private static boolean hasGpus(SlurmNode node) {
    return node.gres().map(gres -> GresSpec.parse(gres.value())).orElse(List.of()).stream()
        .anyMatch(spec -> spec.name().strip().equals(NodePlan.GPU) && spec.count() > 0);
  }
}
