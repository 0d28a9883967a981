package org.schedgpu.papers.remote;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Plays jobs on a queue, from change to change as the paper's simulator does. The same jobs give
 * the same outcome, bit by bit. Thread-safety: one thread plays one simulation; several may be
 * played at the same time.
 */
public final class QueueSimulation {
  private final List<QueueJob> jobs;
  private final QueueRule rule;
  private final Servers servers;
  private final Slowdown slowdown;
  private final int[] shapes;
  private final boolean[] blocked;
  private final List<Integer> waiting = new ArrayList<>();
  private final TreeSet<QueueRun> running = new TreeSet<>(QueueRun.BY_END);
  private final long[] startNs;
  private final long[] endNs;
  private final List<List<Place>> places = new ArrayList<>();
  private long nowNs;

  private QueueSimulation(List<QueueJob> jobs, int nodes, NodeModel model, QueueRule rule) {
    this.jobs = jobs;
    this.rule = rule;
    this.servers = new Servers(nodes, model);
    this.slowdown = new Slowdown(model, servers);
    this.shapes = new int[jobs.size()];
    this.startNs = new long[jobs.size()];
    this.endNs = new long[jobs.size()];
    Map<QueueJob.Shape, Integer> numbers = new HashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      shapes[i] = numbers.computeIfAbsent(jobs.get(i).shape(), shape -> numbers.size());
      places.add(List.of());
    }
    this.blocked = new boolean[numbers.size()];
  }

  /**
   * Plays them.
   *
   * @param jobs in the order of arrival; each must fit on so many empty nodes
   * @param nodes how many there are
   */
  public static QueueOutcome play(List<QueueJob> jobs, int nodes, NodeModel model, QueueRule rule) {
    for (QueueJob job : jobs) {
      if (job.nodes() > nodes
          || job.gpus() > model.gpus()
          || job.cpus() > model.cpus()
          || job.memoryBytes() > model.memoryBytes()) {
        throw new IllegalArgumentException(
            "simulator: job " + job.id() + " fits on no nodes of this queue: leave it out");
      }
    }
    QueueSimulation simulation = new QueueSimulation(jobs, nodes, model, rule);
    simulation.run();
    return new QueueOutcome(simulation.startNs, simulation.endNs, simulation.places);
  }

  private void run() {
    int next = 0;
    while (next < jobs.size() || !running.isEmpty()) {
      long arriveNs = next < jobs.size() ? jobs.get(next).arriveNs() : Long.MAX_VALUE;
      nowNs = Math.min(arriveNs, running.isEmpty() ? Long.MAX_VALUE : running.first().endNs);
      boolean ended = false;
      while (!running.isEmpty() && running.first().endNs == nowNs) {
        end(running.first());
        ended = true;
      }
      if (ended) {
        Arrays.fill(blocked, false);
        startWaiting();
      }
      for (; next < jobs.size() && jobs.get(next).arriveNs() == nowNs; next++) {
        if (!start(next)) {
          waiting.add(next);
        }
      }
    }
  }

  /** Every job of the queue is tried, in order; none keeps those behind it from starting. */
  private void startWaiting() {
    waiting.removeIf(this::start);
  }

  /** A shape that did not fit does not fit again until a job ends. */
  private boolean start(int index) {
    if (blocked[shapes[index]]) {
      return false;
    }
    QueueJob job = jobs.get(index);
    List<Place> found = servers.place(job, rule);
    if (found.isEmpty()) {
      blocked[shapes[index]] = true;
      return false;
    }
    QueueRun run = new QueueRun(index, job, List.copyOf(found), nowNs);
    startNs[index] = nowNs;
    places.set(index, run.places);
    touch(run, true);
    update(run);
    updateNeighbours(run);
    return true;
  }

  private void end(QueueRun run) {
    running.remove(run);
    endNs[run.index] = nowNs;
    touch(run, false);
    run.places.forEach(place -> servers.remove(run.job, place));
    updateNeighbours(run);
  }

  private void touch(QueueRun run, boolean begins) {
    for (Place place : run.places) {
      touch(run, place.server(), begins);
      place.remoteServers().forEach(lender -> touch(run, lender, begins));
    }
  }

  private void touch(QueueRun run, int server, boolean begins) {
    if (begins) {
      servers.get(server).touching.add(run);
    } else {
      servers.get(server).touching.remove(run);
    }
  }

  /** The streams of its links have come or gone: others there become slower or faster. */
  private void updateNeighbours(QueueRun run) {
    if (!run.isRemote()) {
      return;
    }
    SortedSet<QueueRun> neighbours = new TreeSet<>(QueueRun.BY_INDEX);
    for (Place place : run.places) {
      if (place.isRemote()) {
        neighbours.addAll(servers.get(place.server()).touching);
        place.remoteServers().forEach(lender -> neighbours.addAll(servers.get(lender).touching));
      }
    }
    neighbours.remove(run);
    neighbours.forEach(this::update);
  }

  private void update(QueueRun run) {
    if (run.takes(slowdown.jobS(run), nowNs)) {
      running.remove(run);
      run.endNs = run.expectedEndNs();
      running.add(run);
    }
  }
}
