package org.schedgpu.agent.overrun;

import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * A process that NVML sees on a device, and the job that it belongs to.
 *
 * @param name of its program; "" if unknown
 * @param usedBytes memory of the device, its CUDA contexts included; empty if NVML does not report
 *     it
 * @param job empty: it belongs to no job of the region
 * @param asks true if it is a client of the region: the preload library sees it; also if that
 *     cannot be known
 * @param step of its Slurm job, as the control group of the step says; "" if no control group does
 * @param mps true if it is {@link MpsServer}
 */
public record GpuUser(
    int pid,
    String name,
    OptionalLong usedBytes,
    Optional<Job> job,
    boolean asks,
    String step,
    boolean mps) {
  /** An ordinary program. */
  public GpuUser(
      int pid, String name, OptionalLong usedBytes, Optional<Job> job, boolean asks, String step) {
    this(pid, name, usedBytes, job, asks, step, false);
  }

  boolean isOf(Job other) {
    return job.filter(j -> j.reference().equals(other.reference())).isPresent();
  }

  /** True if it is a program of a job, and nobody asked for what it uses. */
  boolean isUnscheduled() {
    return job.filter(its -> its.mode() != Mode.GATE && its.kind() != JobKind.UNKNOWN).isPresent()
        && !asks
        && !mps;
  }

  /** {@code 716 MiB}, or that it is not known. */
  String amount() {
    return usedBytes.isPresent() ? Texts.size(usedBytes.getAsLong()) : "an unknown amount";
  }

  /** {@code 4711 train}. */
  String text() {
    return name.isEmpty() ? Integer.toString(pid) : pid + " " + name;
  }
}
