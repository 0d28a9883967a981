package org.schedgpu.agent.overrun;

import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * A process that NVML sees on a device, and the job that it belongs to.
 *
 * @param name of its program; "" if unknown
 * @param usedBytes memory of the device, its CUDA contexts included; empty if NVML does not report
 *     it
 * @param job empty: it belongs to no job of the region
 * @param asks true if it is a client of the region: the preload library sees it
 */
public record GpuUser(
    int pid, String name, OptionalLong usedBytes, Optional<Job> job, boolean asks) {
  boolean isOf(Job other) {
    return job.filter(j -> j.reference().equals(other.reference())).isPresent();
  }

  /** {@code 4711 train}. */
  String text() {
    return name.isEmpty() ? Integer.toString(pid) : pid + " " + name;
  }
}
