package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.jna.LaneUse;

/**
 * How the lane jobs of a name took turns.
 *
 * @param policy of their lanes
 * @param jobs number of jobs
 * @param turns that they got
 * @param switches turns that they gave to a process that waited
 * @param serviceNs how long they were in iterations, those of which it is known; null: of none
 * @param waitedNs how long they waited for turns
 * @param keptBytes the most that one of them used between two turns; 0: unknown, or nothing
 */
public record NameTurns(
    String name,
    String user,
    String policy,
    int jobs,
    long turns,
    long switches,
    Long serviceNs,
    long waitedNs,
    long keptBytes) {
  private record Key(String user, String name, String policy) {}

  /** One entry for each name and policy of a user, the longest service first. */
  static List<NameTurns> of(List<JobRecord> jobs) {
    Map<Key, List<LaneUse>> uses = new LinkedHashMap<>();
    for (JobRecord job : jobs) {
      job.lane()
          .ifPresent(
              use ->
                  uses.computeIfAbsent(
                          new Key(job.user(), job.name(), use.policy().text()),
                          key -> new ArrayList<>())
                      .add(use));
    }
    return uses.entrySet().stream()
        .map(entry -> of(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparingLong(NameTurns::knownServiceNs).reversed())
        .toList();
  }

  /** 0 if it is not known. */
  long knownServiceNs() {
    return serviceNs == null ? 0 : serviceNs;
  }

  private static Long service(List<LaneUse> uses) {
    List<LaneUse> known = uses.stream().filter(use -> use.serviceNs().isPresent()).toList();
    return known.isEmpty()
        ? null
        : known.stream().mapToLong(use -> use.serviceNs().getAsLong()).sum();
  }

  private static NameTurns of(Key key, List<LaneUse> uses) {
    return new NameTurns(
        key.name(),
        key.user(),
        key.policy(),
        uses.size(),
        uses.stream().mapToLong(LaneUse::turns).sum(),
        uses.stream().mapToLong(LaneUse::switches).sum(),
        service(uses),
        uses.stream().mapToLong(LaneUse::waitedNs).sum(),
        uses.stream().mapToLong(LaneUse::keptBytes).max().orElse(0));
  }
}
