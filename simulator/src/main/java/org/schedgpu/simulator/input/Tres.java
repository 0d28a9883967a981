package org.schedgpu.simulator.input;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The trackable resources of a job, as sacct prints them: {@code cpu=4,gres/gpu:a100=1,mem=16G}.
 */
final class Tres {
  private static final String GPU = "gres/gpu";
  private static final String UNITS = "KMGTP";

  private final Map<String, String> values = new LinkedHashMap<>();

  Tres(String text) {
    for (String entry : text.split(",", -1)) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        values.put(entry.substring(0, equals), entry.substring(equals + 1));
      }
    }
  }

  /** 0 if it has none. Without {@code gres/gpu}, which a site need not count: of all types. */
  int gpus() {
    return values.containsKey(GPU) ? number(values.get(GPU)) : typedGpus();
  }

  /** True if some of its GPUs are of a type that the site does not count. */
  boolean hasGpusOfOtherTypes() {
    return typedGpus() > 0 && typedGpus() < gpus();
  }

  private int typedGpus() {
    return gpuTypes().stream().mapToInt(type -> number(values.get(GPU + ":" + type))).sum();
  }

  int cpus() {
    return number(values.getOrDefault("cpu", "0"));
  }

  /** The types of its GPUs; empty if they have none. */
  List<String> gpuTypes() {
    return values.keySet().stream()
        .filter(key -> key.startsWith(GPU + ":"))
        .map(key -> key.substring(GPU.length() + 1))
        .toList();
  }

  /** Bytes; without a unit it is MiB, as in Slurm. */
  long hostBytes() {
    String text = values.getOrDefault("mem", "0").toUpperCase(Locale.ROOT);
    char last = text.isEmpty() ? '0' : text.charAt(text.length() - 1);
    int unit = UNITS.indexOf(last);
    double number = Double.parseDouble(unit < 0 ? text : text.substring(0, text.length() - 1));
    return (long) (number * (1L << (10 * ((unit < 0 ? 1 : unit) + 1))));
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  /** From the allocated resources of a job, or from the requested ones if those are missing. */
  static Optional<Tres> of(String allocated, String requested) {
    return Optional.of(allocated.isEmpty() ? requested : allocated)
        .filter(text -> !text.isEmpty())
        .map(Tres::new);
  }
}
