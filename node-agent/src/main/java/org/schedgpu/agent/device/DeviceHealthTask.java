package org.schedgpu.agent.device;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.NvmlXids;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports problems of devices: Xids at once; every CheckEvery also memory errors, and devices that
 * disappeared, returned, are new, or were switched to MIG. It changes nothing: the site decides
 * whether to drain a node.
 */
public final class DeviceHealthTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceHealthTask.class);
  private static final long XID_NS = TimeUnit.SECONDS.toNanos(1);

  private final RegionAccess access;
  private final NvmlAccess nvml;
  private final Supplier<Conf> conf;
  private final AgentCounts counts;
  private final DeviceProblems notes;
  private final Map<String, Long> errors = new HashMap<>();
  private Set<String> lost = new HashSet<>();
  private Set<String> strange = new HashSet<>();
  private Optional<NvmlXids> xids = Optional.empty();
  private long checkNs = System.nanoTime();
  private int opened;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task, as nvml
   * @param conf gives the current configuration
   * @param counts counts each problem by device
   */
  public DeviceHealthTask(
      RegionAccess access, NvmlAccess nvml, Supplier<Conf> conf, AgentCounts counts) {
    this.access = access;
    this.nvml = nvml;
    this.conf = conf;
    this.counts = counts;
    this.notes = new DeviceProblems(access.runDir());
  }

  @Override
  public String name() {
    return "health";
  }

  @Override
  public long run(long nowNs) {
    Optional<Nvml> library = nvml.nvml(nowNs);
    if (library.isPresent() && access.region().isPresent()) {
      try {
        look(library.get(), access.region().get(), nowNs);
      } catch (NvmlException problem) {
        nvml.failed(nowNs);
        throw problem;
      }
    }
    return XID_NS;
  }

  /** Takes a snapshot of the region only when a problem needs it. */
  private void look(Nvml library, SchedGpu region, long nowNs) {
    if (nvml.opened() != opened) {
      opened = nvml.opened();
      xids = library.xids(); // the earlier ones were closed with their NVML
    }
    List<NvmlXids.Xid> happened = xids.map(NvmlXids::take).orElse(List.of());
    boolean due = nowNs - checkNs >= 0;
    if (happened.isEmpty() && !due) {
      return;
    }
    List<Device> ours = region.liveSnapshot().devices();
    happened.forEach(xid -> tell(xid, ours));
    if (due) {
      checkNs = nowNs + conf.get().checkEveryNs();
      Map<String, Nvml.Device> seen =
          library.devices().stream().collect(Collectors.toMap(Nvml.Device::uuid, d -> d));
      presence(ours, seen.keySet());
      ours.stream()
          .filter(device -> seen.containsKey(device.uuid()))
          .forEach(device -> errors(device, seen.get(device.uuid())));
    }
  }

  private void tell(NvmlXids.Xid xid, List<Device> ours) {
    int device =
        ours.stream()
            .filter(one -> one.uuid().equals(xid.uuid()))
            .mapToInt(Device::index)
            .findFirst()
            .orElse(-1);
    note(device, "xid=%d uuid=%s: %s".formatted(xid.number(), xid.uuid(), Xids.text(xid.number())));
  }

  private void note(int device, String text) {
    LOG.warn("device={} {}", device, text);
    counts.deviceProblem(device);
    try {
      notes.add(new DeviceProblems.Note(Instant.now(), device, text));
    } catch (IOException problem) {
      LOG.warn("{}: not kept for schedgpu doctor ({})", access.runDir(), problem.toString());
    }
  }

  private void presence(List<Device> ours, Set<String> seen) {
    Set<String> gone = new HashSet<>();
    Set<String> known = new HashSet<>();
    for (Device device : ours) {
      known.add(device.uuid());
      if (!seen.contains(device.uuid())) {
        gone.add(device.uuid());
        if (!lost.contains(device.uuid())) {
          note(
              device.index(),
              "uuid=%s is lost: NVML does not see it: drain the node".formatted(device.uuid()));
        }
      } else if (lost.contains(device.uuid())) {
        LOG.info("device={} uuid={} is back", device.index(), device.uuid());
      }
    }
    lost = gone;
    Set<String> others = new HashSet<>(seen);
    others.removeAll(known);
    others.stream()
        .filter(uuid -> !strange.contains(uuid))
        .forEach(
            uuid ->
                LOG.info(
                    "device uuid={} is none of the region's: nothing is reserved on it; if jobs"
                        + " are to share it, schedgpu gres plan",
                    uuid));
    strange = others;
  }

  private void errors(Device device, Nvml.Device seen) {
    OptionalLong now = seen.uncorrectedErrors();
    long before = errors.getOrDefault(device.uuid(), 0L);
    if (now.orElse(0) > before) {
      note(
          device.index(),
          "uuid=%s has %d memory errors that ECC did not correct, since the driver was loaded:"
                  .formatted(device.uuid(), now.getAsLong())
              + " drain the node and reset the device");
    }
    now.ifPresent(count -> errors.put(device.uuid(), count));
    if (seen.migMode().orElse(false) && errors.putIfAbsent("MIG " + device.uuid(), 1L) == null) {
      note(
          device.index(),
          "uuid=%s is in MIG mode: it cannot be shared so: nvidia-smi -mig 0, or schedgpu gres plan"
              .formatted(device.uuid()));
    }
  }

  @Override
  public void close() {
    xids.ifPresent(NvmlXids::close);
  }
}
