package org.schedgpu.agent.top;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.schedgpu.agent.forecast.ExpectedEnds;
import org.schedgpu.agent.forecast.QueueFuture;
import org.schedgpu.agent.forecast.WaitForecasts;
import org.schedgpu.agent.forecast.WhyText;
import org.schedgpu.agent.overrun.UnscheduledProgram;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.region.Lanes.LaneStatus;
import org.schedgpu.agent.region.Lanes.TurnState;
import org.schedgpu.agent.region.Share;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.agent.top.TopReport.JobRow;
import org.schedgpu.agent.top.TopReport.LaneRow;
import org.schedgpu.agent.top.TopReport.Others;
import org.schedgpu.agent.top.TopReport.WaiterRow;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Builds a report from a snapshot. */
public final class Reporter {
  private static final Set<Policy> BY_AGE = Set.of(Policy.FIFO, Policy.MMU, Policy.RBDM);

  private final RegionSnapshot snapshot;
  private final Shares shares;
  private final Lanes lanes;
  private final IntPredicate maySee;
  private final IntFunction<String> userName;
  private final long nowNs;
  private final Map<String, List<UnscheduledProgram>> unscheduled;

  /**
   * The surroundings of the region.
   *
   * @param node name of this node
   * @param clock the shown time of day
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   * @param userName login name of a user
   * @param maySee true if the jobs of a user may be shown one by one
   * @param stopped records of the jobs of which all processes are stopped
   * @param unscheduled programs that the agent saw running unscheduled, by the job's reference
   */
  public record Around(
      String node,
      String clock,
      long nowNs,
      IntFunction<String> userName,
      IntPredicate maySee,
      Set<Integer> stopped,
      Map<String, List<UnscheduledProgram>> unscheduled) {}

  private Reporter(RegionSnapshot snapshot, Around around) {
    this.snapshot = snapshot;
    this.shares = new Shares(snapshot, around.stopped());
    this.maySee = around.maySee();
    this.userName = around.userName();
    this.nowNs = around.nowNs();
    this.unscheduled = around.unscheduled();
    this.lanes = new Lanes(snapshot, nowNs);
  }

  /**
   * A report.
   *
   * @param futures fresh copies of the queues
   * @param nvml NVML's numbers by UUID
   */
  public static TopReport of(
      RegionSnapshot snapshot,
      Around around,
      Supplier<QueueFuture> futures,
      ExpectedEnds ends,
      Map<String, NvmlUse> nvml) {
    Reporter reporter = new Reporter(snapshot, around);
    WaitForecasts forecasts =
        WaitForecasts.of(snapshot, reporter.shares, futures, ends, around.maySee(), around.nowNs());
    return new TopReport(
        around.node(),
        around.clock(),
        snapshot.policy().map(Policy::text).orElse("damaged"),
        snapshot.devices().stream()
            .map(d -> reporter.device(d, nvml.getOrDefault(d.uuid(), NvmlUse.UNKNOWN)))
            .toList(),
        snapshot.jobs().stream().filter(reporter::mayShow).map(reporter::job).toList(),
        reporter.waiters(forecasts),
        reporter.lanes.all(around.maySee()).stream().map(Reporter::lane).toList(),
        reporter.others(),
        "");
  }

  private boolean mayShow(Job job) {
    return maySee.test(job.uid());
  }

  private DeviceRow device(Device device, NvmlUse nvml) {
    List<Share> there =
        snapshot.jobs().stream().map(job -> shares.of(job, device.index())).toList();
    long free = WhyText.free(device);
    long held = device.usableBytes() - free;
    long inUse = Math.min(held, there.stream().mapToLong(Share::inUseBytes).sum());
    long reserved = there.stream().mapToLong(Share::reservedBytes).sum();
    long idle = Math.min(held - inUse, Math.max(0, reserved - inUse));
    return new DeviceRow(
        device.index(),
        device.uuid(),
        device.name(),
        device.emulated(),
        inUse,
        idle,
        held - inUse - idle,
        free,
        device.usableBytes(),
        nvml.usedBytes(),
        nvml.utilisationPercent(),
        (int) there.stream().filter(share -> share.takenBytes() > 0).count(),
        (int) waitersOn(device.index()));
  }

  private long waitersOn(int device) {
    return snapshot.waiters().stream()
        .filter(waiter -> !waiter.granted() && waiter.devices().contains(device))
        .count();
  }

  private Set<Integer> devicesOf(Job job) {
    Set<Integer> devices = new TreeSet<>(job.budgetBytes().keySet());
    devices.addAll(job.overrunBytes().keySet());
    return devices;
  }

  private JobRow job(Job job) {
    Set<Integer> devices = devicesOf(job);
    List<Share> has = devices.stream().map(d -> shares.of(job, d)).toList();
    long held = has.stream().mapToLong(Share::takenBytes).sum();
    return new JobRow(
        job.reference(),
        job.uid(),
        userName.apply(job.uid()),
        job.name(),
        job.priority(),
        job.mode().text(),
        state(job, held),
        devices,
        held,
        has.stream().mapToLong(Share::inUseBytes).sum(),
        peak(job),
        Math.max(0, nowNs - job.begunNs()),
        job.lane().map(lane -> OptionalLong.of(lane.use().share())).orElse(OptionalLong.empty()),
        unscheduled.getOrDefault(job.reference(), List.of()).stream()
            .filter(UnscheduledProgram::running)
            .map(UnscheduledProgram::text)
            .toList());
  }

  /** The sum over all devices; the maxima may have been at different times. */
  private static OptionalLong peak(Job job) {
    return job.peakBytes().isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(job.peakBytes().values().stream().mapToLong(Long::longValue).sum());
  }

  private String state(Job job, long held) {
    if (job.dead()) {
      return "dead";
    }
    if (job.ending()) {
      return "ending";
    }
    if (shares.isStopped(job)) {
      return "stopped";
    }
    TurnState turn = lanes.of(job).map(Lanes.Member::turn).orElse(TurnState.NONE);
    if (turn == TurnState.HAS) {
      return "has turn";
    }
    boolean waits = shares.waits(job) || turn == TurnState.WAITS;
    return waits ? "waits" : held > 0 ? "holds" : "idle";
  }

  private static LaneRow lane(LaneStatus status) {
    Lane lane = status.lane();
    return new LaneRow(
        lane.record(),
        lane.device(),
        lane.policy().text(),
        lane.bytes(),
        lane.members(),
        lane.waiting(),
        lane.switches(),
        status.turnOf(),
        status.turnNs());
  }

  /** The oldest first, or if the policy looks most at priorities, the highest priority first. */
  private Comparator<Waiter> queueOrder() {
    Comparator<Waiter> byDevice = Comparator.comparingInt(Waiter::device);
    Comparator<Waiter> byAge = Comparator.comparingLong(Waiter::ticket);
    return snapshot.policy().filter(policy -> !BY_AGE.contains(policy)).isPresent()
        ? byDevice
            .thenComparing(Comparator.comparingInt(Waiter::priority).reversed())
            .thenComparing(byAge)
        : byDevice.thenComparing(byAge);
  }

  private List<WaiterRow> waiters(WaitForecasts forecasts) {
    return snapshot.waiters().stream()
        .filter(waiter -> !waiter.granted())
        .filter(waiter -> snapshot.job(waiter.job()).filter(this::mayShow).isPresent())
        .sorted(queueOrder())
        .map(waiter -> waiter(waiter, forecasts))
        .toList();
  }

  private WaiterRow waiter(Waiter waiter, WaitForecasts forecasts) {
    Job job = snapshot.job(waiter.job()).orElseThrow();
    return new WaiterRow(
        job.reference(),
        job.uid(),
        userName.apply(job.uid()),
        job.name(),
        waiter.priority(),
        waiter.device(),
        new TreeSet<>(waiter.devices()),
        WhyText.subject(waiter, job),
        waiter.place(),
        WhyText.asksBytes(snapshot, waiter, waiter.device()),
        Math.max(0, nowNs - waiter.sinceNs()),
        forecasts.why(waiter),
        forecasts.estimate(waiter));
  }

  private Others others() {
    List<Job> hidden = snapshot.jobs().stream().filter(job -> !mayShow(job)).toList();
    long held =
        hidden.stream()
            .flatMapToLong(
                job -> devicesOf(job).stream().mapToLong(d -> shares.of(job, d).takenBytes()))
            .sum();
    long waiting =
        hidden.stream()
            .flatMap(job -> shares.waiters(job).stream())
            .filter(waiter -> !waiter.granted())
            .count();
    return new Others(hidden.size(), held, (int) waiting);
  }
}
