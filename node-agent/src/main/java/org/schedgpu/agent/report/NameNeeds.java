package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.suggest.Suggestion;

/** Who asks for more memory than his jobs use. */
final class NameNeeds {
  private static final int ENOUGH_JOBS = 3;
  private static final double WORTH_SAYING = 0.9;
  private static final double HOUR_NS = 3600e9;

  private NameNeeds() {}

  private record Key(String user, String name) {}

  private record Seen(long requestedBytes, long usedBytes, long heldNs) {}

  /**
   * One for each job name of each user, who could spare most first.
   *
   * @param contextBytes of one CUDA context, by device: a budget does not count it, and a peak does
   */
  static List<NameNeed> of(List<JobRecord> jobs, Map<Integer, Long> contextBytes) {
    Map<Key, List<Seen>> byName = new LinkedHashMap<>();
    for (JobRecord job : jobs) {
      for (Map.Entry<Integer, DeviceUse> entry : job.devices().entrySet()) {
        DeviceUse need = entry.getValue();
        long context = contextBytes.getOrDefault(entry.getKey(), 0L);
        if (!Jobs.runs(job) && need.requestedBytes() > 0 && need.peakBytes() > 0) {
          byName
              .computeIfAbsent(new Key(job.user(), job.name()), key -> new ArrayList<>())
              .add(
                  new Seen(
                      need.requestedBytes(),
                      Math.max(0, need.peakBytes() - context),
                      job.heldNs()));
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
    boolean say = seen.size() >= ENOUGH_JOBS && enough < requested * WORTH_SAYING;
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
        say ? enough : null,
        say ? Math.round(spared) : 0);
  }
}
