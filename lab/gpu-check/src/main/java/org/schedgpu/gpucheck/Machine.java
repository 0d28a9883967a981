package org.schedgpu.gpucheck;

import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.jna.Nvml;

/**
 * The device under test, and what programs need to use it.
 *
 * @param index NVML's
 * @param name NVML's
 * @param reservedBytes what the driver keeps for itself
 * @param contextBytes of one context without a kernel, as measured
 * @param processors streaming multiprocessors
 * @param cudaVersion of the driver, 1000 * major + 10 * minor
 * @param driverVersion as {@code 580.65.06}
 */
record Machine(
    int index,
    String uuid,
    String name,
    long totalBytes,
    long reservedBytes,
    long contextBytes,
    int processors,
    int cudaVersion,
    String driverVersion) {
  /** The device without the facts that only a program can find out. */
  static Machine of(Nvml nvml, Nvml.Device device) {
    Nvml.MemoryInfo memory = device.memory();
    return new Machine(
        device.index(),
        device.uuid(),
        device.name(),
        memory.totalBytes(),
        memory.reservedBytes(),
        0,
        1,
        0,
        nvml.driverVersion());
  }

  Machine with(long measuredContextBytes, int processorCount, int version) {
    return new Machine(
        index,
        uuid,
        name,
        totalBytes,
        reservedBytes,
        measuredContextBytes,
        processorCount,
        version,
        driverVersion);
  }

  /** True if the emulator stands in for a GPU. */
  boolean emulated() {
    return name.startsWith("Emulated");
  }

  /** The environment of a program outside any job. A new map. */
  Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>(System.getenv());
    environment.keySet().removeIf(name -> name.startsWith("SCHEDGPU_") || name.startsWith("SLURM"));
    environment.remove("LD_PRELOAD");
    environment.put("CUDA_VISIBLE_DEVICES", uuid);
    environment.put("OMP_NUM_THREADS", "1"); // a dozen programs share the processors
    environment.put("PYTHONUNBUFFERED", "1");
    environment.put("PYTHONDONTWRITEBYTECODE", "1");
    environment.put("TF_CPP_MIN_LOG_LEVEL", "3");
    return environment;
  }
}
