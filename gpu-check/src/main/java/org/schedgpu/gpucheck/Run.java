package org.schedgpu.gpucheck;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.schedgpu.jna.Nvml;

/** One run of the suite: the sections in their order, each with its part of the time. */
final class Run {
  private static final Duration FIRST_LOOK = Duration.ofSeconds(60);

  private final Bundle bundle;
  private final Nvml nvml;
  private final Nvml.Device device;
  private final boolean brief;
  private final Path runFolder;
  private final PrintStream out;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * All results of a run.
   *
   * @param sections the sections that ran; some keep more than their findings
   */
  record Result(
      Machine machine, Frameworks frameworks, List<Finding> findings, List<Section> sections) {
    boolean failed() {
      return findings.stream().anyMatch(finding -> finding.outcome() == Outcome.FAILED);
    }

    long count(Outcome outcome) {
      return findings.stream().filter(finding -> finding.outcome() == outcome).count();
    }
  }

  Run(
      Bundle bundle,
      Nvml nvml,
      Nvml.Device device,
      boolean brief,
      Path runFolder,
      PrintStream out) {
    this.bundle = bundle;
    this.nvml = nvml;
    this.device = device;
    this.brief = brief;
    this.runFolder = runFolder;
    this.out = out;
  }

  /** Runs everything; shows each finding at once. */
  Result of(List<Section> sections, Duration budget) throws InterruptedException {
    Deadline deadline = Deadline.in(budget);
    Path work = folder();
    try {
      Machine machine = measured(Machine.of(nvml, device), deadline, work);
      Frameworks frameworks = Frameworks.find(bundle, machine, deadline);
      out.println(Report.head(machine, frameworks));
      int shares = sections.stream().mapToInt(Section::share).sum();
      for (Section section : sections) {
        Duration part =
            deadline.left().multipliedBy(section.share()).dividedBy(Math.max(1, shares));
        shares -= section.share();
        run(section, machine, frameworks, deadline.within(part), work);
      }
      return new Result(machine, frameworks, List.copyOf(findings), sections);
    } finally {
      remove(work);
    }
  }

  private void run(
      Section section, Machine machine, Frameworks frameworks, Deadline deadline, Path work)
      throws InterruptedException {
    out.println();
    out.println(section.question());
    Findings own = new Findings(section.name(), this::show);
    try {
      section.run(
          new Check(bundle, machine, device, frameworks, own, deadline, brief, work, runFolder));
    } catch (CheckException | Nvml.NvmlException problem) {
      own.failed("section " + section.name(), problem.getMessage());
    }
  }

  private void show(Finding finding) {
    findings.add(finding);
    out.print(Report.lines(finding));
    out.flush();
  }

  /** The machine, with the facts that a program with a context finds out. */
  private Machine measured(Machine machine, Deadline deadline, Path work)
      throws InterruptedException {
    Check check =
        new Check(
            bundle,
            machine,
            device,
            null,
            null,
            deadline.within(FIRST_LOOK),
            brief,
            work,
            runFolder);
    long idleBytes = check.usedBytes();
    try (Program program = check.start(check.deviceProgram())) {
      program.must("begin 0");
      return machine.with(
          check.usedBytes(program.pid()).orElseGet(() -> check.usedBytes() - idleBytes),
          (int) program.must("processors 0"),
          (int) program.must("version"));
    }
  }

  private static Path folder() {
    try {
      return Files.createTempDirectory("schedgpu-gpu-check-");
    } catch (IOException e) {
      throw new CheckException("cannot make a folder for files", e);
    }
  }

  private static void remove(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new CheckException("cannot remove " + folder, e);
    }
  }
}
