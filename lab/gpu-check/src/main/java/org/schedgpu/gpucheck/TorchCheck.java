package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * Does PyTorch get along with a budget: does it see it, is it out of memory at exactly it, does it
 * flush its cache before that? With each of its allocators.
 */
final class TorchCheck implements Section {
  private static final long PIECE_BYTES = 64 * Check.MIB;

  /** The model, its gradients and AdamW need 1.7 GiB, a batch of four 1 GiB more. */
  private static final long WHOLE_TRAINING_BYTES = 4 * Check.GIB;

  private static final Duration NEEDED = Duration.ofSeconds(3);

  /** The allocators, with the variable that chooses them. */
  private static final Map<String, String> ALLOCATORS = new LinkedHashMap<>();

  static {
    ALLOCATORS.put("native", "");
    ALLOCATORS.put("expandable_segments", "expandable_segments:True");
    ALLOCATORS.put("cudaMallocAsync", "backend:cudaMallocAsync");
  }

  private Check check;
  private long budgetBytes;

  @Override
  public String name() {
    return "pytorch";
  }

  @Override
  public String question() {
    return "Does PyTorch keep to its budget, with each of its allocators?";
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    budgetBytes = check.budgetBytes(6 * Check.GIB, 30) / PIECE_BYTES * PIECE_BYTES;
    if (!check.frameworks().has(Frameworks.TORCH)) {
      check.findings().skipped("PyTorch in a budget", check.frameworks().reason(Frameworks.TORCH));
      return;
    }
    try (Region region = check.region()) {
      allAllocators(region);
    }
  }

  /** Imports take most of the time, so all of them start at once. */
  private void allAllocators(Region region) throws InterruptedException {
    List<Long> jobs = new ArrayList<>();
    Map<String, Program> programs = new LinkedHashMap<>();
    try {
      for (Map.Entry<String, String> allocator : ALLOCATORS.entrySet()) {
        long job = region.begin(Wish.budget(budgetBytes));
        jobs.add(job);
        Map<String, String> environment = region.environmentOf(job);
        environment.put("PYTORCH_CUDA_ALLOC_CONF", allocator.getValue());
        Program program =
            check.start(check.frameworks().program(check.bundle(), Frameworks.TORCH), environment);
        programs.put(allocator.getKey(), program);
        program.tell("begin");
      }
      for (Map.Entry<String, Program> one : programs.entrySet()) {
        check.step(one.getKey(), NEEDED, () -> judge(one.getKey(), one.getValue()));
      }
    } finally {
      programs.values().forEach(Program::close);
      for (long job : jobs) {
        region.end(job);
      }
    }
  }

  private void judge(String allocator, Program program) throws InterruptedException {
    Answer begun = program.answer();
    if (!begun.isDone()) {
      throw new CheckException("'begin' gave " + begun.result() + ": see errors.txt");
    }
    long told = program.must("total");
    long filled = program.must("fill " + PIECE_BYTES / Check.MIB) * PIECE_BYTES;
    program.must("forget");
    Answer flushed =
        program.ask(
            "flush %d %d"
                .formatted(budgetBytes / Check.MIB * 5 / 8, budgetBytes / Check.MIB * 6 / 8));
    program.must("forget");
    Answer trained = program.ask(budgetBytes >= WHOLE_TRAINING_BYTES ? "train 4 2" : "tiny");
    program.must("forget");
    int exit = program.end();
    boolean exact = filled <= budgetBytes && filled >= budgetBytes - 2 * PIECE_BYTES;
    boolean right =
        told == budgetBytes && exact && flushed.isDone() && trained.isDone() && exit == 0;
    check
        .findings()
        .judged(
            allocator,
            right,
            ("of %s it sees %s, is out of memory after %s; a larger block after a cached one: %s,"
                    + " %d retries; training: %s; ended with %d")
                .formatted(
                    Check.size(budgetBytes),
                    Check.size(told),
                    Check.size(filled),
                    word(flushed),
                    flushed.number(),
                    word(trained),
                    exit),
            Map.of(
                "budgetBytes", budgetBytes,
                "toldBytes", told,
                "filledBytes", filled,
                "retries", flushed.number()));
  }

  private static String word(Answer answer) {
    return answer.isDone() ? "done" : answer.isOutOfMemory() ? "OUT OF MEMORY" : "FAILED";
  }
}
