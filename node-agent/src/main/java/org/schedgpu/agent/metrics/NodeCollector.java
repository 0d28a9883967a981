package org.schedgpu.agent.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/**
 * Reads the region for each scrape, and only then. If the region cannot be read, schedgpu_up is 0
 * and the metrics of the region are left out, because old numbers would mislead.
 */
final class NodeCollector implements MultiCollector, AutoCloseable {
  private static final double PERCENT = 100;

  private final RegionAccess access;
  private final NvmlSource nvml;
  private final AgentCounts counts;
  private final String version;
  private final JobHistograms ended = new JobHistograms(RegionSnapshot.nowNs());
  private long failures;

  private record Look(RegionSnapshot snapshot, RegionInfo info) {}

  /**
   * @param access with a time-out that a scrape may take
   */
  NodeCollector(RegionAccess access, NvmlSource nvml, AgentCounts counts, String version) {
    this.access = access;
    this.nvml = nvml;
    this.counts = counts;
    this.version = version;
  }

  @Override
  public synchronized MetricSnapshots collect() {
    Families to = new Families();
    Optional<Look> look = look();
    to.gauge(
        "schedgpu_up",
        "1 if the region could be read; 0: its other metrics are absent.",
        look.isPresent() ? 1 : 0);
    look.ifPresent(seen -> region(to, seen));
    ended.addTo(to, look.isPresent());
    agent(to);
    usage(to);
    return to.build();
  }

  /** Absent without MetricsByUser. */
  private void usage(Families to) {
    Map<Labels, Double> reserved = new LinkedHashMap<>();
    Map<Labels, Double> used = new LinkedHashMap<>();
    Map<Labels, Double> turns = new LinkedHashMap<>();
    counts
        .usage()
        .forEach(
            (owner, usage) -> {
              Labels labels = Labels.of("user", owner.user(), "account", owner.account());
              reserved.put(labels, usage.reservedByteSeconds());
              used.put(labels, usage.usedByteSeconds());
              turns.put(labels, usage.turnSeconds());
            });
    if (!reserved.isEmpty()) {
      to.counters(
          "schedgpu_user_reserved_byte_seconds",
          "Memory reserved for the jobs of a user, by the time (MetricsByUser=yes).",
          reserved);
      to.counters(
          "schedgpu_user_used_byte_seconds",
          "Memory in use by them, by the time (MetricsByUser=yes).",
          used);
      to.counters(
          "schedgpu_user_turn_seconds",
          "How long they had turns of lanes, compute turns included (MetricsByUser=yes).",
          turns);
    }
  }

  private Optional<Look> look() {
    try {
      Optional<SchedGpu> region = access.region();
      return region.map(r -> new Look(r.snapshot(), r.info()));
    } catch (SchedGpuException problem) {
      access.failed(problem);
      failures++;
      return Optional.empty();
    }
  }

  private void region(Families to, Look look) {
    RegionMetrics.add(to, look.snapshot(), look.info(), RegionSnapshot.nowNs());
    ended.observe(look.snapshot());
    nvml(to, look.snapshot().devices());
    problems(to, look.snapshot().devices());
    unscheduled(to, look.snapshot().devices());
  }

  private void nvml(Families to, List<Device> devices) {
    Map<String, NvmlSource.Seen> seen = nvml.ask();
    Map<Labels, Double> used = new LinkedHashMap<>();
    Map<Labels, Double> busy = new LinkedHashMap<>();
    for (Device device : devices) {
      NvmlSource.Seen of = seen.get(device.uuid());
      if (of != null) {
        Labels labels = RegionMetrics.labels(device);
        used.put(labels, (double) of.usedBytes());
        of.busyPercent().ifPresent(percent -> busy.put(labels, percent / PERCENT));
      }
    }
    to.gauges(
        "schedgpu_device_memory_nvml_used_bytes",
        "In use by all processes, as NVML counts; absent if NVML does not answer.",
        used);
    to.gauges(
        "schedgpu_device_busy_ratio",
        "Part of NVML's last sample period in which a kernel ran.",
        busy);
  }

  /** For every device, even with a count of 0: otherwise increase() would miss the first one. */
  private void problems(Families to, List<Device> devices) {
    Map<Labels, Double> problems = new LinkedHashMap<>();
    for (Device device : devices) {
      problems.put(RegionMetrics.labels(device), (double) counts.deviceProblems(device.index()));
    }
    to.counters(
        "schedgpu_device_problems",
        "Xids, memory errors and losses of the device; the agent's log names them.",
        problems);
  }

  private void unscheduled(Families to, List<Device> devices) {
    Map<Labels, Double> processes = new LinkedHashMap<>();
    devices.forEach(
        device ->
            processes.put(
                RegionMetrics.labels(device), (double) counts.unscheduled(device.index())));
    to.gauges(
        "schedgpu_device_unscheduled_processes",
        "Processes of scheduled jobs that use the device and are not attached to the region.",
        processes);
  }

  private void agent(Families to) {
    to.info(
        "schedgpu_build",
        "The version of the agent. The value is always 1.",
        List.of(Labels.of("version", version)));
    to.counter(
        "schedgpu_snapshots_failed", "Scrapes for which the region could not be read.", failures);
    to.gauge(
        "schedgpu_lock_stuck",
        "1 if a process has held the lock of the region for a second or more.",
        counts.lockStuck() ? 1 : 0);
    to.counter(
        "schedgpu_overruns",
        "Jobs seen to use memory of a device that they did not reserve.",
        counts.overruns());
    to.counter(
        "schedgpu_programs_ended",
        "Programs ended because of unreserved memory (OverrunAction=end, Unscheduled=refuse).",
        counts.programsEnded());
    counts
        .brokerConnections()
        .ifPresent(
            connections ->
                to.gauge(
                    "schedgpu_broker_connections",
                    "Clients that the agent serves (Mode=brokered).",
                    (double) connections));
  }

  @Override
  public synchronized void close() {
    access.close();
    nvml.close();
  }
}
