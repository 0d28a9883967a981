package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.jna.Refusals;

/** Finds job names that ask for more memory than their jobs use. */
final class NameNeeds {
  private static final int ENOUGH_JOBS = 3;
  private static final double WORTH_SAYING = 0.9;
  private static final double HOUR_NS = 3600e9;

  private NameNeeds() {}

  private record Key(String user, String name) {}

  private record Seen(long requestedBytes, long usedBytes, long heldNs, Refusals refusals) {}

  /**
   * Returns one entry for each job name of each user, with the largest possible saving first.
   *
   * @param contextBytes of one CUDA context, by device: old records count it in the peak
   */
  static List<NameNeed> of(List<JobRecord> jobs, Map<Integer, Long> contextBytes) {
    Map<Key, List<Seen>> byName = new LinkedHashMap<>();
    for (JobRecord job : jobs) {
      Refusals refusals = job.refusals(); // of the job, not of a device, so they count once
      for (Map.Entry<Integer, DeviceUse> entry : job.devices().entrySet()) {
        DeviceUse need = entry.getValue();
        long context = contextBytes.getOrDefault(entry.getKey(), 0L);
        boolean seen = need.peakBytes() > 0 || refusals.any();
        if (!Jobs.runs(job) && need.requestedBytes() > 0 && seen) {
          byName
              .computeIfAbsent(new Key(job.user(), job.name()), key -> new ArrayList<>())
              .add(
                  new Seen(need.requestedBytes(), need.usedBytes(context), job.heldNs(), refusals));
          refusals = Refusals.NONE;
        }
      }
    }
    return byName.entrySet().stream()
        .map(entry -> of(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.comparingLong(NameNeed::sparedByteHours)
                .thenComparingLong(NameNeed::requestedBytes)
                .reversed())
        .toList();
  }

  private static NameNeed of(Key key, List<Seen> seen) {
    long requested = seen.stream().mapToLong(Seen::requestedBytes).max().orElseThrow();
    long used = seen.stream().mapToLong(Seen::usedBytes).max().orElseThrow();
    long enough = Suggestion.budgetFor(used);
    Refusals refusals = seen.stream().map(Seen::refusals).reduce(Refusals.NONE, Refusals::and);
    boolean say =
        seen.size() >= ENOUGH_JOBS && enough < requested * WORTH_SAYING && !refusals.any();
    double spared =
        seen.stream()
            .mapToDouble(s -> Math.max(0, s.requestedBytes() - enough) * (s.heldNs() / HOUR_NS))
            .sum();
    return new NameNeed(
        key.name(),
        key.user(),
        seen.size(),
        requested,
        used,
        refusals.count(),
        refusals.largestBytes(),
        say ? enough : null,
        say ? Math.round(spared) : 0);
  }
}
