package org.schedgpu.model;

import java.util.HashMap;
import java.util.Map;

/** Statistics of a job: its peaks, waits and refusals, and how long it held memory. */
public final class JobStatistics {
  private static final long NEVER = Long.MIN_VALUE;

  private final Map<Integer, Long> peakBytes = new HashMap<>();
  private int waits;
  private long waitedNs;
  private int refusals;
  private long refusedBytes;
  private long heldBeforeNs;
  private long heldSinceNs = NEVER;

  JobStatistics() {}

  void waited(long ns) {
    waits++;
    waitedNs += ns;
  }

  /**
   * The core refused an allocation.
   *
   * @param deviceBytes of the largest of the job's devices
   */
  void refused(long bytes, long deviceBytes) {
    refusals++;
    refusedBytes = Math.max(refusedBytes, Math.min(bytes, deviceBytes));
  }

  /** Sets whether the job holds memory of any device now. */
  void holds(boolean now, long nowNs) {
    boolean did = heldSinceNs != NEVER;
    if (did && !now) {
      heldBeforeNs += nowNs - heldSinceNs;
    }
    if (did != now) {
      heldSinceNs = now ? nowNs : NEVER;
    }
  }

  /** The job had this much in use, limited to the size of the device. */
  void used(Device device, long bytes) {
    peakBytes.merge(device.index(), Math.min(bytes, device.totalBytes()), Math::max);
  }

  /** The most that the job had in use on a device. */
  public long peakBytes(int device) {
    return peakBytes.getOrDefault(device, 0L);
  }

  /** The number of waits that are over. */
  public int waits() {
    return waits;
  }

  /** The total time of these waits. */
  public long waitedNs() {
    return waitedNs;
  }

  /** The number of allocations that the core refused. */
  public int refusals() {
    return refusals;
  }

  /** The bytes of the largest refused allocation. */
  public long refusedBytes() {
    return refusedBytes;
  }

  /** How long the job has held memory so far. */
  public long heldNs(long nowNs) {
    return heldBeforeNs + (heldSinceNs == NEVER ? 0 : nowNs - heldSinceNs);
  }

  /** What it maps of a shared lane: each of its processes maps the same memory. */
  private static long mapped(Node node, Job job) {
    return node.clients.stream()
        .filter(client -> client.isOf(job))
        .mapToLong(client -> client.mappedBytes)
        .max()
        .orElse(0);
  }

  /** Starts the maxima of the job's processes again from their present use. */
  static void note(Node node, Job job) {
    for (int d : node.devicesOf(job)) {
      long bytes =
          node.clients.stream()
              .filter(client -> client.isOf(job))
              .mapToLong(client -> client.most[d] + client.contexts[d])
              .sum();
      job.statistics.used(node.devices.get(d), bytes + mapped(node, job));
      node.clients.stream()
          .filter(client -> client.isOf(job))
          .forEach(client -> client.most[d] = client.inUse[d]);
    }
  }
}
