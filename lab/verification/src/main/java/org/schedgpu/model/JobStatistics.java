package org.schedgpu.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Statistics of a job: its peaks, waits and refusals, and how long it held memory. */
public final class JobStatistics {
  private static final long NEVER = Long.MIN_VALUE;

  private final Map<Integer, Long> peakBytes = new HashMap<>();
  private final Map<Integer, Long> contextPeakBytes = new HashMap<>();
  private int waits;
  private long waitedNs;

  /** Starts of the waits that go on, and since when without a break at least one has gone on. */
  private final List<Long> waiting = new ArrayList<>();

  private long waitingSinceNs;
  private int refusals;
  private long refusedBytes;
  private long heldBeforeNs;
  private long heldSinceNs = NEVER;

  JobStatistics() {}

  void beginWait(long nowNs) {
    waitingSinceNs = waiting.isEmpty() ? nowNs : waitingSinceNs;
    waiting.add(nowNs);
  }

  void endWait(long sinceNs, long nowNs) {
    waits++;
    waiting.remove((Long) sinceNs);
    waitedNs += waiting.isEmpty() ? nowNs - waitingSinceNs : 0;
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

  /** The most that the job had of contexts on a device. */
  public long contextPeakBytes(int device) {
    return contextPeakBytes.getOrDefault(device, 0L);
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

  /** The time in which any of these waits went on, less what waits cover that still go on. */
  public long waitedNs() {
    return waitedNs + (waiting.isEmpty() ? 0 : Collections.min(waiting) - waitingSinceNs);
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
              .mapToLong(client -> client.most[d])
              .sum();
      long contexts =
          node.clients.stream()
              .filter(client -> client.isOf(job))
              .mapToLong(client -> client.contexts[d])
              .sum();
      long atMost = job.budget(d) > 0 && !job.overflowWaits() ? job.budget(d) : Long.MAX_VALUE;
      job.statistics.used(node.devices.get(d), Math.min(atMost, bytes + mapped(node, job)));
      job.statistics.contextPeakBytes.merge(d, contexts, Math::max);
      node.clients.stream()
          .filter(client -> client.isOf(job))
          .forEach(client -> client.most[d] = client.inUse[d]);
    }
  }
}
