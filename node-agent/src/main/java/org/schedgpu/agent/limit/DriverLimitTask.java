package org.schedgpu.agent.limit;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.slurm.SlurmCgroups;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a job's budget into a hard limit of the driver, where the driver has limits per control
 * group. A program that goes around the library then runs out of memory itself, instead of its
 * neighbour.
 */
public final class DriverLimitTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(DriverLimitTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  /** The pause if there is nothing to do, because the driver may change later. */
  private static final long REST_NS = TimeUnit.SECONDS.toNanos(10);

  private final RegionAccess access;
  private final NvmlAccess nvml;
  private final Supplier<Conf> conf;
  private final SlurmCgroups cgroups;
  private final DriverSupport support = new DriverSupport(LOG::info);
  private final LogOnce problem = new LogOnce(LOG);
  private Map<WantedLimits.Key, Long> set = new HashMap<>();
  private long changes = -1;
  private int opened;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task, as nvml
   * @param conf gives the current configuration
   * @param cgroups of Slurm on this machine
   */
  public DriverLimitTask(
      RegionAccess access, NvmlAccess nvml, Supplier<Conf> conf, SlurmCgroups cgroups) {
    this.access = access;
    this.nvml = nvml;
    this.conf = conf;
    this.cgroups = cgroups;
  }

  @Override
  public String name() {
    return "limits";
  }

  @Override
  public long run(long nowNs) {
    Optional<Nvml> library = conf.get().driverLimits() ? nvml.nvml(nowNs) : Optional.empty();
    if (library.isEmpty() || !support.has(nvml.opened(), library.get()::hasMemoryLimits)) {
      return REST_NS;
    }
    access.region().ifPresent(region -> look(region, library.get()));
    return LOOK_NS;
  }

  private void look(SchedGpu region, Nvml library) {
    if (access.opened() + nvml.opened() != opened) {
      opened = access.opened() + nvml.opened();
      changes = -1; // odd: a region at rest never has such a number
    }
    long now = region.changes();
    if (now == changes) {
      return;
    }
    RegionSnapshot snapshot = access.liveSnapshot();
    WantedLimits wanted =
        WantedLimits.of(
            snapshot,
            cgroups::scopes,
            Sluids.in(access.runDir()),
            job -> region.jobFind(job.kind(), job.id()));
    try {
      limit(snapshot, library, wanted.bytes());
      problem.over();
      changes = wanted.pending() ? -1 : now;
    } catch (NvmlException refused) {
      problem.tell("limits: " + refused.getMessage(), refused);
    }
    set.keySet().retainAll(wanted.bytes().keySet());
  }

  /** Raises a limit when processes come, and never lowers it below what running processes use. */
  private void limit(RegionSnapshot snapshot, Nvml library, Map<WantedLimits.Key, Long> wanted) {
    Map<WantedLimits.Key, Long> raised = new HashMap<>(wanted);
    raised.entrySet().removeIf(one -> set.getOrDefault(one.getKey(), 0L) >= one.getValue());
    if (raised.isEmpty()) {
      return;
    }
    Map<Integer, String> uuids =
        snapshot.devices().stream().collect(Collectors.toMap(Device::index, Device::uuid));
    Map<String, Nvml.Device> seen =
        library.devices().stream().collect(Collectors.toMap(Nvml.Device::uuid, d -> d));
    for (Map.Entry<WantedLimits.Key, Long> one : raised.entrySet()) {
      Nvml.Device device = seen.get(uuids.get(one.getKey().device()));
      if (device != null && !limit(device, one.getKey(), one.getValue())) {
        support.hasNone();
        return;
      }
    }
  }

  private boolean limit(Nvml.Device device, WantedLimits.Key key, long bytes) {
    if (!device.limitMemory(key.cgroup(), bytes)) {
      return false;
    }
    set.put(key, bytes);
    LOG.info("limit job={} device={} bytes={}", key.job(), key.device(), bytes);
    return true;
  }
}
