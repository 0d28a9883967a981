package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * What {@code schedgpu status} shows: a snapshot, added up and put in a stable order.
 *
 * @param devices by index
 * @param jobs by kind and id
 * @param waiters by device, oldest first
 */
record StatusReport(
    Path runDir,
    RegionSnapshot snapshot,
    List<DeviceStatus> devices,
    List<JobStatus> jobs,
    List<WaiterStatus> waiters) {

  /** A device with the number of jobs that hold some of it and of requests that wait for it. */
  record DeviceStatus(Device device, int holders, int waiting) {}

  /**
   * A job with what its processes hold.
   *
   * @param shares by device
   */
  record JobStatus(Job job, String user, SortedMap<Integer, Share> shares, List<Client> clients) {}

  /**
   * What a job has on one device.
   *
   * @param budgetBytes 0 = none declared
   * @param reservedBytes promised to it now
   * @param inUseBytes allocated by its processes
   * @param contextBytes of its processes' CUDA contexts, at least those it has reserved
   */
  record Share(long budgetBytes, long reservedBytes, long inUseBytes, long contextBytes) {
    long heldBytes() {
      return reservedBytes + contextBytes;
    }
  }

  /**
   * A request that waits.
   *
   * @param bytes of the request; of a peak or gate job its budget on the device
   * @param behind the jobs that hold memory of the device, most first
   */
  record WaiterStatus(
      Waiter waiter, Job job, int pid, long bytes, long waitedNs, List<Holder> behind) {
    /** What it waits for, in a word. */
    String subject() {
      return switch (waiter.request()) {
        case PEAK -> job.mode() == Mode.GATE ? "gate" : "budget";
        case ONDEMAND -> "memory";
        case CONTEXT -> "context";
      };
    }
  }

  /** A job that holds memory of a device. */
  record Holder(String job, long bytes) {}

  /**
   * @param userName login name of a user
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  static StatusReport of(
      Path runDir, RegionSnapshot snapshot, IntFunction<String> userName, long nowNs) {
    List<JobStatus> jobs =
        snapshot.jobs().stream()
            .sorted(Comparator.comparing(Job::kind).thenComparingLong(Job::id))
            .map(job -> job(snapshot, job, userName))
            .toList();
    List<WaiterStatus> waiters =
        snapshot.waiters().stream()
            .sorted(Comparator.comparingInt(Waiter::device).thenComparingLong(Waiter::ticket))
            .map(waiter -> waiter(snapshot, jobs, waiter, nowNs))
            .toList();
    List<DeviceStatus> devices =
        snapshot.devices().stream().map(device -> device(device, jobs, waiters)).toList();
    return new StatusReport(runDir, snapshot, devices, jobs, waiters);
  }

  private static DeviceStatus device(
      Device device, List<JobStatus> jobs, List<WaiterStatus> waiters) {
    long waiting =
        waiters.stream()
            .map(WaiterStatus::waiter)
            .filter(waiter -> !waiter.granted() && waiter.devices().contains(device.index()))
            .count();
    return new DeviceStatus(device, holders(jobs, device.index()).size(), (int) waiting);
  }

  private static JobStatus job(RegionSnapshot snapshot, Job job, IntFunction<String> userName) {
    List<Client> clients =
        snapshot.clients().stream()
            .filter(client -> client.job().orElse(-1) == job.record())
            .toList();
    SortedMap<Integer, Share> shares = new TreeMap<>();
    job.budgetBytes()
        .forEach(
            (device, budget) -> shares.put(device, share(snapshot, job, clients, device, budget)));
    return new JobStatus(job, userName.apply(job.uid()), shares, clients);
  }

  private static Share share(
      RegionSnapshot snapshot, Job job, List<Client> clients, int device, long budget) {
    long reserved =
        job.mode() == Mode.ONDEMAND
            ? sum(clients, device, Client::leasedBytes)
            : job.heldBytes().getOrDefault(device, 0L);
    return new Share(
        budget,
        reserved,
        sum(clients, device, Client::inUseBytes),
        Math.max(sum(clients, device, Client::contextBytes), admittedBytes(snapshot, job, device)));
  }

  /** The product, bounded: both numbers are read from the region. */
  private static long atMost(Device device, long count, long bytes) {
    return bytes > 0 && count > device.totalBytes() / bytes ? device.totalBytes() : count * bytes;
  }

  /** An admitted job has the contexts of its processes reserved, before they have any. */
  private static long admittedBytes(RegionSnapshot snapshot, Job job, int index) {
    return !job.admitted()
        ? 0
        : snapshot.devices().stream()
            .filter(device -> device.index() == index)
            .mapToLong(device -> atMost(device, job.processes(), device.contextBytes()))
            .findFirst()
            .orElse(0);
  }

  private static long sum(
      List<Client> clients, int device, Function<Client, SortedMap<Integer, Long>> bytes) {
    return clients.stream().mapToLong(c -> bytes.apply(c).getOrDefault(device, 0L)).sum();
  }

  private static WaiterStatus waiter(
      RegionSnapshot snapshot, List<JobStatus> jobs, Waiter waiter, long nowNs) {
    Job job = snapshot.job(waiter.job()).orElseThrow();
    long bytes =
        waiter.request() == Request.PEAK
            ? job.budgetBytes().getOrDefault(waiter.device(), waiter.bytes())
            : waiter.bytes();
    List<Holder> behind = new ArrayList<>(holders(jobs, waiter.device()));
    behind.removeIf(holder -> holder.job().equals(job.reference()));
    int pid =
        snapshot.clients().stream()
            .filter(client -> client.record() == waiter.client())
            .mapToInt(Client::pid)
            .findFirst()
            .orElse(0);
    long waitedNs = Math.max(0, nowNs - waiter.sinceNs());
    return new WaiterStatus(waiter, job, pid, bytes, waitedNs, List.copyOf(behind));
  }

  private static List<Holder> holders(List<JobStatus> jobs, int device) {
    List<Holder> holders = new ArrayList<>();
    for (JobStatus job : jobs) {
      Share share = job.shares().get(device);
      if (share != null && share.heldBytes() > 0) {
        holders.add(new Holder(job.job().reference(), share.heldBytes()));
      }
    }
    holders.sort(Comparator.comparingLong(Holder::bytes).reversed());
    return holders;
  }

  /** Number of requests that wait. */
  long waiting() {
    return waiters.stream().filter(waiter -> !waiter.waiter().granted()).count();
  }
}
