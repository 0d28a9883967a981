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

/**
 * Finds nodes outside a plan that the plan would take out of service. Without gpu in GresTypes=
 * Slurm ignores GPUs; as soon as it is there, slurmctld drains every node that has fewer GPUs than
 * its Gres= says.
 */
public final class UnlistedNodes {
  private static final String GRES_TYPES = "GresTypes";

  private UnlistedNodes() {}

  /** A warning if there are such nodes. */
  public static Optional<String> check(
      SlurmConfig slurm, Optional<CurrentGresConf> gresConf, Set<String> planned) {
    if (has(slurm.setting(GRES_TYPES))) {
      return Optional.empty();
    }
    List<String> names = new ArrayList<>();
    for (SlurmNode node : slurm.nodes()) {
      boolean hasLine = gresConf.map(conf -> conf.knowsGpus(node.name())).orElse(false);
      if (!planned.contains(node.name()) && !hasLine && hasGpus(node)) {
        names.add(node.name());
      }
    }
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "GresTypes= gets gpu, which it has not now: %s has gpu in Gres= and no line in gres.conf, so slurmctld drains it (INVALID_REG); plan it, too, or list its GPUs in gres.conf, or take gpu out of its Gres="
                .formatted(Hostlist.compress(names)));
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
