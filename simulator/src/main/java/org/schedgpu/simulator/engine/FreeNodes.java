package org.schedgpu.simulator.engine;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.schedgpu.simulator.job.Job;

/**
 * Finds nodes with room. It is a tree over the nodes, in the order of the file, with the largest
 * value of each resource below each branch. A search costs O(log n), unless the largest values come
 * from different nodes.
 */
final class FreeNodes {
  private final NodeState[] nodes;
  private final Rules rules;
  private final int leaves;
  private final GpuTypes types;
  private final long[] typeMask;
  private final int[] devices;
  private final int[] cpus;
  private final int[] fewestCpus;
  private final long[] hostBytes;
  private final long[] deviceBytes;

  FreeNodes(NodeState[] nodes, Rules rules, GpuTypes types) {
    this.nodes = nodes;
    this.rules = rules;
    this.types = types;
    this.leaves = Math.max(1, Integer.highestOneBit(Math.max(1, nodes.length * 2 - 1)));
    this.typeMask = new long[2 * leaves];
    this.devices = new int[2 * leaves];
    this.cpus = new int[2 * leaves];
    this.fewestCpus = new int[2 * leaves];
    Arrays.fill(fewestCpus, Integer.MAX_VALUE);
    this.hostBytes = new long[2 * leaves];
    this.deviceBytes = new long[2 * leaves];
    for (int node = 0; node < nodes.length; node++) {
      update(node);
    }
  }

  /** Resources of this node were allocated or released. */
  void update(int node) {
    int at = leaves + node;
    devices[at] = rules.devicesWithRoom(nodes[node]);
    typeMask[at] = devices[at] == 0 ? 0 : types.maskOf(nodes[node].spec.gpuType());
    cpus[at] = nodes[node].freeCpus;
    fewestCpus[at] = devices[at] == 0 ? Integer.MAX_VALUE : nodes[node].freeCpus;
    hostBytes[at] = nodes[node].freeHostBytes;
    deviceBytes[at] = rules.largestRequest(nodes[node]);
    for (at /= 2; at > 0; at /= 2) {
      typeMask[at] = typeMask[2 * at] | typeMask[2 * at + 1];
      devices[at] = Math.max(devices[2 * at], devices[2 * at + 1]);
      cpus[at] = Math.max(cpus[2 * at], cpus[2 * at + 1]);
      fewestCpus[at] = Math.min(fewestCpus[2 * at], fewestCpus[2 * at + 1]);
      hostBytes[at] = Math.max(hostBytes[2 * at], hostBytes[2 * at + 1]);
      deviceBytes[at] = Math.max(deviceBytes[2 * at], deviceBytes[2 * at + 1]);
    }
  }

  /**
   * The first node from {@code from} on that has room for the job, has fewer free CPUs than {@code
   * freeBelow}, and is allowed; -1 if none. It costs less if that is near.
   */
  int next(Job job, int from, long freeBelow, IntPredicate allowed) {
    long wanted = types.maskOf(job);
    int at = from < leaves ? leaves + from : 0;
    while (at > 0) {
      boolean possible =
          fewestCpus[at] < freeBelow && (typeMask[at] & wanted) != 0 && mayHaveRoom(at, job);
      if (possible && at < leaves) {
        at = 2 * at;
      } else if (possible && fits(at - leaves, job) && allowed.test(at - leaves)) {
        return at - leaves;
      } else {
        at = right(at);
      }
    }
    return -1;
  }

  /** The largest branch that begins behind this one; 0 if none. */
  private static int right(int at) {
    int up = at >>> Integer.numberOfTrailingZeros(~at);
    return up == 0 ? 0 : up + 1;
  }

  private boolean fits(int node, Job job) {
    return node < nodes.length && rules.place(nodes[node], job) != Rules.NOWHERE;
  }

  /** True if this node has room for the job. */
  boolean hasRoom(Job job, int node) {
    int at = leaves + node;
    return (typeMask[at] & types.maskOf(job)) != 0
        && mayHaveRoom(at, job)
        && ((types.areFew() && rules.isDecidedByOneDevice(job))
            || rules.place(nodes[node], job) != Rules.NOWHERE);
  }

  /** The allowed node with room that has the most idle CPUs, the first of them; -1 if none. */
  int idlest(Job job, IntPredicate allowed) {
    return idlest(1, 0, leaves, -1, job, types.maskOf(job), allowed);
  }

  /** As {@code best}, or a node below the branch with more idle CPUs. */
  private int idlest(
      int at, int low, int width, int best, Job job, long wanted, IntPredicate allowed) {
    boolean better = best < 0 || cpus[at] > nodes[best].freeCpus;
    if (!better || (typeMask[at] & wanted) == 0 || !mayHaveRoom(at, job)) {
      return best;
    }
    if (width == 1) {
      return rules.place(nodes[low], job) != Rules.NOWHERE && allowed.test(low) ? low : best;
    }
    int half = width / 2;
    boolean rightFirst = cpus[2 * at + 1] > cpus[2 * at];
    int first = rightFirst ? 2 * at + 1 : 2 * at;
    int firstLow = rightFirst ? low + half : low;
    int found = idlest(first, firstLow, half, best, job, wanted, allowed);
    return idlest(first ^ 1, 2 * low + half - firstLow, half, found, job, wanted, allowed);
  }

  private boolean mayHaveRoom(int at, Job job) {
    return devices[at] >= job.gpus()
        && cpus[at] >= job.cpus()
        && hostBytes[at] >= job.hostBytes()
        && deviceBytes[at] >= job.deviceBytes();
  }
}
