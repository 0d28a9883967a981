package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.agent.history.JobRecord;

/** Computes a report. Keeps the jobs of the window in memory, but only sums of the samples. */
public final class ReportBuilder {
  private static final int MAX_USERS = 20;
  private static final int MAX_NAMES = 50;

  /**
   * Points for a device: as many as a wide screen shows, while a page with 16 devices stays small.
   */
  static final int MAX_POINTS = 480;

  private final ReportSource source;
  private final ReportRequest request;
  private final int mostJobs;

  /**
   * Reads nothing yet.
   *
   * @param mostJobs a report with more jobs is refused
   */
  public ReportBuilder(ReportSource source, ReportRequest request, int mostJobs) {
    this.source = source;
    this.request = request;
    this.mostJobs = mostJobs;
  }

  /**
   * The report.
   *
   * @throws ReportException if the requested job does not exist, or there is too much data
   */
  public ReportData build() {
    if (request.job() != null) {
      JobRecord job = new JobSearch(source, request).find();
      Window life = JobSearch.life(job, request.window());
      return build(life, JobSearch.detail(source, job, life));
    }
    return build(request.window(), null);
  }

  private ReportData build(Window window, JobDetail job) {
    List<JobRecord> jobs = jobs(window);
    List<JobRecord> seen = jobs.stream().filter(one -> request.reader().maySee(one.uid())).toList();
    Map<Integer, DeviceSums> sums = sums(window);
    List<DeviceReport> devices =
        sums.entrySet().stream()
            .map(
                entry ->
                    entry
                        .getValue()
                        .report(
                            on(jobs, entry.getKey()).size(),
                            Lanes.of(on(seen, entry.getKey()), entry.getKey(), window)))
            .toList();
    List<NameNeed> needs = NameNeeds.of(seen, request.contextBytes());
    List<NameTurns> turns = NameTurns.of(seen);
    return new ReportData(
        request.node(),
        request.timeZone(),
        request.nowNs(),
        window,
        request.reader().seesAll(),
        devices.stream().anyMatch(DeviceReport::emulated),
        Headline.of(jobs, sums.values(), window),
        Comparison.of(jobs, window, devices.size()),
        devices,
        UserWaits.byUser(jobs, this::who, MAX_USERS),
        needs.subList(0, Math.min(MAX_NAMES, needs.size())),
        Math.max(0, needs.size() - MAX_NAMES),
        turns.subList(0, Math.min(MAX_NAMES, turns.size())),
        Math.max(0, turns.size() - MAX_NAMES),
        sums.keySet().stream().filter(device -> on(seen, device).size() > Lanes.MAX_JOBS).toList(),
        job);
  }

  private static List<JobRecord> on(List<JobRecord> jobs, int device) {
    return jobs.stream().filter(job -> job.devices().containsKey(device)).toList();
  }

  private String who(JobRecord job) {
    return request.reader().maySee(job.uid()) ? job.user() : "all others";
  }

  private List<JobRecord> jobs(Window window) {
    List<JobRecord> jobs = new ArrayList<>();
    source.jobs(
        window,
        job -> {
          boolean meant = request.device() == null || job.devices().containsKey(request.device());
          if (Jobs.overlaps(job, window) && meant) {
            jobs.add(job);
          }
          if (jobs.size() > mostJobs) {
            throw new ReportException(
                "more than "
                    + mostJobs
                    + " jobs since then: choose a later --since, or ask for one --device");
          }
        });
    jobs.sort(Comparator.comparingLong(JobRecord::begunNs).thenComparing(JobRecord::row));
    return jobs;
  }

  private Map<Integer, DeviceSums> sums(Window window) {
    Map<Integer, DeviceSums> sums = new TreeMap<>();
    source.deviceSamples(
        window,
        sample -> {
          if (request.device() == null || request.device() == sample.device()) {
            sums.computeIfAbsent(sample.device(), device -> new DeviceSums(window, MAX_POINTS))
                .add(sample);
          }
        });
    return sums;
  }
}
