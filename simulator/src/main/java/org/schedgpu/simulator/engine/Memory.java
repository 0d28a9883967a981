package org.schedgpu.simulator.engine;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.NodeCores;
import org.schedgpu.simulator.cluster.NodeSpec;

/** Device memory: libschedgpu's core, one for each node, makes every decision. */
final class Memory implements AutoCloseable {
  private static final int NODE_PRIORITY = 0;

  private final List<NodeSpec> nodes;
  private final NodeCores cores;
  private final Part[][] bySlot;
  private final long contextBytes;

  Memory(List<NodeSpec> nodes, Scenario scenario, long contextBytes, int overtakeLimit) {
    this.nodes = nodes;
    this.cores = new NodeCores(nodes.size(), scenario.policy(), overtakeLimit);
    this.bySlot = new Part[nodes.size()][];
    this.contextBytes = contextBytes;
  }

  /** A part starts on its node; true if it gets all its memory at once. */
  boolean enter(Part part, long nowNs, Grants grants) {
    make(part.node);
    int slot =
        cores.enter(
            part.node,
            part.run.index,
            NODE_PRIORITY,
            part.deviceMask,
            part.run.job.deviceBytes(),
            nowNs,
            part.wait);
    check(part, slot);
    part.slot = slot;
    if (slot >= bySlot[part.node].length) {
      bySlot[part.node] = Arrays.copyOf(bySlot[part.node], 2 * slot);
    }
    bySlot[part.node][slot] = part;
    boolean has = !part.wait.waits();
    resumeGranted(part.node, nowNs, grants);
    return has;
  }

  /** A part ends; others on its node may get their memory. */
  void leave(Part part, long nowNs, Grants grants) {
    check(part, cores.leave(part.node, part.slot, part.run.index, nowNs));
    bySlot[part.node][part.slot] = null;
    resumeGranted(part.node, nowNs, grants);
  }

  /** Parts with a granted request continue, in the order of the grants. */
  private void resumeGranted(int node, long nowNs, Grants grants) {
    ArrayDeque<Part> granted = new ArrayDeque<>();
    addGranted(node, granted, grants);
    while (!granted.isEmpty()) {
      Part part = granted.remove();
      check(part, cores.resume(node, part.slot, nowNs, part.wait));
      addGranted(node, granted, grants);
      if (!part.wait.waits()) {
        grants.served(part);
      }
    }
  }

  private void addGranted(int node, ArrayDeque<Part> granted, Grants grants) {
    for (int slot : cores.granted(node)) {
      Part part = bySlot[node][slot];
      grants.granted(part);
      granted.add(part);
    }
  }

  private void make(int node) {
    if (bySlot[node] != null) {
      return;
    }
    bySlot[node] = new Part[16];
    NodeSpec spec = nodes.get(node);
    long[] total = new long[spec.gpus()];
    long[] context = new long[spec.gpus()];
    Arrays.fill(total, spec.gpuBytes());
    Arrays.fill(context, contextBytes);
    cores.make(node, total, context);
  }

  private void check(Part part, int result) {
    if (result < 0) {
      throw new IllegalStateException(
          "job "
              + part.run.job.id()
              + " on "
              + nodes.get(part.node).name()
              + ": "
              + ErrorCode.of(result)
              + ": this is a defect of schedgpu simulate, report it");
    }
  }

  @Override
  public void close() {
    cores.close();
  }
}
