package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.ConcurrentRuns.RunResults;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * The promise: a request that does not fit waits. Twelve trainings run whose peaks do not fit
 * together, and all end well.
 */
final class PromiseCheck implements Section {
  static final int COUNT = 12;
  private static final double FIRST_TIMES = 1.5;
  private static final double MORE_TIMES = 3;
  private static final Duration NEEDED = Duration.ofSeconds(5);
  private static final Duration LONGEST_RUN = Duration.ofSeconds(70);

  private final TorchTrainings trainings;
  private Check check;
  private Kernels kernels;

  PromiseCheck(TorchTrainings trainings) {
    this.trainings = trainings;
  }

  @Override
  public String name() {
    return "promise";
  }

  @Override
  public String question() {
    return "Do twelve trainings that do not fit together all end?";
  }

  /** The results of each run, for the picture. */
  Map<String, RunResults> stories() {
    return trainings.stories();
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    kernels = Kernels.measure(check);
    boolean torch = check.frameworks().has(Frameworks.TORCH);
    if (!torch) {
      check.findings().skipped("with PyTorch", check.frameworks().reason(Frameworks.TORCH));
    }
    if (check.mode() == Mode.SECOND) {
      withBudgets(torch, MORE_TIMES);
      return;
    }
    if (torch && check.mode() == Mode.ALL) {
      withBudgets(false, FIRST_TIMES);
    }
    withBudgets(torch, FIRST_TIMES);
    contrast(torch);
    if (check.mode() == Mode.ALL) {
      withBudgets(torch, MORE_TIMES);
    }
    check.step("two processes of one job", NEEDED, this::twoProcessesOfOneJob);
  }

  private Training training(boolean torch, double times) throws InterruptedException {
    return torch ? trainings.training(check, COUNT, times) : driverTraining(times);
  }

  private Training driverTraining(double times) {
    long bytes = TorchTrainings.peakBytes(check, COUNT, times);
    long second = bytes / 4;
    List<String> lines =
        List.of(
            "begin 0",
            "alloc 0 " + (bytes - second),
            "alloc 1 " + second,
            "check 0 " + (bytes - second),
            kernels.line(20, 5),
            "check 1 " + second,
            "free 1",
            "free 0");
    return new Training("programs", check.deviceProgram(), lines, 2, bytes + 4 * Check.MIB);
  }

  private static String name(boolean torch) {
    return torch ? "PyTorch trainings" : "programs";
  }

  private void withBudgets(boolean torch, double times) throws InterruptedException {
    String what = "%d %s, %.1f x the device".formatted(COUNT, name(torch), times);
    check.step(
        what,
        NEEDED,
        () -> {
          Training training = training(torch, times);
          Check ours = torch ? trainings.withContexts(limited()) : limited();
          Wish wish = Wish.budget(training.budgetBytes());
          TorchTrainings.judge(check, what, trainings.run(ours, what, COUNT, training, wish));
        });
  }

  private void contrast(boolean torch) throws InterruptedException {
    String what = "%s %.1f x, without schedGPU".formatted(name(torch), FIRST_TIMES);
    check.step(
        what,
        NEEDED,
        () -> {
          RunResults story =
              trainings.runAlone(limited(), what, COUNT, training(torch, FIRST_TIMES));
          check.findings().measured(what, story.text(), story.figures());
        });
  }

  private Check limited() {
    return check.with(check.deadline().within(LONGEST_RUN));
  }

  /** The budget belongs to the job: two processes share it, and requests beyond it are refused. */
  private void twoProcessesOfOneJob() throws InterruptedException {
    boolean torch = check.frameworks().has(Frameworks.TORCH);
    long unit = 512 * Check.MIB;
    String begin = torch ? "begin" : "begin 0";
    String take = torch ? "keep 512" : "alloc 0 " + unit;
    List<String> command =
        torch
            ? check.frameworks().program(check.bundle(), Frameworks.TORCH)
            : check.deviceProgram();
    try (Region region = check.region()) {
      long job = region.begin(Wish.budget(2 * unit + 128 * Check.MIB).with("PROCESSES", "2"));
      try (Program first = check.start(command, region.environmentOf(job));
          Program second = check.start(command, region.environmentOf(job))) {
        first.must(begin);
        second.must(begin);
        first.must(take);
        second.must(take);
        boolean refused = second.ask(torch ? "keep 512" : "alloc 1 " + unit).isOutOfMemory();
        check
            .findings()
            .judged(
                "two processes of one job",
                refused && region.inUseBytes(job) >= 2 * unit,
                "share its budget; more is " + (refused ? "out of memory" : "NOT REFUSED"),
                Map.of("inUseBytes", region.inUseBytes(job)));
      }
      region.end(job);
    }
  }
}
