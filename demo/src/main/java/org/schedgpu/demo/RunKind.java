package org.schedgpu.demo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The six ways in which the workload runs, in the order of the paper's Table 3. */
enum RunKind {
  EXCLUSIVE("Slurm as it is", false, false, new PaperRow(2485.20, 9.24, 3.79)),
  UNSAFE("12 shares, unsafe", true, false, null),
  FIFO("schedGPU FIFO", true, true, new PaperRow(542.51, 43.09, 42.65)),
  MMU("schedGPU MMU", true, true, new PaperRow(527.22, 43.74, 43.25)),
  PRIORITY_FIFO("schedGPU Priority FIFO", true, true, new PaperRow(515.57, 45.59, 46.59)),
  PRIORITY_MMU("schedGPU Priority MMU", true, true, new PaperRow(512.53, 45.75, 47.15));

  /** A row of the paper's Table 3. */
  record PaperRow(double totalSeconds, double gpuUtilisationPercent, double memoryUsedPercent) {}

  private final String title;
  private final boolean shared;
  private final boolean scheduled;
  private final PaperRow paper;

  RunKind(String title, boolean shared, boolean scheduled, PaperRow paper) {
    this.title = title;
    this.shared = shared;
    this.scheduled = scheduled;
    this.paper = paper;
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

  /** What the paper measured; it did not run the jobs unsafely. */
  Optional<PaperRow> paper() {
    return Optional.ofNullable(paper);
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
