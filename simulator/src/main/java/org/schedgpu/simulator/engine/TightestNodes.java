package org.schedgpu.simulator.engine;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.simulator.job.Job;

/**
 * The nodes that Slurm chooses by default (select/cons_tres). Neighbours with room are a run. Slurm
 * goes through the runs in the order of their nodes and keeps one. A run with enough nodes replaces
 * one with too few, and one with enough that has more CPUs for the job in sum. A run with too few
 * nodes replaces any that has fewer CPUs, even one with enough nodes. Of the run that is left, a
 * job takes the node with the fewest CPUs for it, and a job over several nodes the first ones. If
 * they are too few, Slurm looks for the rest in the other runs. The first wins where two are equal.
 *
 * @see "Slurm 22.05.8, _eval_nodes() in src/plugins/select/cons_tres/job_test.c"
 */
final class TightestNodes {
  private final Job job;
  private final Candidates candidates;
  private final List<Integer> found;

  /** Nodes with room for a job. */
  interface Candidates {
    /** The first one from {@code from} on with fewer free CPUs than that; -1 if none. */
    int next(int from, long freeBelow);

    /** True if this number is of a node with room. */
    boolean contains(int node);

    int freeCpus(int node);
  }

  /** Nodes from {@code first} on, one after the other, with room. */
  private record Run(int first, int count, long cpus, int tightest) {}

  private TightestNodes(Job job, Candidates candidates) {
    this.job = job;
    this.candidates = candidates;
    this.found = new ArrayList<>(job.nodes());
  }

  /** As many nodes as the job needs; empty if there are too few. */
  static List<Integer> find(Job job, Candidates candidates) {
    return new TightestNodes(job, candidates).find();
  }

  private List<Integer> find() {
    while (found.size() < job.nodes()) {
      int wanted = job.nodes() - found.size();
      Run run = best(wanted);
      if (run == null) {
        return List.of();
      }
      for (int i = 0; i < Math.min(wanted, run.count); i++) {
        found.add(wanted == 1 ? run.tightest : run.first + i);
      }
    }
    return found;
  }

  private Run best(int wanted) {
    if (wanted == 1) {
      return tightest();
    }
    Run best = null;
    int from = 0;
    while ((from = candidates.next(from, Long.MAX_VALUE)) >= 0) {
      if (found.contains(from)) {
        from++;
        continue;
      }
      Run run = runFrom(from, Long.MAX_VALUE);
      if (best == null || replaces(run, best, wanted)) {
        best = run;
      }
      from += run.count;
    }
    return best;
  }

  /**
   * As {@link #best} for one node. It passes over nodes that alone have as many CPUs as the best
   * run: no run with one of them is better. Such a run may go on behind them.
   */
  private Run tightest() {
    Run best = null;
    long below = Long.MAX_VALUE;
    int from = 0;
    while ((from = candidates.next(from, below)) >= 0) {
      if (found.contains(from) || isFree(from - 1)) {
        from++;
        continue;
      }
      Run run = runFrom(from, below);
      if (run.cpus < below) {
        best = run;
        below = run.cpus;
      }
      from += run.count;
    }
    return best;
  }

  private boolean isFree(int node) {
    return candidates.contains(node) && !found.contains(node);
  }

  /** Ends early if it has so many CPUs. */
  private Run runFrom(int first, long enoughCpus) {
    int node = first;
    int tightest = first;
    int fewest = Integer.MAX_VALUE;
    long sum = 0;
    do {
      int cpus = cpusFor(node);
      sum += cpus;
      if (cpus < fewest) {
        fewest = cpus;
        tightest = node;
      }
      node++;
    } while (sum < enoughCpus && isFree(node));
    return new Run(first, node - first, sum, tightest);
  }

  private static boolean replaces(Run run, Run best, int wanted) {
    if (run.count < wanted) {
      return run.cpus > best.cpus;
    }
    return best.count < wanted || run.cpus < best.cpus;
  }

  /** Slurm counts the CPUs of a node in tasks of the job; here a job is one task on each node. */
  private int cpusFor(int node) {
    int free = candidates.freeCpus(node);
    return job.cpus() <= 1 ? free : free / job.cpus() * job.cpus();
  }
}
