package org.schedgpu.simulator.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.simulator.job.Job;

/**
 * When and where the first job of the queue could begin if every running job ended at its time
 * limit. No job behind it may delay that (EASY backfill). As Slurm does, it looks at the nodes when
 * all jobs have ended that end within 30 s of the first one. If they are not enough, it doubles the
 * 30 s until the next job ends within them.
 *
 * @param atNs the time; Long.MAX_VALUE if the job could never begin
 * @param nodes the nodes that it would get
 */
record Reservation(long atNs, Set<Integer> nodes) {
  private static final long FIRST_WINDOW_NS = 30_000_000_000L;

  static Reservation of(Job job, Placer placer, Iterable<Run> byExpectedEnd, long nowNs) {
    Later later = new Later(job, placer);
    long windowNs = FIRST_WINDOW_NS;
    long firstNs = Long.MAX_VALUE;
    long lastNs = nowNs;
    for (Run run : byExpectedEnd) {
      long endNs = run.expectedEndNs();
      firstNs = Math.min(firstNs, endNs);
      if (endNs - firstNs > windowNs && later.isEnough()) {
        break;
      }
      while (endNs - firstNs > windowNs) {
        windowNs = windowNs > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * windowNs;
      }
      later.end(run);
      lastNs = endNs;
    }
    if (!later.isEnough()) {
      return new Reservation(Long.MAX_VALUE, Set.of());
    }
    List<Integer> chosen = later.chosen();
    long atNs = placer.looksAtOwnNodesOnly() ? later.lastEndNs(chosen) : lastNs;
    return new Reservation(Math.max(nowNs, atNs), Set.copyOf(chosen));
  }

  /** True if a job that began now would end before, by its time limit. */
  boolean isAfter(Job job, long nowNs) {
    return nowNs + job.limitNs() <= atNs;
  }

  /** The nodes after jobs have ended. */
  private static final class Later implements TightestNodes.Candidates {
    private final Job job;
    private final Placer placer;
    private final NavigableSet<Integer> withRoom;
    private final Map<Integer, NodeState> states = new HashMap<>();
    private final Map<Integer, Long> lastEnds = new HashMap<>();

    Later(Job job, Placer placer) {
      this.job = job;
      this.placer = placer;
      this.withRoom = new TreeSet<>(placer.nodesWithRoom(job));
    }

    void end(Run run) {
      for (Part part : run.parts) {
        NodeState node = states.computeIfAbsent(part.node, n -> placer.node(n).copy());
        node.add(run.job, part.deviceMask, -1);
        lastEnds.put(part.node, run.expectedEndNs());
        if (placer.hasRoom(node, job)) {
          withRoom.add(part.node);
        }
      }
    }

    boolean isEnough() {
      return withRoom.size() >= job.nodes();
    }

    /** When the last one of these jobs on these nodes ends; 0 if there was none. */
    long lastEndNs(List<Integer> nodes) {
      return nodes.stream().mapToLong(node -> lastEnds.getOrDefault(node, 0L)).max().orElse(0);
    }

    List<Integer> chosen() {
      return placer.choose(job, this);
    }

    @Override
    public int next(int from, long freeBelow) {
      Integer node = withRoom.ceiling(from);
      while (node != null && freeCpus(node) >= freeBelow) {
        node = withRoom.higher(node);
      }
      return node == null ? -1 : node;
    }

    @Override
    public boolean contains(int node) {
      return withRoom.contains(node);
    }

    @Override
    public int freeCpus(int node) {
      return states.getOrDefault(node, placer.node(node)).freeCpus;
    }
  }
}
