package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobSample;
import org.schedgpu.agent.history.Unscheduled;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/** A history made by hand: times are seconds from {@link #ZERO_NS} on, sizes GiB. */
final class MadeHistory implements ReportSource {
  static final long SECOND_NS = 1_000_000_000L;
  static final long GIB = 1L << 30;
  static final long ZERO_NS = 1_790_000_000L * SECOND_NS;

  final List<DeviceSample> devices = new ArrayList<>();
  final List<JobRecord> jobs = new ArrayList<>();
  final List<JobSample> samples = new ArrayList<>();

  static long at(long second) {
    return ZERO_NS + second * SECOND_NS;
  }

  static Window window(long from, long until) {
    return new Window(at(from), at(until));
  }

  /** A job of one device that ran until {@code end} and waited this long; -1: it runs. */
  static JobRecord job(long id, int uid, int device, long begin, long end, long waited) {
    return job(id, "job-" + id, uid, List.of(device), begin, end, waited, 8, 4);
  }

  static JobRecord job(
      long id,
      String name,
      int uid,
      List<Integer> devices,
      long begin,
      long end,
      long waited,
      long requestedGib,
      long peakGib) {
    TreeMap<Integer, DeviceUse> uses = new TreeMap<>();
    devices.forEach(
        d -> uses.put(d, new DeviceUse(requestedGib * GIB, peakGib * GIB, OptionalLong.of(0))));
    boolean runs = end == -1;
    return new JobRecord(
        id,
        runs ? JobRecord.State.RUNNING : JobRecord.State.ENDED,
        "slurm",
        id,
        name,
        uid,
        "user" + uid,
        50,
        "peak",
        at(begin),
        runs ? OptionalLong.empty() : OptionalLong.of(at(end)),
        JobFigures.of(
            waited * SECOND_NS,
            waited > 0 ? 1 : 0,
            runs ? SECOND_NS : Math.max(0, (end - begin - waited) * SECOND_NS)),
        Refusals.NONE,
        uses);
  }

  /** The same job in a lane. */
  static JobRecord inLane(JobRecord job, LaneUse use) {
    return new JobRecord(
        job.row(),
        job.state(),
        job.kind(),
        job.id(),
        job.name(),
        job.uid(),
        job.user(),
        job.priority(),
        job.mode(),
        job.begunNs(),
        job.endedNs(),
        job.figures(),
        job.refusals(),
        job.devices(),
        Optional.of(use));
  }

  /** The same job with programs that ran unscheduled. */
  static JobRecord unscheduled(JobRecord job, Unscheduled seen) {
    return new JobRecord(
        job.row(),
        job.state(),
        job.kind(),
        job.id(),
        job.name(),
        job.uid(),
        job.user(),
        job.priority(),
        job.mode(),
        job.begunNs(),
        job.endedNs(),
        job.figures(),
        job.refusals(),
        job.devices(),
        job.lane(),
        Optional.of(seen));
  }

  /** The same job with a refused allocation of this size. */
  static JobRecord refused(JobRecord job, long count, long largestBytes) {
    return new JobRecord(
        job.row(),
        job.state(),
        job.kind(),
        job.id(),
        job.name(),
        job.uid(),
        job.user(),
        job.priority(),
        job.mode(),
        job.begunNs(),
        job.endedNs(),
        job.figures(),
        new Refusals(count, largestBytes),
        job.devices());
  }

  static DeviceSample device(long second, int device, long grantedGib, long inUseGib) {
    return device(second, device, grantedGib, inUseGib, "Emulated GPU");
  }

  static DeviceSample device(long second, int device, long grantedGib, long inUseGib, String name) {
    return new DeviceSample(
        at(second),
        device,
        "GPU-" + device,
        name,
        16 * GIB,
        grantedGib * GIB,
        inUseGib * GIB,
        OptionalLong.empty(),
        OptionalInt.of(50),
        grantedGib > 0 ? 2 : 0,
        1);
  }

  /** The same sample on a node with lanes. */
  static DeviceSample withLanes(DeviceSample sample, int lanes, int waitingTurns) {
    return new DeviceSample(
        sample.timeNs(),
        sample.device(),
        sample.uuid(),
        sample.name(),
        sample.totalBytes(),
        sample.reservedBytes(),
        sample.inUseBytes(),
        sample.nvmlUsedBytes(),
        sample.utilisationPercent(),
        sample.jobs(),
        sample.waiting(),
        OptionalInt.of(lanes),
        OptionalInt.of(waitingTurns));
  }

  ReportData report(Window window) {
    return report(window, null, null, Principal.root());
  }

  ReportData report(Window window, Integer device, String job, Principal viewer) {
    ReportRequest request =
        new ReportRequest(
            "n", "UTC", window.untilNs(), window, device, job, viewer, Map.of(3, GIB));
    return new ReportBuilder(this, request, 10_000).build();
  }

  @Override
  public void deviceSamples(Window window, Consumer<DeviceSample> consumer) {
    devices.stream().filter(sample -> window.has(sample.timeNs())).forEach(consumer);
  }

  @Override
  public void jobs(Window window, Consumer<JobRecord> consumer) {
    jobs.forEach(consumer);
  }

  @Override
  public void jobSamples(JobRecord job, Consumer<JobSample> consumer) {
    samples.stream().filter(sample -> sample.job() == job.row()).forEach(consumer);
  }
}
