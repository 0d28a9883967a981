package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.SchedGpu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's budget a hard limit of the driver, where the driver has limits per control group: a
 * program that goes around the library then gets out of memory itself, instead of a neighbour.
 */
final class DriverLimitDuty implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(DriverLimitDuty.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private final RegionAccess access;
  private final NvmlAccess nvml;
  private final Supplier<Conf> conf;
  private final SlurmCgroups cgroups;
  private final ToldOnce problem = new ToldOnce(LOG);
  private Map<Key, Long> set = new HashMap<>();
  private long changes = -1;
  private int opened;
  private boolean supported = true;

  /** A new job of the same number, or a new group, is limited anew. */
  private record Key(String job, long begunNs, Path cgroup, int device) {}

  DriverLimitDuty(RegionAccess access, NvmlAccess nvml, Supplier<Conf> conf, SlurmCgroups cgroups) {
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
    Optional<Nvml> library = nvml.nvml(nowNs);
    if (nvml.opened() != opened) {
      opened = nvml.opened();
      supported = true; // of this driver it is not known yet
      changes = -1;
    }
    if (conf.get().driverLimits() && supported && library.isPresent()) {
      access.region().ifPresent(region -> look(region, library.get()));
    }
    return LOOK_NS;
  }

  private void look(SchedGpu region, Nvml library) {
    long now = region.changes();
    if (now == changes) {
      return;
    }
    RegionSnapshot snapshot = region.glance();
    boolean pending = false; // a job has its group some time after its record
    Map<Key, Long> wanted = new HashMap<>();
    for (Job job : snapshot.jobs()) {
      Map<Integer, Long> limits =
          region
              .jobFind(job.kind(), job.id())
              .map(spec -> DriverLimits.of(snapshot, job, spec))
              .orElse(new TreeMap<>());
      Optional<Path> group = limits.isEmpty() ? Optional.empty() : cgroups.ofJob(job.id());
      pending |= !limits.isEmpty() && group.isEmpty();
      group.ifPresent(
          path ->
              limits.forEach(
                  (device, bytes) ->
                      wanted.put(new Key(job.reference(), job.begunNs(), path, device), bytes)));
    }
    try {
      limit(snapshot, library, wanted);
      problem.over();
      changes = pending ? -1 : now;
    } catch (NvmlException refused) {
      problem.tell("limits: " + refused.getMessage(), refused);
    }
    set.keySet().retainAll(wanted.keySet());
  }

  /** A limit is raised as processes come, and not lowered under those that are there. */
  private void limit(RegionSnapshot snapshot, Nvml library, Map<Key, Long> wanted) {
    Map<String, Nvml.Device> seen =
        library.devices().stream().collect(Collectors.toMap(Nvml.Device::uuid, d -> d));
    for (Map.Entry<Key, Long> one : wanted.entrySet()) {
      Optional<Nvml.Device> device =
          snapshot.devices().stream()
              .filter(d -> d.index() == one.getKey().device())
              .map(d -> seen.get(d.uuid()))
              .filter(Objects::nonNull)
              .findFirst();
      if (device.isPresent() && set.getOrDefault(one.getKey(), 0L) < one.getValue()) {
        if (!device.get().limitMemory(one.getKey().cgroup(), one.getValue())) {
          supported = false;
          LOG.debug("limits: this driver has none per control group");
          return;
        }
        set.put(one.getKey(), one.getValue());
        LOG.info(
            "limit job={} device={} bytes={}",
            one.getKey().job(),
            one.getKey().device(),
            one.getValue());
      }
    }
  }
}
