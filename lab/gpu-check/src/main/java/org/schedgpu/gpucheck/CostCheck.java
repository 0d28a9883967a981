package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;
import org.schedgpu.gpucheck.Statistics.Median;

/**
 * What does schedGPU cost? Each figure is the ratio of a measurement with the library to one
 * without it. Both alternate, round by round, on an otherwise idle device.
 */
final class CostCheck implements Section {
  private static final int ROUNDS = 20;

  /** The allowed slow-down of a training. */
  private static final double TRAINING_TARGET = 1.01;

  private static final Duration TRAINING_NEEDS = Duration.ofSeconds(12);
  private static final Duration ROUND_RESERVE = Duration.ofSeconds(3);

  private final List<Ratio> ratios = new ArrayList<>();
  private Check check;

  /**
   * The ratio of times with and without the library.
   *
   * @param withoutNs median of the measurement without it, for one operation
   */
  record Ratio(String name, Median ratio, double withoutNs, int rounds) {
    Map<String, Object> figures() {
      return Map.of(
          "ratio", ratio.value(),
          "ratioLow", ratio.low(),
          "ratioHigh", ratio.high(),
          "withoutNs", withoutNs,
          "rounds", rounds);
    }

    String text() {
      return "%s times, alone %s, %d rounds".formatted(ratio, time(withoutNs), rounds);
    }

    private static String time(double ns) {
      return ns < 1e4
          ? "%.0f ns".formatted(ns)
          : ns < 1e7 ? "%.1f us".formatted(ns / 1e3) : "%.1f ms".formatted(ns / 1e6);
    }
  }

  @Override
  public String name() {
    return "cost";
  }

  @Override
  public String question() {
    return "What does schedGPU cost?";
  }

  /** For the picture. */
  List<Ratio> ratios() {
    return ratios;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    try (Region region = check.region()) {
      check.step("PyTorch training steps", TRAINING_NEEDS, () -> training(region));
      check.step("start of a program", ROUND_RESERVE, () -> start(region));
      check.step("allocations", ROUND_RESERVE, () -> allocations(region));
    }
  }

  /** A measurement in a running program: start lines, then one line for each round. */
  private static Ratio inPrograms(
      Check check,
      Region region,
      String name,
      List<String> command,
      Map<String, String> more,
      Wish wish,
      List<String> begin,
      String line,
      long operations)
      throws InterruptedException {
    long job = region.begin(wish);
    Map<String, String> plain = check.machine().environment();
    Map<String, String> ours = region.environmentOf(job);
    plain.putAll(more);
    ours.putAll(more);
    try (Program without = check.start(command, plain);
        Program with = check.start(command, ours)) {
      for (String each : begin) {
        without.must(each);
        with.must(each);
      }
      List<Double> quotients = new ArrayList<>();
      List<Double> alone = new ArrayList<>();
      for (int i = 0; i < ROUNDS && (i < 5 || check.allows(ROUND_RESERVE)); i++) {
        boolean oursFirst = i % 2 == 1;
        double first = (oursFirst ? with : without).must(line);
        double second = (oursFirst ? without : with).must(line);
        quotients.add(oursFirst ? first / second : second / first);
        alone.add((oursFirst ? second : first) / operations);
      }
      return new Ratio(
          name, Statistics.median(quotients), Statistics.median(alone).value(), quotients.size());
    } finally {
      region.end(job);
    }
  }

  private void training(Region region) throws InterruptedException {
    String what = "PyTorch training steps";
    if (!check.frameworks().has(Frameworks.TORCH)) {
      check.findings().skipped(what, check.frameworks().reason(Frameworks.TORCH));
      return;
    }
    List<String> command = check.frameworks().program(check.bundle(), Frameworks.TORCH);
    Wish wish = Wish.budget(check.machine().totalBytes() / 4);
    Check mostly =
        check.with(check.deadline().within(check.deadline().left().multipliedBy(2).dividedBy(3)));
    Ratio ratio =
        inPrograms(
            mostly,
            region,
            what,
            command,
            Map.of(),
            wish,
            List.of("begin", "train 16 5"),
            "train 16 5",
            5);
    ratios.add(ratio);
    check
        .findings()
        .judged(
            what,
            ratio.ratio().low() <= TRAINING_TARGET,
            ratio.text() + "; target " + TRAINING_TARGET,
            ratio.figures());
  }

  /** An allocation and its free, directly by the driver. */
  private void allocations(Region region) throws InterruptedException {
    Wish wish = Wish.budget(check.budgetBytes(Check.GIB, 25));
    for (long bytes : new long[] {65536, 64 * Check.MIB}) {
      int count = bytes > Check.MIB ? 50 : 500;
      measure(
          inPrograms(
              check,
              region,
              "allocate and free " + Check.size(bytes),
              check.deviceProgram(),
              Map.of(),
              wish,
              List.of("begin 0", "alloc 0 65536", "pairs " + bytes + " 10"),
              "pairs %d %d".formatted(bytes, count),
              count));
    }
    if (check.frameworks().has(Frameworks.TORCH)) {
      measure(
          inPrograms(
              check,
              region,
              "PyTorch without its cache",
              check.frameworks().program(check.bundle(), Frameworks.TORCH),
              Map.of("PYTORCH_NO_CUDA_MEMORY_CACHING", "1"),
              wish,
              List.of("begin", "keep 1", "pairs 1048576 20"),
              "pairs 1048576 200",
              200));
    }
  }

  private void measure(Ratio ratio) {
    ratios.add(ratio);
    check.findings().measured(ratio.name(), ratio.text(), ratio.figures());
  }

  /** From the start of a program to its first memory, and to its end. */
  private void start(Region region) throws InterruptedException {
    long job = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    List<Double> quotients = new ArrayList<>();
    List<Double> alone = new ArrayList<>();
    for (int i = 0; i < ROUNDS && (i < 5 || check.allows(ROUND_RESERVE)); i++) {
      double with = i % 2 == 1 ? startNs(region.environmentOf(job)) : 0;
      double without = startNs(check.machine().environment());
      with = i % 2 == 1 ? with : startNs(region.environmentOf(job));
      quotients.add(with / without);
      alone.add(without);
    }
    region.end(job);
    measure(
        new Ratio(
            "start of a program",
            Statistics.median(quotients),
            Statistics.median(alone).value(),
            quotients.size()));
  }

  private double startNs(Map<String, String> environment) throws InterruptedException {
    long begin = System.nanoTime();
    try (Program program = check.start(check.deviceProgram(), environment)) {
      program.must("begin 0");
      Answer allocated = program.ask("alloc 0 65536");
      if (!allocated.isDone()) {
        throw new CheckException("alloc gave " + allocated.result());
      }
      program.end();
      return System.nanoTime() - begin;
    }
  }
}
