package org.schedgpu.simulator.job;

import java.util.List;
import java.util.Locale;

/**
 * A job that used GPUs. Times are nanoseconds, sizes bytes.
 *
 * @param id names it; unique among the jobs of a simulation, and not negative
 * @param submitNs when it could have begun, since 1970
 * @param day the day of that in the cluster's time zone, since 1970
 * @param runNs how long it ran with its GPUs for itself; at least 1
 * @param limitNs its time limit; at least 1
 * @param nodes how many nodes it needs; at least 1
 * @param gpus devices that it needs on each of its nodes; at least 1
 * @param cpus CPUs on each of its nodes
 * @param hostBytes host memory on each of its nodes
 * @param gpuTypes the types of GPU that it accepts; empty: all. In small letters, whatever they are
 *     given in
 * @param deviceBytes memory on each of its devices, without the CUDA context; at least 1
 * @param busyPermille how much of its time it keeps each of its GPUs busy; 1 to 1000
 * @param priority in the queue of the cluster: larger is earlier
 */
public record Job(
    long id,
    long submitNs,
    int day,
    long runNs,
    long limitNs,
    int nodes,
    int gpus,
    int cpus,
    long hostBytes,
    List<String> gpuTypes,
    long deviceBytes,
    int busyPermille,
    long priority) {
  public static final int FULLY_BUSY = 1000;

  public Job {
    if (!gpuTypes.isEmpty()) {
      gpuTypes = gpuTypes.stream().map(type -> type.toLowerCase(Locale.ROOT)).toList();
    }
  }

  /** The properties that decide where it fits: jobs of one shape fit in the same places. */
  public record Shape(
      int nodes, int gpus, int cpus, long hostBytes, List<String> gpuTypes, long deviceBytes) {}

  public Shape shape() {
    return new Shape(nodes, gpus, cpus, hostBytes, gpuTypes, deviceBytes);
  }
}
