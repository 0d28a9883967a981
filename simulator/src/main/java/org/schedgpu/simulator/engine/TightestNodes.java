package org.schedgpu.simulator.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.schedgpu.simulator.job.Job;

/**
 * The nodes that Slurm chooses by default (select/cons_tres). Neighbours with room are a run. Slurm
 * takes the run that has the fewest CPUs for the job in sum and yet enough nodes; of it a job takes
 * the node with the fewest CPUs for it, and a job over several nodes the first ones. If no run has
 * enough nodes, Slurm begins with the run that has the most CPUs. The first wins where two are
 * equal.
 */
final class TightestNodes {
  private final NodeState[] nodes;
  private final FreeNodes free;

  /** Nodes from {@code first} on, one after the other, with room. */
  private record Run(int first, int count, long cpus, int tightest) {}

  TightestNodes(NodeState[] nodes, FreeNodes free) {
    this.nodes = nodes;
    this.free = free;
  }

  /** As many nodes as the job needs; empty if there are too few. */
  List<Integer> find(Job job, IntPredicate allowed) {
    List<Integer> found = new ArrayList<>(job.nodes());
    IntPredicate rest = node -> !found.contains(node) && allowed.test(node);
    while (found.size() < job.nodes()) {
      Run run = best(job, job.nodes() - found.size(), job.nodes() == 1 ? allowed : rest);
      if (run == null) {
        return List.of();
      }
      int wanted = job.nodes() - found.size();
      for (int i = 0; i < Math.min(wanted, run.count); i++) {
        found.add(wanted == 1 ? run.tightest : run.first + i);
      }
    }
    return found;
  }

  private Run best(Job job, int wanted, IntPredicate allowed) {
    Run best = null;
    int from = 0;
    while ((from = free.next(job, from, allowed)) >= 0) {
      Run run = runFrom(from, job, allowed);
      if (best == null || isBetter(run, best, wanted)) {
        best = run;
      }
      from += run.count;
    }
    return best;
  }

  private Run runFrom(int first, Job job, IntPredicate allowed) {
    int node = first;
    int tightest = first;
    long sum = 0;
    do {
      int cpus = cpusFor(job, node);
      sum += cpus;
      if (cpus < cpusFor(job, tightest)) {
        tightest = node;
      }
      node++;
    } while (node < nodes.length && free.hasRoom(job, node) && allowed.test(node));
    return new Run(first, node - first, sum, tightest);
  }

  private static boolean isBetter(Run run, Run best, int wanted) {
    boolean enough = run.count >= wanted;
    if (enough != best.count >= wanted) {
      return enough;
    }
    return enough ? run.cpus < best.cpus : run.cpus > best.cpus;
  }

  /** Slurm counts the CPUs of a node in tasks of the job; here a job is one task on each node. */
  private int cpusFor(Job job, int node) {
    int free = nodes[node].freeCpus;
    return job.cpus() <= 1 ? free : free / job.cpus() * job.cpus();
  }
}
