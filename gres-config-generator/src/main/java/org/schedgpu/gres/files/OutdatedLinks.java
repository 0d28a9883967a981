package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Finds Links= values that schedGPU wrote for another release of Slurm. Slurm 24.05 reversed their
 * meaning: with older lines, a job with {@code --gres=gpu:2} always gets a single device.
 */
public final class OutdatedLinks {
  private OutdatedLinks() {}

  /**
   * The problem and what to do about it; empty if schedGPU wrote no Links=, or wrote it for this
   * Slurm.
   *
   * @param gresConf the file in place
   * @throws GresException if it cannot be read
   */
  public static Optional<Problem> of(Path gresConf, SlurmVersion version) {
    CurrentGresConf now = CurrentGresConf.read(gresConf, Optional.empty());
    LinkRule wanted = LinkRule.of(version);
    List<String> nodes =
        now.block().read().nodes().stream()
            .filter(node -> rule(ours(now, node)).filter(rule -> rule != wanted).isPresent())
            .toList();
    return nodes.isEmpty()
        ? Optional.empty()
        : Optional.of(new Problem(Hostlist.compress(nodes), version));
  }

  /** The nodes whose Links= is for the other kind of release. */
  public record Problem(String nodes, SlurmVersion version) {
    /** What is wrong, with its consequence. */
    public String what() {
      return "Links= of %s in gres.conf is written for Slurm %s, this is %s: a job of several GPUs"
              .formatted(
                  nodes,
                  LinkRule.of(version) == LinkRule.LEAST_LINKED ? "before 24.05" : "from 24.05 on",
                  version)
          + " gets one device where it could have different ones";
    }

    /** What to do. */
    public String action() {
      return "plan and apply again, for Slurm " + version;
    }
  }

  private static List<GresLine> ours(CurrentGresConf now, String node) {
    return now.config().linesFor(node).stream()
        .filter(line -> now.isOurs(line.line()) && line.name().equals(NodePlan.GPU))
        .toList();
  }

  /**
   * The rule for which the lines were written. It is seen in the first line with links both to a
   * GPU of the same device and to one of another device.
   */
  private static Optional<LinkRule> rule(List<GresLine> lines) {
    for (int i = 0; i < lines.size(); i++) {
      List<Integer> same = new ArrayList<>();
      List<Integer> others = new ArrayList<>();
      List<String> links = List.of(lines.get(i).links().orElse("").split(",", -1));
      for (int other = 0; other < lines.size() && links.size() >= lines.size(); other++) {
        boolean sameDevice = lines.get(other).files().equals(lines.get(i).files());
        if (other != i) {
          (sameDevice ? same : others).add(Integer.valueOf(links.get(other)));
        }
      }
      if (!same.isEmpty() && !others.isEmpty()) {
        boolean prefersOthersByMany = same.get(0) < others.get(0);
        return Optional.of(prefersOthersByMany ? LinkRule.MOST_LINKED : LinkRule.LEAST_LINKED);
      }
    }
    return Optional.empty();
  }
}
