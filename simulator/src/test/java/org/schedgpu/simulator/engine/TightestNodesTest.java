package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** Short cuts of the search change no choice: the rules are written here again, without any. */
class TightestNodesTest {
  private static final int ROUNDS = 20_000;
  private static final int MAX_NODES = 24;
  private static final int MAX_CPUS = 9;

  /** Free CPUs of the nodes; 0 where there is no room. */
  private static final class Cpus implements TightestNodes.Candidates {
    private final int[] free;

    Cpus(int... free) {
      this.free = free;
    }

    @Override
    public int next(int from, long freeBelow) {
      for (int node = from; node < free.length; node++) {
        if (contains(node) && free[node] < freeBelow) {
          return node;
        }
      }
      return -1;
    }

    @Override
    public boolean contains(int node) {
      return node >= 0 && node < free.length && free[node] > 0;
    }

    @Override
    public int freeCpus(int node) {
      return free[node];
    }
  }

  private static Job job(int nodes, int cpus) {
    return job(nodes, cpus, 1);
  }

  private static Job job(int nodes, int cpus, int gib) {
    return new Job(0, 0, 0, 1, 1, nodes, 1, cpus, 1, List.of(), gib * Small.GIB, 1, 0);
  }

  private static int cpusFor(Job job, int free) {
    return free / job.cpus() * job.cpus();
  }

  /** The runs, each as its nodes. */
  private static List<List<Integer>> runs(int[] free) {
    List<List<Integer>> runs = new ArrayList<>();
    for (int node = 0; node < free.length; node++) {
      if (free[node] > 0) {
        if (node == 0 || free[node - 1] == 0) {
          runs.add(new ArrayList<>());
        }
        runs.get(runs.size() - 1).add(node);
      }
    }
    return runs;
  }

  private static List<Integer> expected(Job job, int[] free) {
    List<List<Integer>> runs = runs(free);
    List<Integer> found = new ArrayList<>();
    while (found.size() < job.nodes() && !runs.isEmpty()) {
      int wanted = job.nodes() - found.size();
      List<Integer> best = best(job, free, runs, wanted);
      if (wanted == 1) {
        int fewest = best.stream().mapToInt(node -> cpusFor(job, free[node])).min().orElseThrow();
        best.stream()
            .filter(node -> cpusFor(job, free[node]) == fewest)
            .limit(1)
            .forEach(found::add);
      } else {
        found.addAll(best.subList(0, Math.min(wanted, best.size())));
      }
      runs.remove(best);
    }
    return found.size() < job.nodes() ? List.of() : found;
  }

  private static List<Integer> best(Job job, int[] free, List<List<Integer>> runs, int wanted) {
    List<Integer> best = List.of();
    int bestCpus = 0;
    boolean bestIsEnough = false;
    for (List<Integer> run : runs) {
      int cpus = run.stream().mapToInt(node -> cpusFor(job, free[node])).sum();
      boolean enough = run.size() >= wanted;
      boolean better = enough ? !bestIsEnough || cpus < bestCpus : cpus > bestCpus;
      if (best.isEmpty() || better) {
        best = run;
        bestCpus = cpus;
        bestIsEnough = enough;
      }
    }
    return best;
  }

  @Test
  void randomNodesAreChosenByTheRules() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      Job job = job(1 + random.nextInt(4), 1 + random.nextInt(3));
      int[] free = new int[1 + random.nextInt(MAX_NODES)];
      int emptyOfTen = random.nextInt(10);
      for (int node = 0; node < free.length; node++) {
        boolean room = random.nextInt(10) >= emptyOfTen;
        free[node] = room ? job.cpus() + random.nextInt(MAX_CPUS) : 0;
      }
      String message =
          "seed %d, round %d, %s, %s".formatted(seed, round, job, Arrays.toString(free));
      assertEquals(expected(job, free), TightestNodes.find(job, new Cpus(free)), message);
    }
  }

  /** Jobs come and go on nodes of two devices with eight shards each; one node is kept free. */
  @Test
  void theTreeOfTheNodesFindsTheSame() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    NodeSpec spec = new NodeSpec("n", 12, Small.GIB, "a", 2, 8 * Small.GIB);
    Scenario scenario = Scenario.memory(100, Small.GIB, Policy.FIFO);
    Placer placer =
        new Placer(
            new Settings(Collections.nCopies(MAX_NODES, spec), 0, 64, NodeChoice.TIGHTEST, false),
            scenario,
            new Rules(scenario, 0));
    List<Run> running = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      Job job = job(1 + random.nextInt(3), 1 + random.nextInt(8), 1 + random.nextInt(8));
      int kept = random.nextInt(MAX_NODES);
      int[] free = new int[MAX_NODES];
      for (int node = 0; node < MAX_NODES; node++) {
        boolean room = node != kept && placer.hasRoom(placer.node(node), job);
        free[node] = room ? placer.node(node).freeCpus : 0;
      }
      List<Part> parts = placer.find(job, node -> node != kept);
      String message =
          "seed %d, round %d, %s, %s".formatted(seed, round, job, Arrays.toString(free));
      assertEquals(expected(job, free), parts.stream().map(part -> part.node).toList(), message);
      if (!parts.isEmpty()) {
        running.add(new Run(round, job, parts, 0));
        placer.take(running.get(running.size() - 1));
      }
      boolean ends = parts.isEmpty() || random.nextInt(3) == 0;
      if (ends && !running.isEmpty()) {
        placer.giveBack(running.remove(random.nextInt(running.size())));
      }
    }
  }

  /** Two nodes of one CPU each would do, but the search goes on and finds more CPUs. */
  @Test
  void aRunWithTooFewNodesAndMoreCpusReplacesOneWithEnough() {
    assertEquals(List.of(3, 0), TightestNodes.find(job(2, 1), new Cpus(1, 1, 0, 5)));
    assertEquals(List.of(0, 1), TightestNodes.find(job(2, 1), new Cpus(1, 1, 0, 2)));
    assertEquals(List.of(2, 3), TightestNodes.find(job(2, 1), new Cpus(5, 0, 1, 1)));
    assertEquals(
        List.of(5, 6), TightestNodes.find(job(2, 1), new Cpus(1, 1, 0, 5, 0, 4, 4)), "the last");
  }

  /** The first run has more CPUs, of which the search does not count all. */
  @Test
  void theNodeAfterASkippedOneIsOfTheSameRun() {
    assertEquals(List.of(0), TightestNodes.find(job(1, 1), new Cpus(3, 0, 4, 1, 0, 3)));
    assertEquals(List.of(5), TightestNodes.find(job(1, 1), new Cpus(3, 0, 4, 1, 0, 2)));
  }
}
