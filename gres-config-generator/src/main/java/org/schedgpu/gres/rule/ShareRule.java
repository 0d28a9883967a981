package org.schedgpu.gres.rule;

import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.plan.NodePlan;

/** Determines n, the number of shares of each device of a node. Stateless and so thread-safe. */
public interface ShareRule {
  /**
   * The number of shares for this node.
   *
   * @return 1 to 256
   * @throws GresException if the result is outside this range
   */
  int sharesOf(NodeFacts node);

  /** The same n everywhere. */
  static ShareRule perGpu(int shares) {
    return node -> checked(node, "shares per device", shares, "--per-gpu");
  }

  /** n is the number of CPUs of the node: m devices x n CPUs, as in the schedGPU paper. */
  static ShareRule perCpu() {
    return node -> {
      int cpus =
          node.knownCpus()
              .orElseThrow(
                  () ->
                      new GresException(
                          "node " + node.nodeName() + " has no number of cpus in its facts",
                          "add \"cpus\" to them (--cpus), give the output of slurmd -C with"
                              + " --slurmd-c, or use --per-gpu: --per-cpu is m devices x n CPUs"));
      return checked(node, "shares per device from its cpus", cpus, "--per-gpu");
    };
  }

  /**
   * As many shares of this size as fit into what one job can get on the smallest device of the node
   * ({@link Device#usableBytes}), rounded down.
   *
   * @param size a size that {@link Sizes} reads; a percentage refers to the memory that one job can
   *     get
   */
  static ShareRule ofMemory(String size) {
    return node -> {
      long usableBytes = Device.smallestUsableBytes(node.devices());
      long shareBytes = Sizes.parseBytes(size, usableBytes);
      if (shareBytes < 1 || shareBytes > usableBytes) {
        throw new GresException(
            "node %s, a share of %s does not fit into the %s that a job can get on its device"
                .formatted(node.nodeName(), Check.quoted(size), Sizes.format(usableBytes)),
            "use a size from 1M to that");
      }
      long shares = usableBytes / shareBytes;
      return checked(node, "shares of " + size, Math.min(shares, Integer.MAX_VALUE), "--share");
    };
  }

  private static int checked(NodeFacts node, String what, long shares, String option) {
    if (shares < 1 || shares > NodePlan.MAX_SHARES) {
      throw new GresException(
          "node %s, %s is %d".formatted(node.nodeName(), what, shares),
          "a device has 1 to %d shares; choose with %s".formatted(NodePlan.MAX_SHARES, option));
    }
    return (int) shares;
  }
}
