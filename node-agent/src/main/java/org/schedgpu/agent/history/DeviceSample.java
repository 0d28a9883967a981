package org.schedgpu.agent.history;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A device at one moment.
 *
 * @param timeNs since 1970 (UTC)
 * @param device index
 * @param totalBytes its memory
 * @param reservedBytes reserved by schedGPU: budgets, memory and contexts of jobs, and charges
 * @param inUseBytes allocated by programs of jobs, their CUDA contexts included
 * @param nvmlUsedBytes in use as NVML sees it; empty: unknown
 * @param utilisationPercent part of the time in which a kernel ran; empty: unknown
 * @param jobs number of jobs that hold memory of it
 * @param waiting number of requests that wait for it
 * @param lanes number of its lanes; empty: not known
 * @param waitingTurns number of processes that wait for the turn of one; empty: not known
 */
public record DeviceSample(
    long timeNs,
    int device,
    String uuid,
    String name,
    long totalBytes,
    long reservedBytes,
    long inUseBytes,
    OptionalLong nvmlUsedBytes,
    OptionalInt utilisationPercent,
    int jobs,
    int waiting,
    OptionalInt lanes,
    OptionalInt waitingTurns) {
  /** A sample of which the lanes are not known. */
  public DeviceSample(
      long timeNs,
      int device,
      String uuid,
      String name,
      long totalBytes,
      long reservedBytes,
      long inUseBytes,
      OptionalLong nvmlUsedBytes,
      OptionalInt utilisationPercent,
      int jobs,
      int waiting) {
    this(
        timeNs,
        device,
        uuid,
        name,
        totalBytes,
        reservedBytes,
        inUseBytes,
        nvmlUsedBytes,
        utilisationPercent,
        jobs,
        waiting,
        OptionalInt.empty(),
        OptionalInt.empty());
  }
}
