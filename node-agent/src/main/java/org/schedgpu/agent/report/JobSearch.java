package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.Unscheduled;

/** Finds the one job of a report, and its values over time. */
final class JobSearch {
  private static final long LEAST_MARGIN_NS = 20_000_000_000L;
  private static final int MARGIN_SHARE = 20;

  private final ReportSource source;
  private final ReportRequest request;

  JobSearch(ReportSource source, ReportRequest request) {
    this.source = source;
    this.request = request;
  }

  /** The latest job with that id, because Slurm reuses numbers. */
  JobRecord find() {
    List<JobRecord> found = new ArrayList<>();
    source.jobs(
        request.window(),
        job -> {
          if (job.reference().equals(request.job()) && request.reader().maySee(job.uid())) {
            found.removeIf(other -> other.begunNs() <= job.begunNs());
            if (found.isEmpty()) {
              found.add(job);
            }
          }
        });
    if (found.isEmpty()) {
      throw new ReportException(
          "job '"
              + request.job()
              + "' is not in the history"
              + (request.reader().seesAll() ? "" : ", or not yours")
              + ": see schedgpu history, and give no --since later than its end");
    }
    return found.get(0);
  }

  /** From a little before its begin to a little after its end. */
  static Window life(JobRecord job, Window all) {
    long end = Math.max(job.begunNs(), Math.min(Jobs.endNs(job, all), all.untilNs()));
    long margin = Math.max(LEAST_MARGIN_NS, (end - job.begunNs()) / MARGIN_SHARE);
    return new Window(job.begunNs() - margin, end + margin);
  }

  static JobDetail detail(ReportSource source, JobRecord job, Window life) {
    Map<Integer, Downsampled<JobDetail.Load>> loads = new TreeMap<>();
    job.devices().keySet().forEach(device -> loads.put(device, thinned(life)));
    Map<Integer, DeviceSample> devices = new TreeMap<>();
    source.deviceSamples(
        life,
        sample -> {
          if (loads.containsKey(sample.device())) {
            devices.put(sample.device(), sample);
            loads
                .get(sample.device())
                .add(
                    sample.timeNs(),
                    new JobDetail.Load(sample.reservedBytes(), 0, 0, sample.jobs()));
          }
        });
    source.jobSamples(
        job,
        sample -> {
          if (loads.containsKey(sample.device())) {
            loads
                .get(sample.device())
                .add(
                    sample.timeNs(),
                    new JobDetail.Load(0, sample.heldBytes(), sample.inUseBytes(), 0));
          }
        });
    return new JobDetail(
        job.reference(),
        job.name(),
        job.user(),
        job.mode(),
        job.begunNs(),
        Jobs.runs(job) ? null : job.endedNs().getAsLong(),
        job.waitedNs(),
        job.waits(),
        job.heldNs(),
        job.unscheduled().map(Unscheduled::processes).orElse(0),
        Headline.unscheduledBytes(List.of(job)),
        NameTurns.of(List.of(job)).stream().findFirst().orElse(null),
        devices.values().stream()
            .map(d -> JobDetail.share(d, job.devices().get(d.device()), loads.get(d.device())))
            .toList());
  }

  private static Downsampled<JobDetail.Load> thinned(Window life) {
    return new Downsampled<>(life, ReportBuilder.MAX_POINTS, JobDetail.Load::and);
  }
}
