package org.schedgpu.agent.report;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Replays the jobs with one job on a device: first come, first served, each on the devices that are
 * free first, for as long as it ran when it shared.
 */
final class ExclusiveReplay {
  private ExclusiveReplay() {}

  /**
   * The replayed outcome.
   *
   * @param devices how many there are; at least as many as the widest job needs are used
   * @param speedUp how much faster a job is assumed to run alone
   */
  static Outcome of(List<ReplayedJob> tasks, int devices, double speedUp) {
    if (tasks.isEmpty()) {
      return new Outcome(0, 0, 0, 0, 0);
    }
    PriorityQueue<Long> freeNs = new PriorityQueue<>();
    int widest = tasks.stream().mapToInt(task -> task.devices().size()).max().orElseThrow();
    List<ReplayedJob> queue =
        tasks.stream().sorted(Comparator.comparingLong(ReplayedJob::arrivalNs)).toList();
    long first = queue.get(0).arrivalNs();
    for (int i = 0; i < Math.max(devices, widest); i++) {
      freeNs.add(first);
    }
    return run(queue, freeNs, speedUp);
  }

  private static Outcome run(List<ReplayedJob> queue, PriorityQueue<Long> freeNs, double speedUp) {
    long first = queue.get(0).arrivalNs();
    long last = first;
    long occupied = 0;
    double waited = 0;
    double turnaround = 0;
    for (ReplayedJob task : queue) {
      // No job overtakes: the unused devices become free later than the used ones.
      long started = task.arrivalNs();
      for (int i = 0; i < task.devices().size(); i++) {
        started = Math.max(started, freeNs.remove());
      }
      long run = Math.round(task.runNs() / speedUp);
      long end = started + run;
      for (int i = 0; i < task.devices().size(); i++) {
        freeNs.add(end);
      }
      last = Math.max(last, end);
      occupied += run * task.devices().size();
      waited += started - task.arrivalNs();
      turnaround += end - task.arrivalNs();
    }
    int jobs = queue.size();
    return new Outcome(
        jobs, last - first, Math.round(waited / jobs), Math.round(turnaround / jobs), occupied);
  }
}
