package org.schedgpu.agent.overrun;

import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * A process that NVML sees on a device, and whose it is.
 *
 * @param name of its program; "" if it is not known
 * @param usedBytes of the device, its CUDA contexts included; empty if NVML does not tell
 * @param job empty: of none that the region knows
 * @param asks whether it is a client of the region, as what the preload library sees is
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
