package org.schedgpu.model;

import java.util.HashMap;
import java.util.Map;

/** What is remembered of a job: its peaks, waits and refusals, and how long it held memory. */
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
   * An allocation was refused.
   *
   * @param deviceBytes of the largest of its devices
   */
  void refused(long bytes, long deviceBytes) {
    refusals++;
    refusedBytes = Math.max(refusedBytes, Math.min(bytes, deviceBytes));
  }

  /** Whether it holds memory of any device now. */
  void holds(boolean now, long nowNs) {
    boolean did = heldSinceNs != NEVER;
    if (did && !now) {
      heldBeforeNs += nowNs - heldSinceNs;
    }
    if (did != now) {
      heldSinceNs = now ? nowNs : NEVER;
    }
  }

  /** It had that much in use, of what there is. */
  void used(Device device, long bytes) {
    peakBytes.merge(device.index(), Math.min(bytes, device.totalBytes()), Math::max);
  }

  /** Most that it had in use on a device. */
  public long peakBytes(int device) {
    return peakBytes.getOrDefault(device, 0L);
  }

  /** How many of its waits are over. */
  public int waits() {
    return waits;
  }

  /** How long those were together. */
  public long waitedNs() {
    return waitedNs;
  }

  /** How many of its allocations were refused. */
  public int refusals() {
    return refusals;
  }

  /** Bytes of the largest of these. */
  public long refusedBytes() {
    return refusedBytes;
  }

  /** How long it held memory by now. */
  public long heldNs(long nowNs) {
    return heldBeforeNs + (heldSinceNs == NEVER ? 0 : nowNs - heldSinceNs);
  }

  /** The sums of what its processes had at most begin anew with what they have. */
  static void note(Node node, Job job) {
    for (int d : node.devicesOf(job)) {
      long bytes =
          node.clients.stream()
              .filter(client -> client.isOf(job))
              .mapToLong(client -> client.most[d] + client.contexts[d])
              .sum();
      job.statistics.used(node.devices.get(d), bytes);
      node.clients.stream()
          .filter(client -> client.isOf(job))
          .forEach(client -> client.most[d] = client.inUse[d]);
    }
  }
}
