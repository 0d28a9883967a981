package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.report.DeviceReport.Lane;
import org.schedgpu.agent.report.DeviceReport.LaneJob;

/**
 * The jobs of a device in as few rows as possible: each in the first row that is free at its begin.
 */
final class Lanes {
  /** With more jobs than this on one device the picture would be unreadable. */
  static final int MAX_JOBS = 160;

  private Lanes() {}

  /** None if there are too many jobs. */
  static List<Lane> of(List<JobRecord> jobs, int device, Window window) {
    if (jobs.size() > MAX_JOBS) {
      return List.of();
    }
    List<Lane> lanes = new ArrayList<>();
    jobs.stream()
        .filter(job -> !Jobs.outOfTime(job, window))
        .sorted(Comparator.comparingLong(JobRecord::begunNs))
        .map(job -> laneJob(job, device, window))
        .forEach(job -> put(job, lanes));
    return lanes;
  }

  private static void put(LaneJob job, List<Lane> lanes) {
    for (Lane lane : lanes) {
      if (lane.jobs().get(lane.jobs().size() - 1).endNs() <= job.begunNs()) {
        lane.jobs().add(job);
        return;
      }
    }
    lanes.add(new Lane(new ArrayList<>(List.of(job))));
  }

  private static LaneJob laneJob(JobRecord job, int device, Window window) {
    DeviceUse need = job.devices().get(device);
    return new LaneJob(
        job.reference(),
        job.name(),
        job.user(),
        window.clip(job.begunNs()),
        window.clip(Jobs.endNs(job, window)),
        Jobs.runs(job),
        job.waitedNs(),
        need.requestedBytes(),
        need.peakBytes());
  }
}
