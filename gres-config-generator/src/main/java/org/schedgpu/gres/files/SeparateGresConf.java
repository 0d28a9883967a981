package org.schedgpu.gres.files;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Finds nodes whose GPUs come from a gres.conf of their own, and not from the one in this folder.
 */
public final class SeparateGresConf {
  private SeparateGresConf() {}

  /**
   * A note that says what to do, if there are such nodes.
   *
   * @param gresOf by node name, Gres= of slurm.conf; empty text if it is not known
   */
  public static Optional<String> note(
      GresPlan plan, Function<String, String> gresOf, Optional<CurrentGresConf> gresConf) {
    List<String> names =
        plan.nodes().stream()
            .map(NodePlan::nodeName)
            .filter(node -> hasGpus(gresOf.apply(node)))
            .filter(node -> gresConf.stream().noneMatch(conf -> conf.knowsGpus(node)))
            .toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s has GPUs now that no line of gres.conf here is for: if it has a gres.conf of its own, bring what that has of other GRES into the one here with NodeName=, and put the planned one in its place (rollout --distribute, or a link): its lines name their nodes, so it is right on all"
                .formatted(Hostlist.compress(names)));
  }

  private static boolean hasGpus(String gres) {
    return GresSpec.parse(gres).stream().anyMatch(spec -> spec.name().equals(NodePlan.GPU));
  }
}
