package org.schedgpu.simulator.input;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.simulator.problem.SimulatorException;

/**
 * The memory of GPUs by type, from the user: {@code a100=80G}, or {@code 16G} for all. Types are
 * compared without regard to case, as everywhere here.
 */
public final class GpuSizes {
  private static final String ALL = "";

  private final Map<String, Long> bytes = new HashMap<>();

  /** From the values of the option. */
  public GpuSizes(List<String> words) {
    for (String word : words) {
      int equals = word.indexOf('=');
      String type = equals < 0 ? ALL : word.substring(0, equals);
      bytes.put(type.toLowerCase(Locale.ROOT), Sizes.parseBytes(word.substring(equals + 1)));
    }
  }

  /** Of a type; never guessed. */
  long of(String type) {
    Long size = bytes.getOrDefault(type.toLowerCase(Locale.ROOT), bytes.get(ALL));
    if (size == null) {
      throw new SimulatorException(
          "the memory of a GPU of type " + (type.isEmpty() ? "(none)" : type) + " is not known",
          "give --gpu-mem " + (type.isEmpty() ? "" : type + "=") + "SIZE");
    }
    return size;
  }
}
