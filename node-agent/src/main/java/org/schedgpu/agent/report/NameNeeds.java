package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;

/** Who asks for more memory than his jobs use. */
final class NameNeeds {
  private static final int ENOUGH_JOBS = 3;
  private static final int SPARE_PERCENT = 10;
  private static final double WORTH_SAYING = 0.9;
  private static final long STEP_BYTES = 256L << 20;
  private static final double HOUR_NS = 3600e9;

  private NameNeeds() {}

  private record Key(String user, String name) {}

  private record Seen(long requestedBytes, long peakBytes, long heldNs) {}

  /** One for each job name of each user, who could spare most first. */
  static List<NameNeed> of(List<JobRecord> jobs) {
    Map<Key, List<Seen>> byName = new LinkedHashMap<>();
    for (JobRecord job : jobs) {
      for (DeviceUse need : job.devices().values()) {
        if (!Jobs.runs(job) && need.requestedBytes() > 0 && need.peakBytes() > 0) {
          byName
              .computeIfAbsent(new Key(job.user(), job.name()), key -> new ArrayList<>())
              .add(new Seen(need.requestedBytes(), need.peakBytes(), job.heldNs()));
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
    long peak = seen.stream().mapToLong(Seen::peakBytes).max().orElseThrow();
    long spare = Math.max(STEP_BYTES, peak / 100 * SPARE_PERCENT);
    long enough = (peak + spare + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
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
        peak,
        say ? enough : null,
        say ? Math.round(spared) : 0);
  }
}
