package org.schedgpu.minicluster;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One compute node as slurm.conf describes it. The host needs to have neither the CPUs nor the
 * memory: slurmd runs with {@code config_overrides}.
 *
 * @param name 1-20 letters, digits or dashes. Two clusters that run at the same time need different
 *     names if they constrain devices, because Slurm's cgroups are named after the node
 * @param cpus CPUs that Slurm may allocate, at least 1
 * @param realMemoryMiB memory that Slurm may allocate, in MiB, at least 1
 * @param gres value of {@code Gres=}, such as {@code gpu:fake:6}; empty for none
 * @param sockets over which the CPUs, cores of one thread, are spread evenly; 0: Slurm takes each
 *     CPU for a socket
 */
public record NodeSpec(String name, int cpus, long realMemoryMiB, String gres, int sockets) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,19}");

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is out of its range
   */
  public NodeSpec {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "mini-cluster: node name '" + name + "': use a letter, then up to 19 letters or digits");
    }
    if (cpus < 1 || realMemoryMiB < 1) {
      throw new IllegalArgumentException(
          "mini-cluster: node " + name + " needs at least 1 CPU and 1 MiB");
    }
    if (sockets < 0 || (sockets > 0 && cpus % sockets != 0)) {
      throw new IllegalArgumentException(
          "mini-cluster: node %s: %d CPUs cannot be spread over %d sockets"
              .formatted(name, cpus, sockets));
    }
  }

  /**
   * A node with only a number of CPUs.
   *
   * @throws IllegalArgumentException if a value is out of its range
   */
  public NodeSpec(String name, int cpus, long realMemoryMiB, String gres) {
    this(name, cpus, realMemoryMiB, gres, 0);
  }

  /**
   * Several equal nodes, {@code <prefix>1} to {@code <prefix><count>}.
   *
   * @throws IllegalArgumentException if a value is out of its range
   */
  public static List<NodeSpec> numbered(
      String prefix, int count, int cpus, long realMemoryMiB, String gres) {
    List<NodeSpec> nodes = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      nodes.add(new NodeSpec(prefix + i, cpus, realMemoryMiB, gres));
    }
    return List.copyOf(nodes);
  }
}
