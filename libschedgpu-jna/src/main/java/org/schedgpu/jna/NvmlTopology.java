package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.BitSet;
import java.util.Optional;

/** A device's MIG mode and the CPUs near it, which NVML does not know of every device. */
final class NvmlTopology {
  private static final int SUCCESS = 0;
  private static final int NOT_SUPPORTED = 3;
  private static final int FUNCTION_NOT_FOUND = 13;

  private final NvmlProcesses.Library library;
  private final Pointer device;

  NvmlTopology(NvmlProcesses.Library library, Pointer device) {
    this.library = library;
    this.device = device;
  }

  /** An answer that is neither yes nor no is an error, because sharing depends on it. */
  Optional<Boolean> migMode() {
    String function = "nvmlDeviceGetMigMode";
    IntByReference current = new IntByReference();
    IntByReference pending = new IntByReference();
    int result = library.call(function, device, current, pending).orElse(FUNCTION_NOT_FOUND);
    if (result == NOT_SUPPORTED || result == FUNCTION_NOT_FOUND) {
      return Optional.empty();
    }
    Nvml.check(function, result);
    return Optional.of(current.getValue() != 0);
  }

  /** No decision depends on it, so every answer other than CPUs means that they are unknown. */
  Optional<BitSet> nearCpus(int cpus) {
    int words = (cpus + Long.SIZE - 1) / Long.SIZE;
    Memory set = new Memory((long) words * Long.BYTES);
    set.clear();
    Optional<Integer> result = library.call("nvmlDeviceGetCpuAffinity", device, words, set);
    if (result.isEmpty() || result.get() != SUCCESS) {
      return Optional.empty();
    }
    return Optional.of(BitSet.valueOf(set.getLongArray(0, words))).filter(near -> !near.isEmpty());
  }
}
