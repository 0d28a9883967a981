package org.schedgpu.agent;

import java.util.SortedMap;
import java.util.function.Function;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;

/**
 * What a job has on one device.
 *
 * @param budgetBytes 0 = none declared
 * @param reservedBytes promised to it now
 * @param inUseBytes allocated by its processes
 * @param contextBytes of its processes' CUDA contexts, at least those it has reserved
 * @param overrunBytes charged beyond those
 */
public record Share(
    long budgetBytes, long reservedBytes, long inUseBytes, long contextBytes, long overrunBytes) {
  /** Of a job of the snapshot. */
  public static Share of(RegionSnapshot snapshot, Job job, int device) {
    long reserved =
        job.mode() == Mode.ONDEMAND
            ? sum(snapshot, job, device, Client::leasedBytes)
            : job.heldBytes().getOrDefault(device, 0L);
    return new Share(
        job.budgetBytes().getOrDefault(device, 0L),
        reserved,
        sum(snapshot, job, device, Client::inUseBytes),
        Math.max(
            sum(snapshot, job, device, Client::contextBytes), admittedBytes(snapshot, job, device)),
        job.overrunBytes().getOrDefault(device, 0L));
  }

  /** What it holds or reserved. */
  public long heldBytes() {
    return reservedBytes + contextBytes;
  }

  /** What others cannot have for its sake. */
  public long takenBytes() {
    return heldBytes() + overrunBytes;
  }

  /** What was granted to waiters of a job that they have not taken yet, and no share shows. */
  static long grantedBytes(RegionSnapshot snapshot, Job job, int device) {
    return snapshot.waiters().stream()
        .filter(waiter -> waiter.granted() && waiter.job() == job.record())
        .filter(waiter -> waiter.device() == device && waiter.request() != Request.PEAK)
        .mapToLong(RegionSnapshot.Waiter::bytes)
        .sum();
  }

  private static long sum(
      RegionSnapshot snapshot,
      Job job,
      int device,
      Function<Client, SortedMap<Integer, Long>> bytes) {
    return snapshot.clients().stream()
        .filter(client -> client.job().orElse(-1) == job.record())
        .mapToLong(client -> bytes.apply(client).getOrDefault(device, 0L))
        .sum();
  }

  /** An admitted job has the contexts of its processes reserved, before they have any. */
  private static long admittedBytes(RegionSnapshot snapshot, Job job, int index) {
    return !job.admitted() || !job.budgetBytes().containsKey(index)
        ? 0
        : snapshot.devices().stream()
            .filter(device -> device.index() == index)
            .mapToLong(device -> atMost(device, job.processes(), device.contextBytes()))
            .findFirst()
            .orElse(0);
  }

  /** The product, bounded: both numbers are read from the region. */
  private static long atMost(Device device, long count, long bytes) {
    return bytes > 0 && count > device.totalBytes() / bytes ? device.totalBytes() : count * bytes;
  }
}
