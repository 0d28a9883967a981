package org.schedgpu.agent.region;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * What the jobs of a snapshot have. The processes of each job are looked up once, because a full
 * node has hundreds of jobs and a thousand processes.
 */
public final class Shares {
  private final RegionSnapshot snapshot;
  private final Map<Integer, List<Client>> clients = new HashMap<>();
  private final Map<Integer, List<Waiter>> waiters = new HashMap<>();
  private final Set<Integer> stopped;

  /** Of a snapshot. It is not known which jobs are stopped. */
  public Shares(RegionSnapshot snapshot) {
    this(snapshot, Set.of());
  }

  /**
   * Of a snapshot.
   *
   * @param stopped records of the jobs of which all processes are stopped
   */
  public Shares(RegionSnapshot snapshot, Set<Integer> stopped) {
    this.snapshot = snapshot;
    this.stopped = stopped;
    for (Client client : snapshot.clients()) {
      client.job().ifPresent(job -> add(clients, job, client));
    }
    snapshot.waiters().forEach(waiter -> add(waiters, waiter.job(), waiter));
  }

  private static <T> void add(Map<Integer, List<T>> lists, int job, T one) {
    lists.computeIfAbsent(job, record -> new ArrayList<>()).add(one);
  }

  /** True if all processes of the job are stopped: it gives nothing back before it goes on. */
  public boolean isStopped(Job job) {
    return stopped.contains(job.record());
  }

  /** Processes of a job, by record. */
  public List<Client> clients(Job job) {
    return clients.getOrDefault(job.record(), List.of());
  }

  /** Requests of a job, granted or not, oldest first. */
  public List<Waiter> waiters(Job job) {
    return waiters.getOrDefault(job.record(), List.of());
  }

  /** True if a request of the job waits. */
  public boolean waits(Job job) {
    return waiters(job).stream().anyMatch(waiter -> !waiter.granted());
  }

  /** What a job has on a device. */
  public Share of(Job job, int device) {
    if (!job.budgetBytes().containsKey(device) && !job.overrunBytes().containsKey(device)) {
      return Share.NOTHING; // the case of most jobs on most devices of a full node
    }
    long reserved =
        job.mode() == Mode.ONDEMAND
            ? sum(job, device, Client::leasedBytes)
            : job.heldBytes().getOrDefault(device, 0L);
    return new Share(
        job.budgetBytes().getOrDefault(device, 0L),
        reserved,
        sum(job, device, Client::inUseBytes),
        Math.max(contextBytes(job, device), admittedBytes(job, device)),
        job.overrunBytes().getOrDefault(device, 0L));
  }

  /**
   * What a job may use on a device: what it holds. A lane job that holds may use its whole budget,
   * as soon as it gets the turn.
   */
  public long allowedBytes(Job job, int device) {
    Share share = of(job, device);
    boolean inLane = job.lane().isPresent() && job.heldBytes().containsKey(device);
    return inLane
        ? Math.max(share.reservedBytes(), share.budgetBytes()) + share.contextBytes()
        : share.heldBytes();
  }

  /** The contexts of its processes on a device. */
  public long contextBytes(Job job, int device) {
    return sum(job, device, Client::contextBytes);
  }

  /** Memory granted to waiters of a job that have not taken it yet; no share contains it. */
  public long grantedBytes(Job job, int device) {
    return waiters(job).stream()
        .filter(Waiter::granted)
        .filter(waiter -> waiter.device() == device && waiter.request() != Request.PEAK)
        .mapToLong(Waiter::bytes)
        .sum();
  }

  private long sum(Job job, int device, Function<Client, SortedMap<Integer, Long>> bytes) {
    long sum = 0;
    for (Client client : clients(job)) {
      sum += bytes.apply(client).getOrDefault(device, 0L);
    }
    return sum;
  }

  /** An admitted job has the contexts of its processes reserved before they exist. */
  private long admittedBytes(Job job, int index) {
    if (!job.admitted() || !job.budgetBytes().containsKey(index)) {
      return 0;
    }
    for (Device device : snapshot.devices()) {
      if (device.index() == index) {
        return atMost(device, job.processes(), device.contextBytes());
      }
    }
    return 0;
  }

  /** The product, limited, because both numbers come from the region. */
  private static long atMost(Device device, long count, long bytes) {
    return bytes > 0 && count > device.totalBytes() / bytes ? device.totalBytes() : count * bytes;
  }
}
