package org.schedgpu.gpucheck;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * How much slower are programs that compute at the same time? The check uses the driver's time
 * slicing, and MPS; kernels that fill the device, and kernels of one block.
 */
final class SharingCheck implements Section {
  private static final double KERNEL_MS = 5;
  private static final Duration NEEDED = Duration.ofSeconds(5);
  private static final Duration QUIT = Duration.ofSeconds(20);
  private static final int KERNELS = 120;
  private static final int FEW_KERNELS = 20;

  private final List<Slowdown> slowdowns = new ArrayList<>();
  private Check check;
  private Kernels kernels;

  /**
   * The time of each of several programs, divided by its time alone.
   *
   * @param how "time slicing" or "MPS"
   */
  record Slowdown(String how, String kernels, int programs, double factor) {}

  @Override
  public String name() {
    return "sharing";
  }

  @Override
  public String question() {
    return "How much slower are programs that compute together?";
  }

  /** For the picture. */
  List<Slowdown> slowdowns() {
    return slowdowns;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    kernels = Kernels.measure(check);
    if (check.mode() != Mode.SECOND) {
      check.step("time slicing", NEEDED, () -> measure("time slicing", Map.of()));
    }
    if (check.mode() != Mode.FIRST) { // its daemon could stay, and spoil what follows
      check.step("MPS", NEEDED, this::mps);
    }
  }

  private void measure(String how, Map<String, String> more) throws InterruptedException {
    int count = check.brief() ? FEW_KERNELS : KERNELS;
    try (Region region = check.region()) {
      kinds(region, how, "that fill the device", kernels.line(KERNEL_MS, count), more);
      kinds(region, how, "of one block", kernels.smallLine(KERNEL_MS, count), more);
    }
  }

  private void kinds(Region region, String how, String kind, String line, Map<String, String> more)
      throws InterruptedException {
    double alone = seconds(region, 1, line, more);
    double two = seconds(region, 2, line, more) / alone;
    double four = seconds(region, 4, line, more) / alone;
    slowdowns.add(new Slowdown(how, kind, 2, two));
    slowdowns.add(new Slowdown(how, kind, 4, four));
    check
        .findings()
        .measured(
            how + ", kernels " + kind,
            "two programs take %.2f times, four %.2f times".formatted(two, four),
            Map.of("two", two, "four", four, "aloneSeconds", alone));
  }

  /** The mean time of the programs, each of which is a job. */
  private double seconds(Region region, int programs, String line, Map<String, String> more)
      throws InterruptedException {
    List<Program> all = new ArrayList<>();
    List<Long> jobs = new ArrayList<>();
    try {
      for (int i = 0; i < programs; i++) {
        jobs.add(region.begin(Wish.budget(256 * Check.MIB)));
        Map<String, String> environment = region.environmentOf(jobs.get(i));
        environment.putAll(more);
        all.add(check.start(check.deviceProgram(), environment));
        all.get(i).must("begin 0");
        all.get(i).must(kernels.smallLine(1, 1));
      }
      all.forEach(program -> program.tell(line));
      double sum = 0;
      for (Program program : all) {
        Program.Answer answer = program.answer();
        if (!answer.isDone()) {
          throw new CheckException("kernels gave error " + answer.result());
        }
        sum += answer.number() / 1e9;
      }
      return sum / programs;
    } finally {
      all.forEach(Program::close);
      for (long job : jobs) {
        region.end(job);
      }
    }
  }

  /** The same with NVIDIA's Multi-Process Service, in a daemon that the check starts. */
  private void mps() throws InterruptedException {
    Optional<Path> control = Command.find("nvidia-cuda-mps-control");
    if (control.isEmpty() || check.machine().emulated()) {
      check
          .findings()
          .skipped(
              "MPS",
              control.isEmpty() ? "there is no nvidia-cuda-mps-control" : "not on the emulator");
      return;
    }
    Map<String, String> pipes =
        Map.of(
            "CUDA_MPS_PIPE_DIRECTORY", check.work().resolve("mps").toString(),
            "CUDA_MPS_LOG_DIRECTORY", check.work().resolve("mps-log").toString());
    Map<String, String> environment = check.machine().environment();
    environment.putAll(pipes);
    Command.Result started = check.run(List.of(control.get().toString(), "-d"), environment);
    if (!started.isSuccess()) {
      check.findings().skipped("MPS", "its daemon does not start: " + started.lastLine());
      return;
    }
    try {
      measure("MPS", pipes);
    } finally {
      Command.run(
          List.of("sh", "-c", "echo quit | " + control.get()), environment, Deadline.in(QUIT));
    }
  }
}
