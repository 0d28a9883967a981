package org.schedgpu.agent.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.region.Share;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Finds what is new for the history in snapshots of one region. It remembers what was written, and
 * counts a sample as written only after the caller has confirmed it.
 */
final class JobSampler {
  private final RegionKey region;
  private final IntFunction<String> users;
  private Set<JobKey> running;
  private long lastSequence;

  /**
   * @param running the jobs that the history takes to run
   * @param lastSequence the sequence up to which ended jobs are in the history
   * @param users name of a user by number
   */
  JobSampler(RegionKey region, Set<JobKey> running, long lastSequence, IntFunction<String> users) {
    this.region = region;
    this.running = Set.copyOf(running);
    this.lastSequence = lastSequence;
    this.users = users;
  }

  RegionKey region() {
    return region;
  }

  /** The sequence up to which ended jobs are in the history; a snapshot needs the later ones. */
  long lastSequence() {
    return lastSequence;
  }

  /**
   * What a snapshot adds.
   *
   * @param clock at the time of the snapshot
   * @param samples the devices; empty: no sample is due
   */
  HistoryBatch look(RegionSnapshot now, Clock clock, List<DeviceSample> samples) {
    boolean sampling = !samples.isEmpty();
    List<EndedJob> ended = newlyEnded(now.ended());
    List<SeenJob> seen = new ArrayList<>();
    List<SeenSample> jobSamples = new ArrayList<>();
    Set<JobKey> gone = new HashSet<>(running);
    Shares shares = new Shares(now);
    Lanes lanes = new Lanes(now, clock.monotonicNs());
    for (Job job : now.jobs()) {
      JobKey key = key(job);
      boolean known = gone.remove(key);
      if (!known || sampling) {
        seen.add(new SeenJob(key, OptionalLong.empty(), record(job, lanes, clock)));
      }
      if (sampling) {
        addSamples(now, shares, job, key, jobSamples);
      }
    }
    ended.forEach(job -> gone.remove(key(job)));
    long newest = ended.isEmpty() ? lastSequence : ended.get(ended.size() - 1).sequence();
    return new HistoryBatch(
        region,
        clock.nowNs(),
        newest,
        Math.max(0, newest - lastSequence - ended.size()),
        seen,
        ended.stream().map(job -> ended(job, clock)).toList(),
        List.copyOf(gone),
        samples,
        jobSamples);
  }

  /** A repaired region may restart its count of ended jobs: then every job it lists is new. */
  private List<EndedJob> newlyEnded(List<EndedJob> ended) {
    if (ended.isEmpty()) {
      return ended;
    }
    long newest = ended.get(ended.size() - 1).sequence();
    return newest < lastSequence
        ? ended
        : ended.stream().filter(job -> job.sequence() > lastSequence).toList();
  }

  /** Confirms that the sample is in the history. */
  void written(HistoryBatch look) {
    Set<JobKey> now = new HashSet<>(running);
    look.vanished().forEach(now::remove);
    look.running().forEach(job -> now.add(job.key()));
    look.ended().forEach(job -> now.remove(job.key()));
    running = Set.copyOf(now);
    lastSequence = look.lastSequence();
  }

  static JobKey key(Job job) {
    return new JobKey(job.kind().text(), job.id(), job.begunNs());
  }

  private static JobKey key(EndedJob job) {
    return new JobKey(job.kind().text(), job.id(), job.begunNs());
  }

  /**
   * If its end is not seen, a job counts with its last sample: so the present turn is part of it.
   */
  private JobRecord record(Job job, Lanes lanes, Clock clock) {
    return new JobRecord(
        0,
        State.RUNNING,
        job.kind().text(),
        job.id(),
        job.name(),
        job.uid(),
        users.apply(job.uid()),
        job.priority(),
        job.mode().text(),
        clock.timeOfDayNs(job.begunNs()),
        OptionalLong.empty(),
        job.figures(),
        job.refusals(),
        uses(job.budgetBytes(), job.peakBytes(), job.contextPeakBytes()),
        lanes.of(job).map(Lanes.Member::use));
  }

  private SeenJob ended(EndedJob job, Clock clock) {
    return new SeenJob(
        key(job),
        OptionalLong.of(job.sequence()),
        new JobRecord(
            0,
            State.ENDED,
            job.kind().text(),
            job.id(),
            job.name(),
            job.uid(),
            users.apply(job.uid()),
            job.priority(),
            job.mode().text(),
            clock.timeOfDayNs(job.begunNs()),
            OptionalLong.of(clock.timeOfDayNs(job.endedNs())),
            job.figures(),
            job.refusals(),
            uses(job.budgetBytes(), job.peakBytes(), job.contextPeakBytes()),
            job.lane()));
  }

  private static SortedMap<Integer, DeviceUse> uses(
      Map<Integer, Long> requested, Map<Integer, Long> peaks, Map<Integer, Long> contexts) {
    SortedMap<Integer, DeviceUse> uses = new TreeMap<>();
    Set<Integer> devices = new TreeSet<>(requested.keySet());
    devices.addAll(peaks.keySet());
    devices.addAll(contexts.keySet());
    for (int device : devices) {
      uses.put(
          device,
          new DeviceUse(
              requested.getOrDefault(device, 0L),
              peaks.getOrDefault(device, 0L),
              OptionalLong.of(contexts.getOrDefault(device, 0L))));
    }
    return uses;
  }

  /** If a job neither holds nor uses anything, it gets no sample. */
  private static void addSamples(
      RegionSnapshot now, Shares shares, Job job, JobKey key, List<SeenSample> samples) {
    for (Device device : now.devices()) {
      Share share = shares.of(job, device.index());
      long inUse = share.inUseBytes();
      if (share.heldBytes() > 0 || inUse > 0) {
        boolean holds = share.reservedBytes() > 0;
        samples.add(new SeenSample(key, device.index(), share.heldBytes(), inUse, holds));
      }
    }
  }

  /** A device of a snapshot, without NVML's numbers. */
  static DeviceSample sample(RegionSnapshot now, Shares shares, Device device, Clock clock) {
    int index = device.index();
    long jobs = now.jobs().stream().filter(job -> shares.of(job, index).takenBytes() > 0).count();
    long waiting =
        now.waiters().stream()
            .filter(waiter -> !waiter.granted() && waiter.devices().contains(index))
            .count();
    long outside =
        device.foreignBytes()
            + now.jobs().stream()
                .mapToLong(job -> job.overrunBytes().getOrDefault(index, 0L))
                .sum();
    return new DeviceSample(
        clock.nowNs(),
        index,
        device.uuid(),
        device.name(),
        device.totalBytes(),
        Math.max(0, device.usedBytes() - outside),
        now.clients().stream().mapToLong(c -> c.inUseBytes().getOrDefault(index, 0L)).sum(),
        OptionalLong.empty(),
        OptionalInt.empty(),
        (int) jobs,
        (int) waiting,
        OptionalInt.of((int) now.lanes().stream().filter(l -> l.device() == index).count()),
        OptionalInt.of((int) waitingTurns(now, index)));
  }

  private static long waitingTurns(RegionSnapshot now, int device) {
    return now.lanes().stream()
        .filter(lane -> lane.device() == device)
        .mapToLong(RegionSnapshot.Lane::waiting)
        .sum();
  }
}
