package org.schedgpu.agent.status;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.schedgpu.agent.forecast.Estimate;
import org.schedgpu.agent.forecast.WaitForecasts;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.region.Lanes.LaneStatus;
import org.schedgpu.agent.region.Share;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * What {@code schedgpu status} shows: a snapshot, summed up and in a stable order.
 *
 * @param devices by index
 * @param jobs by kind and id
 * @param waiters by device, oldest first
 * @param lanes by record
 * @param use what NVML sees of the devices
 * @param hidden what is not shown
 */
record StatusReport(
    Path runDir,
    RegionSnapshot snapshot,
    List<DeviceStatus> devices,
    List<JobStatus> jobs,
    List<WaiterStatus> waiters,
    List<LaneStatus> lanes,
    GpuUse use,
    Hidden hidden) {
  private static final Comparator<Holder> MOST_FIRST =
      Comparator.comparingLong(Holder::bytes).reversed();

  /**
   * A device with the number of requests that wait for it.
   *
   * @param holders number of jobs that hold memory of it, of all users
   * @param heldBy the jobs that hold memory of it, largest first, as far as the principal may see
   *     them
   */
  record DeviceStatus(Device device, int holders, List<Holder> heldBy, int waiting) {
    private DeviceStatus heldBy(List<Holder> seen) {
      return new DeviceStatus(device, holders, seen, waiting);
    }
  }

  /**
   * A job with what its processes hold.
   *
   * @param shares by device; also devices that it does not have but uses
   * @param lane its part in a lane, if it is a lane job
   * @param stopped true if all its processes are stopped
   */
  record JobStatus(
      Job job,
      String user,
      SortedMap<Integer, Share> shares,
      List<Client> clients,
      Optional<Lanes.Member> lane,
      boolean stopped) {}

  /**
   * A request that waits.
   *
   * @param bytes of the request; for a job of mode peak or gate its budget on the device
   * @param why in words; "" if not asked for
   */
  record WaiterStatus(
      Waiter waiter, Job job, int pid, long bytes, long waitedNs, String why, Estimate estimate) {
    /** What it waits for, in one word. */
    String subject() {
      return switch (waiter.request()) {
        case PEAK -> job.mode() == Mode.GATE ? "gate" : "budget";
        case ONDEMAND -> "memory";
        case CONTEXT -> "context";
      };
    }

    private WaiterStatus with(WaitForecasts forecasts) {
      return new WaiterStatus(
          waiter, job, pid, bytes, waitedNs, forecasts.why(waiter), forecasts.estimate(waiter));
    }
  }

  /**
   * A job that holds memory of a device, or all programs of {@link #NO_JOB}, or all hidden jobs
   * together, or a lane.
   *
   * @param lane what the jobs of this lane use in turns; then {@code job} is {@link #NO_JOB}
   */
  record Holder(String job, OptionalInt lane, long bytes) {
    static final String NO_JOB = "no job";
    static final String OTHERS = "others";

    Holder(String job, long bytes) {
      this(job, OptionalInt.empty(), bytes);
    }
  }

  /** The numbers of jobs and waiting requests that are not shown because they belong to others. */
  record Hidden(int jobs, int waiters) {
    static final Hidden NOTHING = new Hidden(0, 0);
  }

  /**
   * A report without the reasons of waits: see {@link #with}.
   *
   * @param shares of the snapshot
   * @param userName login name of a user
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  static StatusReport of(
      Path runDir,
      RegionSnapshot snapshot,
      Shares shares,
      GpuUse use,
      IntFunction<String> userName,
      long nowNs) {
    Lanes lanes = new Lanes(snapshot, nowNs);
    List<JobStatus> jobs =
        snapshot.jobs().stream()
            .sorted(Comparator.comparing(Job::kind).thenComparingLong(Job::id))
            .map(job -> job(snapshot, shares, job, use, userName, lanes))
            .toList();
    Map<Integer, List<Holder>> holders = holders(snapshot, jobs);
    List<WaiterStatus> waiters =
        snapshot.waiters().stream()
            .sorted(Comparator.comparingInt(Waiter::device).thenComparingLong(Waiter::ticket))
            .map(waiter -> waiter(snapshot, shares, waiter, nowNs))
            .toList();
    List<DeviceStatus> devices =
        snapshot.devices().stream()
            .map(device -> device(device, holders.get(device.index()), snapshot.lanes(), waiters))
            .toList();
    List<LaneStatus> turns = lanes.all(uid -> true);
    return new StatusReport(runDir, snapshot, devices, jobs, waiters, turns, use, Hidden.NOTHING);
  }

  /** The report that a principal may see: own jobs, and only sums of the others. */
  StatusReport seenBy(Principal viewer) {
    if (viewer.seesAll()) {
      return this;
    }
    List<JobStatus> his = jobs.stream().filter(j -> viewer.maySee(j.job().uid())).toList();
    Set<String> names = his.stream().map(j -> j.job().reference()).collect(Collectors.toSet());
    List<WaiterStatus> waits = waiters.stream().filter(w -> viewer.maySee(w.job().uid())).toList();
    return new StatusReport(
        runDir,
        snapshot,
        devices.stream().map(d -> d.heldBy(withoutNames(d.heldBy(), names))).toList(),
        his,
        waits,
        lanes.stream().map(lane -> withoutName(lane, names)).toList(),
        use.of(his.stream().map(JobStatus::job).toList()),
        new Hidden(jobs.size() - his.size(), waiting(waiters) - waiting(waits)));
  }

  /**
   * Adds the reasons of waits, and when each is served. The forecasts must be for the same
   * principal.
   */
  StatusReport with(WaitForecasts forecasts) {
    List<WaiterStatus> waits = waiters.stream().map(waiter -> waiter.with(forecasts)).toList();
    return new StatusReport(runDir, snapshot, devices, jobs, waits, lanes, use, hidden);
  }

  private static int waiting(List<WaiterStatus> waiters) {
    return (int) waiters.stream().filter(waiter -> !waiter.waiter().granted()).count();
  }

  private static List<Holder> withoutNames(List<Holder> holders, Set<String> shown) {
    List<Holder> seen = new ArrayList<>();
    long others = 0;
    for (Holder holder : holders) {
      if (shown.contains(holder.job()) || holder.job().equals(Holder.NO_JOB)) {
        seen.add(holder);
      } else {
        others += holder.bytes();
      }
    }
    if (others > 0) {
      seen.add(new Holder(Holder.OTHERS, others));
    }
    seen.sort(MOST_FIRST);
    return List.copyOf(seen);
  }

  private static LaneStatus withoutName(LaneStatus status, Set<String> shown) {
    Optional<String> turnOf = status.turnOf().map(job -> shown.contains(job) ? job : Lanes.OTHERS);
    return new LaneStatus(status.lane(), turnOf, status.turnNs(), status.keptNs());
  }

  private static DeviceStatus device(
      Device device, List<Holder> holders, List<Lane> lanes, List<WaiterStatus> waiters) {
    long waiting =
        waiters.stream()
            .map(WaiterStatus::waiter)
            .filter(waiter -> !waiter.granted() && waiter.devices().contains(device.index()))
            .count();
    List<Holder> heldBy = new ArrayList<>(holders);
    if (device.foreignBytes() > 0) {
      heldBy.add(new Holder(Holder.NO_JOB, device.foreignBytes()));
    }
    lanes.stream()
        .filter(lane -> lane.device() == device.index() && lane.bytes() > 0)
        .map(lane -> new Holder(Holder.NO_JOB, OptionalInt.of(lane.record()), lane.bytes()))
        .forEach(heldBy::add);
    heldBy.sort(MOST_FIRST);
    return new DeviceStatus(device, holders.size(), List.copyOf(heldBy), (int) waiting);
  }

  private static JobStatus job(
      RegionSnapshot snapshot,
      Shares all,
      Job job,
      GpuUse use,
      IntFunction<String> userName,
      Lanes lanes) {
    Set<Integer> seen = use.of(job).keySet();
    SortedMap<Integer, Share> shares = new TreeMap<>();
    for (Device device : snapshot.devices()) {
      int index = device.index();
      if (job.budgetBytes().containsKey(index)
          || job.overrunBytes().containsKey(index)
          || seen.contains(index)) {
        shares.put(index, all.of(job, index));
      }
    }
    return new JobStatus(
        job,
        userName.apply(job.uid()),
        shares,
        all.clients(job),
        lanes.of(job),
        all.isStopped(job));
  }

  private static WaiterStatus waiter(
      RegionSnapshot snapshot, Shares shares, Waiter waiter, long nowNs) {
    Job job = snapshot.job(waiter.job()).orElseThrow();
    long bytes =
        waiter.request() == Request.PEAK
            ? job.budgetBytes().getOrDefault(waiter.device(), waiter.bytes())
            : waiter.bytes();
    int pid =
        shares.clients(job).stream()
            .filter(client -> client.record() == waiter.client())
            .mapToInt(Client::pid)
            .findFirst()
            .orElse(0);
    long waitedNs = Math.max(0, nowNs - waiter.sinceNs());
    return new WaiterStatus(waiter, job, pid, bytes, waitedNs, "", Estimate.NONE);
  }

  /** By device. */
  private static Map<Integer, List<Holder>> holders(RegionSnapshot snapshot, List<JobStatus> jobs) {
    Map<Integer, List<Holder>> holders = new HashMap<>();
    snapshot.devices().forEach(device -> holders.put(device.index(), new ArrayList<>()));
    for (JobStatus job : jobs) {
      String reference = job.job().reference();
      job.shares()
          .forEach(
              (device, share) -> {
                if (share.takenBytes() > 0) {
                  holders.get(device).add(new Holder(reference, share.takenBytes()));
                }
              });
    }
    return holders;
  }

  /** The number of waiting requests, of all jobs. */
  long waiting() {
    return snapshot.waiters().stream().filter(waiter -> !waiter.granted()).count();
  }
}
