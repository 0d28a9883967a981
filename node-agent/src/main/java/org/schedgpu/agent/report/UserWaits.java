package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.schedgpu.agent.history.JobRecord;

/**
 * How long the jobs of a user waited for memory.
 *
 * @param user login name, or a name for a sum
 * @param waited how many jobs waited
 * @param gaveUp how many of them ended without memory
 */
public record UserWaits(
    String user,
    int jobs,
    int waited,
    int gaveUp,
    long totalNs,
    long meanNs,
    long p50Ns,
    long p95Ns,
    long longestNs) {
  static UserWaits of(String user, List<JobRecord> jobs) {
    List<Long> waits = jobs.stream().map(JobRecord::waitedNs).sorted().toList();
    long total = waits.stream().mapToLong(Long::longValue).sum();
    return new UserWaits(
        user,
        jobs.size(),
        (int) jobs.stream().filter(job -> job.waits() > 0).count(),
        (int) jobs.stream().filter(Jobs::gaveUp).count(),
        total,
        jobs.isEmpty() ? 0 : total / jobs.size(),
        Quantiles.of(waits, 50),
        Quantiles.of(waits, 95),
        waits.isEmpty() ? 0 : waits.get(waits.size() - 1));
  }

  /**
   * Returns one entry for each user, the longest total wait first; beyond {@code most} users one
   * entry for all the rest.
   *
   * @param who gives the name under which a job's waits are counted
   */
  static List<UserWaits> byUser(List<JobRecord> jobs, Function<JobRecord, String> who, int most) {
    Map<String, List<JobRecord>> byUser = new TreeMap<>();
    jobs.forEach(job -> byUser.computeIfAbsent(who.apply(job), u -> new ArrayList<>()).add(job));
    List<UserWaits> all =
        new ArrayList<>(
            byUser.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(UserWaits::totalNs).reversed())
                .toList());
    if (all.size() <= most) {
      return all;
    }
    List<UserWaits> shown = new ArrayList<>(all.subList(0, most));
    List<JobRecord> rest =
        all.subList(most, all.size()).stream()
            .flatMap(waits -> byUser.get(waits.user()).stream())
            .toList();
    shown.add(of((all.size() - most) + " other users", rest));
    return shown;
  }
}
