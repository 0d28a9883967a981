package org.schedgpu.agent.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * Converts one snapshot of the region to metrics. No label names a job or a user, so the number of
 * series depends only on the number of devices.
 */
final class RegionMetrics {
  private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

  private static final double PLACES_FOR_JOBS = 512;
  private static final double PLACES_FOR_OWN_JOBS = PLACES_FOR_JOBS / 2;
  private static final double PLACES_FOR_PROCESSES = 1024;
  private static final double PLACES_FOR_LANES = 128;

  private final Families to;
  private final RegionSnapshot snapshot;
  private final long nowNs;
  private final List<Waiter> waiters;
  private final Shares shares;

  private RegionMetrics(Families to, RegionSnapshot snapshot, long nowNs) {
    this.to = to;
    this.snapshot = snapshot;
    this.nowNs = nowNs;
    this.shares = new Shares(snapshot);
    this.waiters = snapshot.waiters().stream().filter(waiter -> !waiter.granted()).toList();
  }

  /**
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  static void add(Families to, RegionSnapshot snapshot, RegionInfo info, long nowNs) {
    RegionMetrics metrics = new RegionMetrics(to, snapshot, nowNs);
    metrics.devices();
    metrics.memory();
    metrics.queues();
    metrics.lanes();
    metrics.jobs();
    metrics.tables();
    metrics.region(info);
  }

  /** The labels of a device's metrics. */
  static Labels labels(Device device) {
    return Labels.of("device", Integer.toString(device.index()), "uuid", device.uuid());
  }

  private void devices() {
    List<Labels> facts =
        snapshot.devices().stream()
            .map(
                device ->
                    labels(device)
                        .merge(
                            Labels.of(
                                "name",
                                device.name(),
                                "emulated",
                                Boolean.toString(device.emulated()))))
            .toList();
    to.info("schedgpu_device", "The devices that jobs share. The value is always 1.", facts);
  }

  private void memory() {
    bytes("size", "Memory of the device.", Device::totalBytes);
    bytes(
        "usable",
        "What jobs can get of the device: without what the driver keeps.",
        Device::usableBytes);
    bytes("held", "Granted: budgets held, memory reserved, and CUDA contexts.", this::held);
    bytes("context", "Of CUDA contexts, at least the existing ones.", this::contexts);
    bytes("in_use", "Allocated by the processes of jobs, contexts left out.", this::inUse);
    bytes("overrun", "In use by jobs beyond all that they reserved.", this::overrun);
    bytes("foreign", "In use by programs of no job.", Device::foreignBytes);
    bytes("free", "Memory that can still be granted.", this::free);
  }

  private void bytes(String what, String help, ToDoubleFunction<Device> value) {
    to.gauges("schedgpu_device_memory_" + what + "_bytes", help, byDevice(value));
  }

  private Map<Labels, Double> byDevice(ToDoubleFunction<Device> value) {
    Map<Labels, Double> values = new LinkedHashMap<>();
    snapshot.devices().forEach(d -> values.put(labels(d), value.applyAsDouble(d)));
    return values;
  }

  private double held(Device device) {
    return Math.max(0, device.usedBytes() - device.foreignBytes() - overrun(device));
  }

  private double free(Device device) {
    return Math.max(0, device.usableBytes() - device.usedBytes());
  }

  private double contexts(Device device) {
    return ofClients(device, Client::contextBytes);
  }

  private double inUse(Device device) {
    return ofClients(device, Client::inUseBytes);
  }

  private double ofClients(Device device, Function<Client, SortedMap<Integer, Long>> bytes) {
    return snapshot.clients().stream()
        .mapToDouble(client -> bytes.apply(client).getOrDefault(device.index(), 0L))
        .sum();
  }

  private double overrun(Device device) {
    return snapshot.jobs().stream()
        .mapToDouble(job -> job.overrunBytes().getOrDefault(device.index(), 0L))
        .sum();
  }

  private void queues() {
    to.gauges(
        "schedgpu_device_waiting_requests",
        "Requests that wait for memory of the device.",
        byDevice(
            device -> waiters.stream().filter(w -> w.devices().contains(device.index())).count()));
    to.gauges(
        "schedgpu_device_oldest_wait_seconds",
        "How long the oldest waiting request has waited; 0: none waits.",
        byDevice(this::oldestWait));
  }

  private void lanes() {
    bytes("lane", "Of lanes, for the jobs that use them in turns.", this::laneBytes);
    to.gauges(
        "schedgpu_device_lanes",
        "Lanes of the device, in which jobs take turns.",
        byDevice(device -> lanesOf(device).count()));
    to.gauges(
        "schedgpu_device_waiting_turns",
        "Processes that wait for the turn of a lane of the device.",
        byDevice(device -> lanesOf(device).mapToLong(Lane::waiting).sum()));
  }

  private Stream<Lane> lanesOf(Device device) {
    return snapshot.lanes().stream().filter(lane -> lane.device() == device.index());
  }

  private double laneBytes(Device device) {
    return lanesOf(device).mapToDouble(Lane::bytes).sum();
  }

  private double oldestWait(Device device) {
    return waiters.stream()
        .filter(waiter -> waiter.devices().contains(device.index()))
        .mapToDouble(waiter -> Math.max(0, nowNs - waiter.sinceNs()) / NS_PER_S)
        .max()
        .orElse(0);
  }

  private void jobs() {
    Map<Labels, Double> states = new LinkedHashMap<>();
    for (JobState state : JobState.values()) {
      states.put(Labels.of("state", state.text()), 0.0);
    }
    for (Job job : snapshot.jobs()) {
      states.merge(Labels.of("state", stateOf(job).text()), 1.0, Double::sum);
    }
    to.gauges(
        "schedgpu_jobs",
        "Registered jobs: waiting for memory, holding some, idle (neither), or ending.",
        states);
    to.gauge(
        "schedgpu_processes",
        "Processes of jobs that use the region.",
        (double) snapshot.clients().stream().filter(client -> client.job().isPresent()).count());
  }

  /** Where a user finds no place, his jobs are refused, or run unscheduled: rules.md. */
  private void tables() {
    Map<Labels, Double> used = new LinkedHashMap<>();
    used.put(table("jobs"), snapshot.jobs().size() / PLACES_FOR_JOBS);
    used.put(table("own_jobs"), ownJobs() / PLACES_FOR_OWN_JOBS);
    used.put(table("processes"), snapshot.clients().size() / PLACES_FOR_PROCESSES);
    used.put(table("lanes"), snapshot.lanes().size() / PLACES_FOR_LANES);
    to.gauges(
        "schedgpu_table_used_ratio",
        "Of the places for jobs, for jobs of schedgpu run, for processes and lanes, the used ones.",
        used);
  }

  private static Labels table(String name) {
    return Labels.of("table", name);
  }

  private long ownJobs() {
    return snapshot.jobs().stream()
        .filter(job -> job.kind() == JobKind.RUN && job.uid() != 0)
        .count();
  }

  private enum JobState {
    WAITING,
    HOLDING,
    IDLE,
    ENDING;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private JobState stateOf(Job job) {
    if (job.ending() || job.dead()) {
      return JobState.ENDING;
    }
    if (shares.waits(job)) {
      return JobState.WAITING;
    }
    boolean leases =
        shares.clients(job).stream()
            .flatMap(client -> client.leasedBytes().values().stream())
            .anyMatch(bytes -> bytes > 0);
    return leases || !job.heldBytes().isEmpty() ? JobState.HOLDING : JobState.IDLE;
  }

  private void region(RegionInfo info) {
    to.counter("schedgpu_grants", "Requests that waited and were served.", snapshot.grants());
    to.counter(
        "schedgpu_refused_allocations",
        "Allocations refused: more than was left of a job's budget, or than its device can give.",
        snapshot.refusals());
    to.counter(
        "schedgpu_reaped_clients",
        "Dead processes whose memory was freed.",
        snapshot.reapedClients());
    to.counter(
        "schedgpu_lock_recoveries",
        "Locks of the region taken over from dead processes.",
        snapshot.recoveries());
    to.counter(
        "schedgpu_region_repairs", "How often damage was found and repaired.", info.repairs());
    to.gauge(
        "schedgpu_region_damaged_records",
        "Records of the region with impossible values, which are left out.",
        snapshot.damage().size());
    info.checkpointAgeNs()
        .ifPresent(
            age ->
                to.gauge(
                    "schedgpu_region_checkpoint_age_seconds",
                    "Time since the checkpoint of the region was written.",
                    age / NS_PER_S));
  }
}
