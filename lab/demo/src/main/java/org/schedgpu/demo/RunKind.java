package org.schedgpu.demo;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The ways in which the workload can run: first those of the paper's Table 3, in its order. */
enum RunKind {
  EXCLUSIVE("Slurm as it is", false, false),
  UNSAFE("12 shares, unsafe", true, false),
  FIFO("schedGPU FIFO", true, true),
  MMU("schedGPU MMU", true, true),
  PRIORITY_FIFO("schedGPU Priority FIFO", true, true),
  PRIORITY_MMU("schedGPU Priority MMU", true, true),
  HPFW("schedGPU HPFW", true, true),
  SM_HPFW("schedGPU SM-HPFW", true, true),
  RBDM("schedGPU RBDM", true, true),
  RBDM_HPFW("schedGPU RBDM, HPFW", true, true),
  RBDM_SM_HPFW("schedGPU RBDM, SM-HPFW", true, true);

  /** The runs by default. */
  static final List<RunKind> OF_THE_PAPER =
      List.of(EXCLUSIVE, UNSAFE, FIFO, MMU, PRIORITY_FIFO, PRIORITY_MMU);

  /** The runs of the demo with PyTorch. */
  static final List<RunKind> OF_PYTORCH = List.of(EXCLUSIVE, UNSAFE, FIFO);

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

  /** True if Slurm has m x n GPUs, not m. */
  boolean isShared() {
    return shared;
  }

  /** True if schedGPU keeps the jobs from running out of memory. */
  boolean isScheduled() {
    return scheduled;
  }

  /** True if MUMmerGPU, which takes longest, has a high priority. */
  boolean hasPriorities() {
    return scheduled && this != FIFO && this != MMU;
  }

  /**
   * Reads a comma separated list of {@link #word}s.
   *
   * @throws DemoException if one is none of them
   */
  static List<RunKind> listOf(String words) {
    return some("DEMO_RUNS", words, List.of(values()));
  }

  /**
   * Reads a comma separated list of policies, or {@code all}: with the runs without schedGPU, to
   * compare with.
   *
   * @throws DemoException if one is none of them
   */
  static List<RunKind> withPolicies(String words) {
    List<RunKind> policies = Arrays.stream(values()).filter(RunKind::isScheduled).toList();
    List<RunKind> some =
        words.strip().equals("all") ? policies : some("DEMO_POLICIES", words, policies);
    return Stream.concat(Stream.of(EXCLUSIVE, UNSAFE), some.stream()).toList();
  }

  private static List<RunKind> some(String variable, String words, List<RunKind> all) {
    return Arrays.stream(words.split(","))
        .map(String::strip)
        .map(word -> one(variable, word, all))
        .distinct()
        .toList();
  }

  private static RunKind one(String variable, String word, List<RunKind> all) {
    return all.stream()
        .filter(kind -> kind.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new DemoException(
                    "%s has '%s': use some of %s"
                        .formatted(
                            variable,
                            word,
                            all.stream().map(RunKind::word).collect(Collectors.joining(",")))));
  }
}
