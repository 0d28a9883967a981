package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The measured results of jobs that shared the devices. */
final class SharedOutcome {
  private SharedOutcome() {}

  static Outcome of(List<ReplayedJob> tasks) {
    if (tasks.isEmpty()) {
      return new Outcome(0, 0, 0, 0, 0);
    }
    long first = tasks.stream().mapToLong(ReplayedJob::arrivalNs).min().orElseThrow();
    long last = tasks.stream().mapToLong(ReplayedJob::endNs).max().orElseThrow();
    return new Outcome(
        tasks.size(),
        last - first,
        mean(tasks.stream().mapToDouble(ReplayedJob::waitedNs).sum(), tasks.size()),
        mean(tasks.stream().mapToDouble(t -> t.endNs() - t.arrivalNs()).sum(), tasks.size()),
        tasks.stream()
            .flatMap(task -> task.devices().stream())
            .distinct()
            .mapToLong(device -> busyNs(tasks, device))
            .sum());
  }

  private static long mean(double sum, int count) {
    return Math.round(sum / count);
  }

  /** How long at least one job was on a device. */
  private static long busyNs(List<ReplayedJob> tasks, int device) {
    List<ReplayedJob> there = new ArrayList<>(tasks);
    there.removeIf(task -> !task.devices().contains(device));
    there.sort(Comparator.comparingLong(ReplayedJob::arrivalNs));
    long busy = 0;
    long until = Long.MIN_VALUE;
    for (ReplayedJob task : there) {
      long from = Math.max(until, task.arrivalNs());
      busy += Math.max(0, task.endNs() - from);
      until = Math.max(until, task.endNs());
    }
    return busy;
  }
}
