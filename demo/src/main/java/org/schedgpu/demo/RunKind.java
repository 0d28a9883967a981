package org.schedgpu.demo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The six ways in which the workload runs, in the order of the paper's Table 3. */
enum RunKind {
  EXCLUSIVE("Slurm as it is", false, false),
  UNSAFE("12 shares, unsafe", true, false),
  FIFO("schedGPU FIFO", true, true),
  MMU("schedGPU MMU", true, true),
  PRIORITY_FIFO("schedGPU Priority FIFO", true, true),
  PRIORITY_MMU("schedGPU Priority MMU", true, true);

  private final String title;
  private final boolean shared;
  private final boolean scheduled;

  RunKind(String title, boolean shared, boolean scheduled) {
    this.title = title;
    this.shared = shared;
    this.scheduled = scheduled;
  }

  /** The word for DEMO_RUNS and result.json, and of the policy in schedgpu.conf. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** For people; at most 22 characters. */
  String title() {
    return title;
  }

  /** Whether Slurm has m x n GPUs, not m. */
  boolean isShared() {
    return shared;
  }

  /** Whether schedGPU keeps the jobs from running out of memory. */
  boolean isScheduled() {
    return scheduled;
  }

  /** Whether MUMmerGPU, which takes longest, has a high priority. */
  boolean hasPriorities() {
    return this == PRIORITY_FIFO || this == PRIORITY_MMU;
  }

  /**
   * Reads a comma separated list of {@link #word}s.
   *
   * @throws DemoException if one is none of them
   */
  static List<RunKind> listOf(String words) {
    return Arrays.stream(words.split(",")).map(String::strip).map(RunKind::of).distinct().toList();
  }

  private static RunKind of(String word) {
    return Arrays.stream(values())
        .filter(kind -> kind.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new DemoException(
                    "DEMO_RUNS has '%s': use some of %s"
                        .formatted(
                            word,
                            Arrays.stream(values())
                                .map(RunKind::word)
                                .collect(Collectors.joining(",")))));
  }
}
