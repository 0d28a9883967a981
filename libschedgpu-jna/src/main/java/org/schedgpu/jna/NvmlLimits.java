package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The driver's own limits of device memory per control group (CUDA 13.4, driver 615; NVIDIA, "MPS
 * v3 Memory Partitioning"). They need control groups of version 2.
 */
final class NvmlLimits {
  static final String SET = "nvmlDeviceSetMemoryLimits_v1";
  private static final int NOT_SUPPORTED = 3;
  private static final int FUNCTION_NOT_FOUND = 13;

  /** {@code nvmlGetMemoryLimits_v1_t}, the larger one: folder, soft, hard, used. */
  private static final int SIZE = 32;

  private static final int HARD = 16;

  private final NvmlProcesses.Library library;
  private final Pointer device;

  NvmlLimits(NvmlProcesses.Library library, Pointer device) {
    this.library = library;
    this.device = device;
  }

  /**
   * Nothing is guaranteed to the group, so the soft limit is 0: what its ancestors had to keep for
   * it would stay with them when Slurm removes it.
   *
   * @return false if the driver has no such limits
   */
  boolean set(Path cgroup, long hardBytes) {
    try (Memory name = name(cgroup);
        Memory limits = limits(name)) {
      limits.setLong(HARD, hardBytes);
      int result = library.call(SET, device, limits).orElse(FUNCTION_NOT_FOUND);
      if (result == NOT_SUPPORTED || result == FUNCTION_NOT_FOUND) {
        return false;
      }
      Nvml.check(SET, result);
      return true;
    }
  }

  private static Memory limits(Memory name) {
    Memory limits = new Memory(SIZE);
    limits.clear();
    limits.setPointer(0, name);
    return limits;
  }

  private static Memory name(Path cgroup) {
    byte[] text = Native.toByteArray(cgroup.toString(), StandardCharsets.UTF_8);
    Memory name = new Memory(text.length);
    name.write(0, text, 0, text.length);
    return name;
  }
}
