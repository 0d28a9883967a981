package org.schedgpu.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The workload of the schedGPU paper, section 7.3.2.
 *
 * @param artifacts where its programs are
 * @param programs what they are like
 */
record PaperWorkload(Artifacts artifacts, List<Program> programs) implements Workload {
  /** Asks the programs what they are like. */
  static PaperWorkload of(Artifacts artifacts) {
    return new PaperWorkload(
        artifacts, Program.NAMES.stream().map(name -> describe(artifacts, name)).toList());
  }

  private static Program describe(Artifacts artifacts, String name) {
    try {
      Process process = artifacts.command(artifacts.program(name), "--describe").start();
      return new ObjectMapper().readValue(process.getInputStream(), Program.class);
    } catch (IOException e) {
      throw new DemoException("cannot ask " + artifacts.program(name) + " what it is like", e);
    }
  }

  @Override
  public void install(Path folder) throws IOException {
    for (String program : Program.NAMES) {
      ClusterPlan.copy(artifacts.program(program), folder);
    }
  }

  @Override
  public String command(Path folder, Program program) {
    return folder.resolve(program.name()).toString();
  }

  @Override
  public Map<String, String> environment() {
    return Map.of();
  }

  @Override
  public String introduction(double scale) {
    return String.format(
        Locale.ROOT,
        """
        The workload of the schedGPU paper (section 7.3.2): 4 x ARA, 4 x MUMmerGPU and
        4 x GPU-BLAST, one of each in turn, on a real Slurm with one node of 12 CPUs.
        The GPU (%,d MiB) is EMULATED: kernels take time and compute nothing.
        CPU phases are SLEEPS. Everything runs %.0f times faster than on the paper's
        test-bed; seconds are scaled back to it. DEMO_SCALE changes the factor.

        """,
        programs.get(0).deviceMiB(),
        scale);
  }

  @Override
  public String text(double scale, List<RunResult> runs) {
    return "\nTable 3 of the paper, and the same here (emulated GPU, scale %.0f)\n\n%s\n%s"
        .formatted(scale, Table3.text(runs), Analysis.text(runs, Bounds.of(programs)));
  }

  @Override
  public Optional<Bounds> bounds() {
    return Optional.of(Bounds.of(programs));
  }

  @Override
  public Picture.Words words(double scale) {
    return new Picture.Words(
        "Twelve jobs, one emulated GPU, a real Slurm",
        String.format(
            Locale.ROOT,
            "The workload of the schedGPU paper, section 7.3.2, on an %s;"
                + " CPU phases are sleeps; %.0f times faster",
            device().replace("Emulated", "emulated"),
            scale),
        "Time in seconds of the paper's test-bed, since the first submission. The first run has"
            + " another time axis than the others.",
        true);
  }
}
