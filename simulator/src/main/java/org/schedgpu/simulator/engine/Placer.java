package org.schedgpu.simulator.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** What the cluster's scheduler has allocated. */
final class Placer {
  private final NodeState[] nodes;
  private final FreeNodes free;
  private final Rules rules;
  private final NodeChoice choice;
  private final boolean keepsOwnNodes;

  Placer(Settings settings, Scenario scenario, Rules rules) {
    List<NodeSpec> specs = settings.nodes();
    this.choice = settings.choice();
    this.keepsOwnNodes = settings.keepsOwnNodes();
    this.rules = rules;
    this.nodes =
        specs.stream().map(spec -> new NodeState(spec, scenario)).toArray(NodeState[]::new);
    this.free = new FreeNodes(nodes, rules, new GpuTypes());
  }

  /** Nodes with room for the job, one part for each; empty if there are too few. */
  List<Part> find(Job job, IntPredicate allowed) {
    List<Integer> found =
        choice == NodeChoice.IDLEST ? idlest(job, allowed) : choose(job, candidates(job, allowed));
    List<Part> parts = new ArrayList<>(found.size());
    for (int node : found) {
      parts.add(new Part(node, rules.place(nodes[node], job)));
    }
    return parts;
  }

  /** As many of these nodes as the job needs; empty if there are too few. */
  List<Integer> choose(Job job, TightestNodes.Candidates candidates) {
    if (choice == NodeChoice.FIRST && job.nodes() == 1) {
      int first = candidates.next(0, Long.MAX_VALUE);
      return first < 0 ? List.of() : List.of(first);
    }
    return TightestNodes.find(job, candidates);
  }

  /**
   * True if a job gets its nodes when the jobs on them end, not when all have that it looked at.
   */
  boolean looksAtOwnNodesOnly() {
    return keepsOwnNodes;
  }

  private TightestNodes.Candidates candidates(Job job, IntPredicate allowed) {
    return new TightestNodes.Candidates() {
      @Override
      public int next(int from, long freeBelow) {
        return free.next(job, from, freeBelow, allowed);
      }

      @Override
      public boolean contains(int node) {
        return node >= 0 && node < nodes.length && free.hasRoom(job, node) && allowed.test(node);
      }

      @Override
      public int freeCpus(int node) {
        return nodes[node].freeCpus;
      }
    };
  }

  private List<Integer> idlest(Job job, IntPredicate allowed) {
    List<Integer> found = new ArrayList<>(job.nodes());
    while (found.size() < job.nodes()) {
      int node = free.idlest(job, any -> allowed.test(any) && !found.contains(any));
      if (node < 0) {
        return List.of();
      }
      found.add(node);
    }
    return found;
  }

  /** Nodes that have room for the job now, at most as many as it needs. */
  List<Integer> nodesWithRoom(Job job) {
    List<Integer> found = new ArrayList<>();
    int node = free.next(job, 0, Long.MAX_VALUE, any -> true);
    while (node >= 0 && found.size() < job.nodes()) {
      found.add(node);
      node = free.next(job, node + 1, Long.MAX_VALUE, any -> true);
    }
    return found;
  }

  void take(Run run) {
    change(run, 1);
  }

  void giveBack(Run run) {
    change(run, -1);
  }

  private void change(Run run, int sign) {
    for (Part part : run.parts) {
      nodes[part.node].add(run.job, part.deviceMask, sign);
      free.update(part.node);
    }
  }

  NodeState node(int node) {
    return nodes[node];
  }

  boolean hasRoom(NodeState node, Job job) {
    return rules.place(node, job) != Rules.NOWHERE;
  }
}
