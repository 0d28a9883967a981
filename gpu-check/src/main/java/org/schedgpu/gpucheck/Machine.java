package org.schedgpu.gpucheck;

import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.jna.Nvml;

/**
 * The device that is checked, and what programs need to reach it.
 *
 * @param index NVML's
 * @param name as NVML has it
 * @param reservedBytes what the driver keeps
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
  /** A first look, without what only a program can tell. */
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

  /** Whether our emulator stands in for a GPU. */
  boolean emulated() {
    return name.startsWith("Emulated");
  }

  /** The environment of a program that is no job's. A new map. */
  Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>(System.getenv());
    environment.keySet().removeIf(name -> name.startsWith("SCHEDGPU_") || name.startsWith("SLURM"));
    environment.remove("LD_PRELOAD");
    environment.put("CUDA_VISIBLE_DEVICES", uuid);
    environment.put("PYTHONUNBUFFERED", "1");
    environment.put("PYTHONDONTWRITEBYTECODE", "1");
    environment.put("TF_CPP_MIN_LOG_LEVEL", "3");
    return environment;
  }
}
