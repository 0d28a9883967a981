package org.schedgpu.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Twelve trainings by a real PyTorch. Their memory is real, their mathematics is emulated
 * (lab/frameworks).
 *
 * @param artifacts where its programs are
 */
record TrainingWorkload(Artifacts artifacts) implements Workload {
  private static final long DEVICE_MIB = 8192;
  private static final long CONTEXT_MIB = 256;

  /**
   * Where PyTorch is kept if FRAMEWORKS_CACHE names nothing: jobs' users cannot read root's home.
   */
  private static final String CACHE = "/var/cache/schedgpu/frameworks";

  /** Kernels last that long, so that the device is seen to be busy. */
  private static final String KERNEL_NS = "200000";

  /**
   * A training.
   *
   * @param name of its jobs
   * @param askedMib what its jobs ask for: what it takes beside its context, and a little more
   * @param activationMib decides what it takes: the second argument of job.py
   */
  private record Kind(String name, long askedMib, int activationMib) {
    Program program() {
      double peak = 100.0 * (askedMib + CONTEXT_MIB) / DEVICE_MIB;
      return new Program(name, 0, 1, peak, 0, 0, askedMib, CONTEXT_MIB, DEVICE_MIB, 0, 0);
    }
  }

  private static final List<Kind> KINDS =
      List.of(
          new Kind("small", 800, 300),
          new Kind("middle", 1050, 600),
          new Kind("large", 1300, 1000));

  @Override
  public List<Program> programs() {
    return KINDS.stream().map(Kind::program).toList();
  }

  /** Fetches PyTorch if it is not there: its script says how much, and shows what fails. */
  @Override
  public void install(Path folder) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                artifacts.root().resolve("lab/frameworks/pytorch/prepare").toString(),
                folder.toString(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putIfAbsent("FRAMEWORKS_CACHE", CACHE);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new DemoException("PyTorch cannot be had: see above");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("interrupted while PyTorch was prepared", e);
    }
    requireReadable(Path.of(said.strip()));
  }

  /** Jobs run as an ordinary user. */
  private static void requireReadable(Path root) throws IOException {
    for (Path folder = root; folder != null; folder = folder.getParent()) {
      if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        throw new DemoException(
            folder
                + " is closed to the users of jobs: set FRAMEWORKS_CACHE to a folder that they can"
                + " read, such as "
                + CACHE);
      }
    }
  }

  @Override
  public String command(Path folder, Program program) {
    Kind kind =
        KINDS.stream().filter(one -> one.name().equals(program.name())).findFirst().orElseThrow();
    return "%s/python3 %s/job.py %s %d"
        .formatted(folder, folder, kind.name(), kind.activationMib());
  }

  @Override
  public Map<String, String> environment() {
    return Map.of("EMULATED_GPU_KERNEL_NS", KERNEL_NS, "OMP_NUM_THREADS", "1");
  }

  @Override
  public String introduction(double scale) {
    double wanted =
        programs().stream().mapToDouble(Program::peakPercent).sum() * Program.INSTANCES / 100;
    return String.format(
        Locale.ROOT,
        """
        Twelve trainings by a real PyTorch, four of each of three sizes, on a real Slurm
        with one node of 12 CPUs. Together they ask for %.1f times the device.
        The GPU (%,d MiB) is EMULATED, and so is the mathematics: results are
        meaningless and speeds say nothing; memory, allocator and messages are real.

        """,
        wanted,
        DEVICE_MIB);
  }

  @Override
  public String text(double scale, List<RunResult> runs) {
    return "\nTwelve trainings by PyTorch (emulated GPU, emulated mathematics)\n\n"
        + TrainingTable.text(runs);
  }

  @Override
  public Optional<Bounds> bounds() {
    return Optional.empty();
  }

  @Override
  public Picture.Words words(double scale) {
    return new Picture.Words(
        "Twelve trainings by PyTorch, one emulated GPU, a real Slurm",
        "On an "
            + device().replace("Emulated", "emulated")
            + "; the mathematics is emulated, too: memory is real, speeds say nothing",
        "Time in seconds since the first submission. The first run has another time axis than the"
            + " others.",
        false);
  }
}
