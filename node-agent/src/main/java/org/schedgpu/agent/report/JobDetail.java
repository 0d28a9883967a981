package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.JobRecord;

/**
 * One job: its values over time, and its neighbours as sums.
 *
 * @param unscheduledBytes the most of its programs that ran unscheduled; null: unknown
 * @param turns how it used its lane; null: it is no lane job
 * @param devices its values on each of its devices
 */
public record JobDetail(
    String job,
    String name,
    String user,
    String mode,
    long begunNs,
    Long endedNs,
    long waitedNs,
    long waits,
    long heldNs,
    long unscheduledProcesses,
    Long unscheduledBytes,
    NameTurns turns,
    List<Share> devices) {
  /**
   * Its part of a device over time.
   *
   * @param peakBytes the most that it had in use; 0: unknown
   * @param slotNs the time that each point stands for; each is the maximum in it
   * @param othersBytes what its neighbours had reserved
   * @param others how many neighbours it had
   */
  public record Share(
      int device,
      String name,
      long totalBytes,
      long requestedBytes,
      long peakBytes,
      long slotNs,
      List<Long> timeMs,
      List<Long> heldBytes,
      List<Long> inUseBytes,
      List<Long> othersBytes,
      List<Long> others) {}

  /** The job's part of a device in a slot of time: the maximum of each value. */
  record Load(long grantedBytes, long heldBytes, long inUseBytes, long jobs) {
    Load and(Load other) {
      return new Load(
          Math.max(grantedBytes, other.grantedBytes),
          Math.max(heldBytes, other.heldBytes),
          Math.max(inUseBytes, other.inUseBytes),
          Math.max(jobs, other.jobs));
    }

    private long othersBytes() {
      return Math.max(0, grantedBytes - heldBytes);
    }

    private long others() {
      return Math.max(0, jobs - (heldBytes > 0 ? 1 : 0));
    }
  }

  static Share share(DeviceSample device, JobRecord.DeviceUse need, Downsampled<Load> loads) {
    Share share =
        new Share(
            device.device(),
            device.name(),
            device.totalBytes(),
            need.requestedBytes(),
            need.peakBytes(),
            loads.slotNs(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    for (Downsampled.Point<Load> point : loads.points()) {
      Load load = point.value();
      share.timeMs.add(Math.floorDiv(point.timeNs(), 1_000_000L));
      share.heldBytes.add(load == null ? null : load.heldBytes());
      share.inUseBytes.add(load == null ? null : load.inUseBytes());
      share.othersBytes.add(load == null ? null : load.othersBytes());
      share.others.add(load == null ? null : load.others());
    }
    return share;
  }
}
