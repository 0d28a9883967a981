package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gpucheck.ConcurrentRuns.End;
import org.schedgpu.gpucheck.ConcurrentRuns.RunResults;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * The promise: a request that does not fit waits. Twelve trainings run whose peaks do not fit
 * together, and all end well.
 */
final class PromiseCheck implements Section {
  static final int COUNT = 12;
  private static final double GROWN_FROM = 0.6;
  private static final int STEPS = 12;
  private static final Duration LONGEST_RUN = Duration.ofSeconds(70);

  private final Map<String, RunResults> stories = new LinkedHashMap<>();
  private Check check;
  private Kernels kernels;

  /**
   * A training that needs a given amount of memory.
   *
   * @param name for people
   * @param command its program
   * @param lines its commands
   * @param memoryLine see {@link ConcurrentRuns#run}
   * @param budgetBytes budget to declare, without contexts
   */
  private record Training(
      String name, List<String> command, List<String> lines, int memoryLine, long budgetBytes) {}

  @Override
  public String name() {
    return "promise";
  }

  @Override
  public String question() {
    return "Do twelve trainings that do not fit together all end?";
  }

  @Override
  public int share() {
    return 32;
  }

  /** The results of each run, for the picture. */
  Map<String, RunResults> stories() {
    return stories;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    kernels = Kernels.measure(check);
    Training plain = driverTraining(1.5);
    withBudgets(plain, 1.5);
    Optional<TorchSizes> sizes = torchSizes();
    if (sizes.isEmpty()) {
      contrast(plain);
      withBudgets(driverTraining(3), 3);
    } else {
      Training training = torchTraining(sizes.get(), 1.5);
      withBudgets(training, 1.5);
      contrast(training);
      withBudgets(torchTraining(sizes.get(), 3), 3);
      growing(training);
      withoutBudgets(training);
    }
    jax();
    twoProcessesOfOneJob();
  }

  private long peakBytes(double times) {
    long bytes = (long) (times * check.machine().totalBytes() / COUNT);
    return bytes / (64 * Check.MIB) * (64 * Check.MIB);
  }

  private Training driverTraining(double times) {
    long bytes = peakBytes(times);
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

  /** Runs one and shows it; empty if there is not enough time. */
  private Optional<RunResults> run(String what, Training training, boolean scheduled, Wish wish)
      throws InterruptedException {
    if (!check.deadline().allows(Duration.ofSeconds(5))) {
      check.findings().skipped(what, "no time is left");
      return Optional.empty();
    }
    try (Region region = scheduled ? check.region() : null) {
      ConcurrentRuns together = new ConcurrentRuns(limited(), Optional.ofNullable(region));
      RunResults story =
          together.run(COUNT, training.command(), wish, training.lines(), training.memoryLine());
      stories.put(what, story);
      return Optional.of(story);
    }
  }

  private Check limited() {
    return check.with(check.deadline().within(LONGEST_RUN));
  }

  private void withBudgets(Training training, double times) throws InterruptedException {
    String what = "%d %s, %.1f x the device".formatted(COUNT, training.name(), times);
    run(what, training, true, Wish.budget(training.budgetBytes()))
        .ifPresent(
            story ->
                check
                    .findings()
                    .judged(what, story.count(End.DONE) == COUNT, story.text(), story.figures()));
  }

  private void contrast(Training training) throws InterruptedException {
    String what = "%s 1.5 x, without schedGPU".formatted(training.name());
    run(what, training, false, Wish.withoutBudget())
        .ifPresent(story -> check.findings().measured(what, story.text(), story.figures()));
  }

  /** A budget that is too small, and grows. */
  private void growing(Training training) throws InterruptedException {
    String what =
        "%s 1.5 x, %d %% declared, overflow=wait"
            .formatted(training.name(), (int) (GROWN_FROM * 100));
    Wish wish = Wish.budget((long) (GROWN_FROM * training.budgetBytes())).with("OVERFLOW", "wait");
    run(what, training, true, wish)
        .ifPresent(story -> check.findings().measured(what, story.text(), story.figures()));
  }

  private void withoutBudgets(Training training) throws InterruptedException {
    String what = "%s 1.5 x, no budget declared".formatted(training.name());
    run(what, training, true, Wish.withoutBudget())
        .ifPresent(story -> check.findings().measured(what, story.text(), story.figures()));
  }

  /**
   * How the memory of a PyTorch training grows with its batch.
   *
   * @param baseBytes with a batch of 0
   */
  private record TorchSizes(double baseBytes, double bytesPerSample) {
    int batchFor(long bytes) {
      return (int) Math.max(1, (bytes - baseBytes) / bytesPerSample);
    }

    long bytesOf(int batch) {
      return (long) (baseBytes + batch * bytesPerSample);
    }
  }

  private Optional<TorchSizes> torchSizes() throws InterruptedException {
    if (!check.frameworks().has(Frameworks.TORCH)) {
      check.findings().skipped("with PyTorch", check.frameworks().reason(Frameworks.TORCH));
      return Optional.empty();
    }
    List<String> command = check.frameworks().program(check.bundle(), Frameworks.TORCH);
    try (Program program = check.start(command)) {
      program.must("begin");
      program.must("train 8 2");
      long small = program.must("peak");
      program.must("forget");
      program.must("train 32 2");
      long large = program.must("peak");
      double perSample = (large - small) / 24.0;
      return Optional.of(new TorchSizes(small - 8 * perSample, perSample));
    } catch (CheckException problem) {
      check.findings().failed("with PyTorch", problem.getMessage());
      return Optional.empty();
    }
  }

  /** Fragmentation in PyTorch's allocator: slightly more than in the measured short runs. */
  private Training torchTraining(TorchSizes sizes, double times) {
    int batch = sizes.batchFor(peakBytes(times));
    long budget = sizes.bytesOf(batch) * 104 / 100 + 256 * Check.MIB;
    return new Training(
        "PyTorch trainings",
        check.frameworks().program(check.bundle(), Frameworks.TORCH),
        List.of("begin", "train %d 1".formatted(batch), "train %d %d".formatted(batch, STEPS)),
        2,
        budget);
  }

  /** JAX takes three quarters of the device memory that it sees, which is the budget. */
  private void jax() throws InterruptedException {
    String what = "4 JAX programs that preallocate";
    if (!check.frameworks().has(Frameworks.JAX)) {
      check.findings().skipped(what, check.frameworks().reason(Frameworks.JAX));
      return;
    }
    List<String> command = new ArrayList<>(List.of("env", "XLA_PYTHON_CLIENT_PREALLOCATE=true"));
    command.addAll(check.frameworks().program(check.bundle(), Frameworks.JAX));
    Training training =
        new Training(
            "JAX", command, List.of("begin", "work 200"), 1, check.machine().totalBytes() * 3 / 10);
    try (Region region = check.region()) {
      RunResults story =
          new ConcurrentRuns(limited(), Optional.of(region))
              .run(4, command, Wish.budget(training.budgetBytes()), training.lines(), 1);
      stories.put(what, story);
      check.findings().judged(what, story.count(End.DONE) == 4, story.text(), story.figures());
    }
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
    } catch (CheckException problem) {
      check.findings().failed("two processes of one job", problem.getMessage());
    }
  }
}
