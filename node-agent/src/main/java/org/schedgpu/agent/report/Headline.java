package org.schedgpu.agent.report;

import java.util.Collection;
import java.util.List;
import org.schedgpu.agent.history.JobRecord;

/**
 * The numbers at the top. Percentages are means over the samples of all devices; null: no samples,
 * or NVML did not report it.
 *
 * @param askedNs sum over the jobs, and over the devices of each, of its time in the window
 * @param unscheduledJobs of which programs ran unscheduled
 * @param unscheduledBytes the most of those programs in one job; null: unknown
 * @param waits over all jobs
 */
public record Headline(
    int jobs,
    int running,
    int users,
    long askedNs,
    Long grantedPercent,
    Long inUsePercent,
    Long utilisationPercent,
    int unscheduledJobs,
    Long unscheduledBytes,
    UserWaits waits) {
  static Headline of(List<JobRecord> jobs, Collection<DeviceSums> devices, Window window) {
    double total = devices.stream().mapToDouble(DeviceSums::totalBytes).sum();
    long looks = devices.stream().mapToLong(DeviceSums::looks).sum();
    return new Headline(
        jobs.size(),
        (int) jobs.stream().filter(Jobs::runs).count(),
        (int) jobs.stream().mapToInt(JobRecord::uid).distinct().count(),
        jobs.stream().mapToLong(job -> askedNs(job, window)).sum(),
        percent(devices.stream().mapToDouble(DeviceSums::grantedBytes).sum(), total),
        percent(devices.stream().mapToDouble(DeviceSums::inUseBytes).sum(), total),
        looks == 0
            ? null
            : Math.round(devices.stream().mapToDouble(DeviceSums::utilisation).sum() / looks),
        (int) jobs.stream().filter(job -> job.unscheduled().isPresent()).count(),
        unscheduledBytes(jobs),
        UserWaits.of("all", jobs));
  }

  /** The most of what ran unscheduled in one of the jobs; null: of none it is known. */
  static Long unscheduledBytes(List<JobRecord> jobs) {
    return jobs.stream()
        .flatMap(job -> job.unscheduled().stream())
        .flatMap(seen -> seen.largestBytes().stream().boxed())
        .max(Long::compare)
        .orElse(null);
  }

  private static long askedNs(JobRecord job, Window window) {
    long ns = window.clip(Jobs.endNs(job, window)) - window.clip(job.begunNs());
    return Math.max(0, ns) * job.devices().size();
  }

  private static Long percent(double part, double total) {
    return total == 0 ? null : Math.round(100 * part / total);
  }
}
