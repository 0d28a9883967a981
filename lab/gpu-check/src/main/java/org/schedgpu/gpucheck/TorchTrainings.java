package org.schedgpu.gpucheck;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.gpucheck.ConcurrentRuns.End;
import org.schedgpu.gpucheck.ConcurrentRuns.RunResults;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * PyTorch trainings of wanted sizes, and what became of those that ran at once. Several sections
 * use one of these, so that each fact is measured once.
 */
final class TorchTrainings {
  /** Of the finding that has the size of a training's context. */
  static final String CONTEXT_FIGURE = "trainBytes";

  private static final int STEPS = 12;
  private static final int SMALL_BATCH = 8;
  private static final int LARGE_BATCH = 32;

  private final Map<String, RunResults> stories = new LinkedHashMap<>();
  private OptionalLong contextBytes = OptionalLong.empty();
  private Optional<Sizes> sizes = Optional.empty();

  /**
   * How the memory of a training grows with its batch.
   *
   * @param baseBytes with a batch of 0
   */
  private record Sizes(double baseBytes, double bytesPerSample) {
    int batchFor(long bytes) {
      return (int) Math.max(1, (bytes - baseBytes) / bytesPerSample);
    }

    long bytesOf(int batch) {
      return (long) (baseBytes + batch * bytesPerSample);
    }
  }

  /** Sets what a training takes beside its allocations. */
  void contextIs(long bytes) {
    contextBytes = OptionalLong.of(bytes);
  }

  /** The same check; its regions count contexts as those of trainings, if that is known. */
  Check withContexts(Check check) {
    return contextBytes.isPresent() ? check.withContextBytes(contextBytes.getAsLong()) : check;
  }

  /** The results of all runs, by their names, for the picture. */
  Map<String, RunResults> stories() {
    return stories;
  }

  /** The peak of each of {@code count} trainings that together need {@code times} the device. */
  static long peakBytes(Check check, int count, double times) {
    long bytes = (long) (times * check.machine().totalBytes() / count);
    return bytes / (64 * Check.MIB) * (64 * Check.MIB);
  }

  /** Measures the sizes, once. Needs PyTorch. */
  private Sizes sizes(Check check) throws InterruptedException {
    if (sizes.isEmpty()) {
      List<String> command = check.frameworks().program(check.bundle(), Frameworks.TORCH);
      try (Program program = check.start(command)) {
        program.must("begin");
        program.must("train %d 2".formatted(SMALL_BATCH));
        long small = program.must("peak");
        program.must("forget");
        program.must("train %d 2".formatted(LARGE_BATCH));
        double perSample = (program.must("peak") - small) / (double) (LARGE_BATCH - SMALL_BATCH);
        sizes = Optional.of(new Sizes(small - SMALL_BATCH * perSample, perSample));
      }
    }
    return sizes.get();
  }

  /**
   * One of so many trainings. Its budget has room for fragmentation in PyTorch's allocator:
   * slightly more than in short runs.
   */
  Training training(Check check, int count, double times) throws InterruptedException {
    Sizes known = sizes(check);
    int batch = known.batchFor(peakBytes(check, count, times));
    long budget = known.bytesOf(batch) * 104 / 100 + 256 * Check.MIB;
    return new Training(
        "PyTorch trainings",
        check.frameworks().program(check.bundle(), Frameworks.TORCH),
        List.of("begin", "train %d 1".formatted(batch), "train %d %d".formatted(batch, STEPS)),
        2,
        budget);
  }

  /**
   * Runs so many at once, each as a job.
   *
   * @param what name of the finding
   */
  RunResults run(Check check, String what, int count, Training training, Wish wish)
      throws InterruptedException {
    try (Region region = check.region()) {
      return run(check, what, count, training, wish, Optional.of(region));
    }
  }

  /** Runs so many at once without schedGPU. */
  RunResults runAlone(Check check, String what, int count, Training training)
      throws InterruptedException {
    return run(check, what, count, training, Wish.withoutBudget(), Optional.empty());
  }

  private RunResults run(
      Check check, String what, int count, Training training, Wish wish, Optional<Region> region)
      throws InterruptedException {
    RunResults story =
        new ConcurrentRuns(check, region)
            .run(count, training.command(), wish, training.lines(), training.memoryLine());
    stories.put(what, story);
    return story;
  }

  /** All must end well; that the time was too short for some is no failure. */
  static void judge(Check check, String what, RunResults story) {
    int count = story.lives().size();
    if (story.count(End.NOT_DONE) > 0
        && story.count(End.FAILED) + story.count(End.OUT_OF_MEMORY) == 0) {
      check.findings().notDone(what, story.text());
    } else {
      check.findings().judged(what, story.count(End.DONE) == count, story.text(), story.figures());
    }
  }
}
