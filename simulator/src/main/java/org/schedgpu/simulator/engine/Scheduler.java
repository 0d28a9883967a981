package org.schedgpu.simulator.engine;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.schedgpu.simulator.job.Job;

/** The queue of the cluster: jobs in order, and EASY backfill for those behind the first. */
final class Scheduler {
  /** How many jobs behind the first are tried: bf_max_job_test of Slurm. */
  private static final int TRIED = 500;

  private final List<Job> jobs;
  private final int[] shapes;
  private final int[] fullAt;
  private final Queue queue;
  private final Placer placer;
  private final TreeSet<Run> running =
      new TreeSet<>(
          Comparator.comparingLong(Run::expectedEndNs).thenComparingInt(run -> run.index));
  private int pass;
  private int reservedFor = -1;
  private Reservation reservation;

  Scheduler(List<Job> jobs, int[] shapes, Queue queue, Placer placer) {
    this.jobs = jobs;
    this.shapes = shapes;
    this.queue = queue;
    this.placer = placer;
    this.fullAt = new int[Arrays.stream(shapes).max().orElse(0) + 1];
  }

  /** A number for each job, the same for jobs that fit in the same places. */
  static int[] shapes(List<Job> jobs) {
    Map<Job.Shape, Integer> numbers = new HashMap<>();
    int[] shapes = new int[jobs.size()];
    for (int i = 0; i < shapes.length; i++) {
      shapes[i] = numbers.computeIfAbsent(jobs.get(i).shape(), shape -> numbers.size());
    }
    return shapes;
  }

  void submit(int job) {
    queue.add(job);
  }

  void ended(Run run) {
    running.remove(run);
    placer.giveBack(run);
    reservedFor = -1;
  }

  /** Jobs were submitted or ended: starts every job that may start. */
  void schedule(long nowNs, Consumer<Run> started) {
    pass++;
    Iterator<Integer> waiting = queue.iterator();
    int blocked = -1;
    int tried = 0;
    while (waiting.hasNext() && tried < TRIED) {
      int job = waiting.next();
      boolean starts = blocked < 0 ? start(job, nowNs, started) : backfill(job, nowNs, started);
      if (starts) {
        waiting.remove();
      } else if (blocked < 0) {
        blocked = job;
        reserve(job, nowNs);
      } else {
        tried++;
      }
    }
  }

  private void reserve(int job, long nowNs) {
    if (reservedFor != job) {
      reservation = Reservation.of(jobs.get(job), placer, running, nowNs);
      reservedFor = job;
    }
  }

  private boolean start(int job, long nowNs, Consumer<Run> started) {
    return begin(job, placer.find(jobs.get(job), node -> true), nowNs, started);
  }

  private boolean backfill(int job, long nowNs, Consumer<Run> started) {
    if (fullAt[shapes[job]] == pass) {
      return false;
    }
    Job candidate = jobs.get(job);
    boolean endsBefore = reservation.isAfter(candidate, nowNs);
    List<Part> parts =
        placer.find(candidate, node -> endsBefore || !reservation.nodes().contains(node));
    if (parts.isEmpty() && endsBefore) {
      fullAt[shapes[job]] = pass;
    }
    return begin(job, parts, nowNs, started);
  }

  private boolean begin(int job, List<Part> parts, long nowNs, Consumer<Run> started) {
    if (parts.isEmpty()) {
      return false;
    }
    Run run = new Run(job, jobs.get(job), parts, nowNs);
    parts.forEach(part -> part.run = run);
    placer.take(run);
    running.add(run);
    started.accept(run);
    return true;
  }
}
