package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gpucheck.ConcurrentRuns.RunResults;
import org.schedgpu.gpucheck.Region.Wish;

/** Programs that take more than they need, or declare less than they need, or nothing. */
final class GrowthCheck implements Section {
  private static final double GROWN_FROM = 0.6;
  private static final int FEW = 4;
  private static final Duration JAX_NEEDS = Duration.ofSeconds(12);
  private static final Duration TRAININGS_NEED = Duration.ofSeconds(12);
  private static final Duration LONGEST_RUN = Duration.ofSeconds(70);

  private final TorchTrainings trainings;
  private Check check;

  GrowthCheck(TorchTrainings trainings) {
    this.trainings = trainings;
  }

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public String question() {
    return "What if programs take all at their start, declare too little, or nothing?";
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = trainings.withContexts(given);
    if (check.mode() != Mode.SECOND) {
      jax();
    }
    String what = "with PyTorch";
    if (check.frameworks().has(Frameworks.TORCH)) {
      check.step(what, TRAININGS_NEED, this::torch);
    } else {
      check.findings().skipped(what, check.frameworks().reason(Frameworks.TORCH));
    }
  }

  /** A budget that is too small and grows; then none. */
  private void torch() throws InterruptedException {
    int count = check.mode() == Mode.FIRST ? FEW : PromiseCheck.COUNT;
    Training training = trainings.training(check, count, 1.5);
    Wish small = Wish.budget((long) (GROWN_FROM * training.budgetBytes())).with("OVERFLOW", "wait");
    String all = "%d %s 1.5 x".formatted(count, training.name());
    measure(
        "%s, %d %% declared, overflow=wait".formatted(all, (int) (GROWN_FROM * 100)),
        count,
        training,
        small,
        2);
    measure(all + ", no budget declared", count, training, Wish.withoutBudget(), 1);
  }

  private void measure(String what, int count, Training training, Wish wish, int parts)
      throws InterruptedException {
    check.step(
        what,
        TRAININGS_NEED,
        () -> {
          RunResults story = trainings.run(limited(parts), what, count, training, wish);
          check.findings().measured(what, story.text(), story.figures());
        });
  }

  /** The check with an equal part of the time that is left. */
  private Check limited(int parts) {
    Duration part = check.deadline().left().dividedBy(parts);
    return check.with(check.deadline().within(part).within(LONGEST_RUN));
  }

  /** JAX takes three quarters of the device memory that it sees, which is the budget. */
  private void jax() throws InterruptedException {
    String what = FEW + " JAX programs that preallocate";
    if (!check.frameworks().has(Frameworks.JAX)) {
      check.findings().skipped(what, check.frameworks().reason(Frameworks.JAX));
      return;
    }
    List<String> command = new ArrayList<>(List.of("env", "XLA_PYTHON_CLIENT_PREALLOCATE=true"));
    command.addAll(check.frameworks().program(check.bundle(), Frameworks.JAX));
    Training training =
        new Training(
            "JAX", command, List.of("begin", "work 200"), 1, check.machine().totalBytes() * 3 / 10);
    check.step(
        what,
        JAX_NEEDS,
        () ->
            TorchTrainings.judge(
                check,
                what,
                trainings.run(
                    limited(3), what, FEW, training, Wish.budget(training.budgetBytes()))));
  }
}
