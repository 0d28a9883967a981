package org.schedgpu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.schedgpu.minicluster.SharedSegments;

/** A new emulated device for one run, in its own folder, which is removed with it. Thread-safe. */
final class EmulatedGpu implements AutoCloseable {
  private final Artifacts artifacts;
  private final Path folder;
  private final long contextMiB;
  private final Map<String, String> environment;

  /**
   * Makes the folder; the first process that uses the device makes the device.
   *
   * @param name of the run
   * @param sizes any program, because each knows the sizes of the device
   */
  EmulatedGpu(Artifacts artifacts, String name, Program sizes) {
    this(artifacts, name, sizes.deviceMiB(), sizes.contextMiB());
  }

  /**
   * Makes the folder; the first process that uses the device makes the device.
   *
   * @param name of the run
   * @param deviceMiB memory of the device
   * @param contextMiB memory of a CUDA context
   */
  EmulatedGpu(Artifacts artifacts, String name, long deviceMiB, long contextMiB) {
    this.artifacts = artifacts;
    this.contextMiB = contextMiB;
    folder = Path.of("/dev/shm/schedgpu-demo-%d-%s".formatted(ProcessHandle.current().pid(), name));
    environment =
        Map.of(
            "EMULATED_GPU_STATE", folder.resolve("device").toString(),
            "EMULATED_GPU_MEM", deviceMiB + "M",
            "EMULATED_GPU_CONTEXT", contextMiB + "M");
    try {
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new DemoException("cannot make the folder " + folder, e);
    }
  }

  /** Memory of a CUDA context. */
  long contextMib() {
    return contextMiB;
  }

  /** The variables that a process needs to find the device, without those for libraries. */
  Map<String, String> environment() {
    return environment;
  }

  /** A folder, not made yet, for schedGPU's region. */
  Path schedGpuFolder() {
    return folder.resolve("run");
  }

  /** A file that is removed with the device. */
  Path file(String name) {
    return folder.resolve(name);
  }

  /** NVML's data of the device: name, uuid, totalBytes. */
  JsonNode describe() {
    try {
      Process process = sampler("--describe").start();
      return new ObjectMapper().readTree(process.getInputStream());
    } catch (IOException e) {
      throw new DemoException("cannot start " + artifacts.sampler(), e);
    }
  }

  /** Starts to sample the device. */
  Sampler sample(int periodMs) {
    try {
      return new Sampler(sampler(Integer.toString(periodMs)).start());
    } catch (IOException e) {
      throw new DemoException("cannot start " + artifacts.sampler(), e);
    }
  }

  private ProcessBuilder sampler(String argument) {
    ProcessBuilder builder = artifacts.command(artifacts.sampler(), argument);
    builder.environment().putAll(environment);
    return builder;
  }

  /** Removes the device; no process should use it any more. */
  @Override
  public void close() {
    try {
      SharedSegments.removeWith(folder);
    } catch (IOException e) {
      throw new DemoException("cannot remove " + folder, e);
    }
  }
}
