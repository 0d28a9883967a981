package org.schedgpu.agent.history;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/** Records made by hand. */
public final class Records {
  static final RegionKey REGION = new RegionKey("boot-1", "/run/schedgpu", 5);
  static final RegionKey NEXT_REGION = new RegionKey("boot-2", "/run/schedgpu", 5);
  static final long GIB = 1L << 30;
  static final long SECOND = 1_000_000_000L;

  /** Noon of some day. */
  static final long NOON = 1_793_534_400L * SECOND;

  private Records() {}

  static JobKey key(long id) {
    return new JobKey("slurm", id, 1000 + id);
  }

  static SeenJob running(long id, int uid) {
    return new SeenJob(key(id), OptionalLong.empty(), record(id, uid, OptionalLong.empty()));
  }

  /** The job with this sequence, which is also its number and the second of its end. */
  static SeenJob ended(long id, int uid) {
    return new SeenJob(
        key(id), OptionalLong.of(id), record(id, uid, OptionalLong.of(NOON + id * SECOND)));
  }

  private static JobRecord record(long id, int uid, OptionalLong endedNs) {
    return new JobRecord(
        0,
        endedNs.isPresent() ? State.ENDED : State.RUNNING,
        "slurm",
        id,
        "train",
        uid,
        "user" + uid,
        50,
        "peak",
        NOON,
        endedNs,
        JobFigures.of(12 * SECOND, 2, endedNs.isPresent() ? 30 * SECOND : 0),
        endedNs.isPresent() ? new Refusals(4, GIB) : Refusals.NONE,
        new TreeMap<>(
            Map.of(
                0, new DeviceUse(6 * GIB, endedNs.isPresent() ? 3 * GIB : 0, OptionalLong.of(0)))));
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

  static HistoryBatch look(
      RegionKey region, long nowNs, List<SeenJob> running, List<SeenJob> ended) {
    long newest = ended.isEmpty() ? 0 : ended.get(ended.size() - 1).sequence().getAsLong();
    return new HistoryBatch(
        region, nowNs, newest, 0, running, ended, List.of(), List.of(), List.of());
  }

  static HistoryBatch samples(long nowNs, List<DeviceSample> devices, List<SeenSample> jobs) {
    return new HistoryBatch(REGION, nowNs, 0, 0, List.of(), List.of(), List.of(), devices, jobs);
  }

  static DeviceSample device(long timeNs, int index, long reserved) {
    return new DeviceSample(
        timeNs,
        index,
        "GPU-" + index,
        "Emulated GPU",
        16 * GIB,
        reserved,
        reserved / 2,
        OptionalLong.empty(),
        index == 0 ? OptionalInt.of(73) : OptionalInt.empty(),
        1,
        2);
  }
}
