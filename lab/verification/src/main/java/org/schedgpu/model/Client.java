package org.schedgpu.model;

import java.util.Arrays;
import java.util.Optional;

/** A process attached to the region. */
public final class Client {
  private static final long NEVER = Long.MIN_VALUE;

  /** Empty if the process is of the root side, or if its job has ended. */
  Optional<Job> job;

  /** Bytes of its contexts, per device. */
  final long[] contexts;

  /** Bytes of memory in use, per device. */
  final long[] inUse;

  /** The most bytes in use at once since the last update of the peak, per device. */
  final long[] most;

  /** What it maps of a shared lane. */
  long mappedBytes;

  /** The time at which the process last released all its memory, per device. */
  private final long[] idleSinceNs;

  Client(Optional<Job> job, int devices) {
    this.job = job;
    contexts = new long[devices];
    inUse = new long[devices];
    most = new long[devices];
    idleSinceNs = new long[devices];
    Arrays.fill(idleSinceNs, NEVER);
  }

  boolean isOf(Job other) {
    return job.isPresent() && job.get() == other;
  }

  boolean usesMemory() {
    return Arrays.stream(inUse).anyMatch(bytes -> bytes > 0);
  }

  void use(int device, long bytes) {
    inUse[device] += bytes;
    most[device] = Math.max(most[device], inUse[device]);
  }

  void idleFrom(int device, long nowNs) {
    idleSinceNs[device] = nowNs;
  }

  /** True if memory of the device is in use, or was in use within the last {@code graceNs}. */
  boolean usedWithin(int device, long graceNs, long nowNs) {
    return inUse[device] > 0
        || (idleSinceNs[device] != NEVER && nowNs - idleSinceNs[device] < graceNs);
  }

  /** The job has ended: nothing is reserved for this process any more. */
  void loseJob() {
    job = Optional.empty();
    Arrays.fill(contexts, 0);
    Arrays.fill(inUse, 0);
    Arrays.fill(most, 0);
    mappedBytes = 0;
  }

  /** Bytes of memory in use on a device. */
  public long inUse(int device) {
    return inUse[device];
  }

  /** Bytes of its contexts on a device. */
  public long contexts(int device) {
    return contexts[device];
  }

  /** The id of its job, or {@code none}. */
  public long jobIdOr(long none) {
    return job.map(Job::id).orElse(none);
  }
}
