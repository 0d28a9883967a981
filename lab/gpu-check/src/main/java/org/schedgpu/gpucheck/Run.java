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
  private static final String MACHINE = "machine";
  private static final Duration FIRST_LOOK = Duration.ofSeconds(60);

  private final Bundle bundle;
  private final Nvml.Device device;
  private final Options options;
  private final ResultFolder results;
  private final PrintStream out;
  private final Path work = folder();
  private final List<Finding> findings = new ArrayList<>();
  private final List<Spent> spent = new ArrayList<>();
  private List<Section> sections = List.of();
  private Machine machine;
  private Frameworks frameworks = Frameworks.none("not looked for");

  /**
   * How it runs.
   *
   * @param budget for all
   * @param brief as few rounds as possible
   * @param runFolder parent of regions
   */
  record Options(Duration budget, boolean brief, Path runFolder) {}

  /** How long a section took, and how long it might. */
  record Spent(String section, double seconds, double ofSeconds) {
    String text() {
      return "%s: %.1f s of %.0f s".formatted(section, seconds, ofSeconds);
    }
  }

  /**
   * The results of a run so far.
   *
   * @param sections all that were wanted; some keep more than their findings
   */
  record Result(
      Machine machine,
      Frameworks frameworks,
      List<Finding> findings,
      List<Section> sections,
      List<Spent> spent) {
    boolean has(Outcome outcome) {
      return count(outcome) > 0;
    }

    long count(Outcome outcome) {
      return findings.stream().filter(finding -> finding.outcome() == outcome).count();
    }
  }

  Run(
      Bundle bundle,
      Nvml nvml,
      Nvml.Device device,
      Options options,
      ResultFolder results,
      PrintStream out) {
    this.bundle = bundle;
    this.device = device;
    this.options = options;
    this.results = results;
    this.out = out;
    machine = Machine.of(nvml, device);
  }

  /** Runs everything; shows and writes each finding at once. */
  Result of(Plan plan) throws InterruptedException {
    Deadline deadline = Deadline.in(options.budget());
    sections = plan.parts().stream().map(Plan.Part::section).toList();
    try {
      long beginNs = System.nanoTime();
      try {
        machine = measured(deadline);
      } catch (CheckException problem) {
        new Findings(MACHINE, this::show).broken("a context on the device", problem);
        results.write("result.svg", Picture.of(result()));
        return result();
      }
      frameworks = Frameworks.find(bundle, machine, deadline);
      out.println(Report.head(machine, frameworks));
      spent(MACHINE + " and frameworks", beginNs, FIRST_LOOK);
      int shares = plan.parts().stream().mapToInt(Plan.Part::share).sum();
      for (Plan.Part part : plan.parts()) {
        Duration time = deadline.left().multipliedBy(part.share()).dividedBy(Math.max(1, shares));
        shares -= part.share();
        run(part, deadline.within(time), time);
      }
      results.write("result.svg", Picture.of(result()));
      return result();
    } finally {
      remove(work);
    }
  }

  private Result result() {
    return new Result(machine, frameworks, List.copyOf(findings), sections, List.copyOf(spent));
  }

  private void run(Plan.Part part, Deadline deadline, Duration time) throws InterruptedException {
    Section section = part.section();
    out.println();
    out.println(section.question());
    long beginNs = System.nanoTime();
    Findings own = new Findings(section.name(), this::show);
    String what = "section " + section.name();
    try {
      if (deadline.isOver()) {
        own.notDone(what, "no time left");
      } else {
        section.run(check(own, deadline, part.mode()));
      }
    } catch (CheckException problem) {
      own.broken(what, problem);
    } catch (Nvml.NvmlException problem) {
      own.failed(what, problem.getMessage());
    }
    spent(section.name(), beginNs, time);
  }

  private Check check(Findings own, Deadline deadline, Mode mode) {
    return new Check(
        bundle,
        machine,
        device,
        frameworks,
        own,
        deadline,
        mode,
        options.brief(),
        new Check.Folders(work, options.runFolder(), results));
  }

  private void spent(String name, long beginNs, Duration time) {
    Spent one = new Spent(name, (System.nanoTime() - beginNs) / 1e9, time.toMillis() / 1e3);
    spent.add(one);
    out.println("  " + one.text());
    out.flush();
    results.write(result());
  }

  private void show(Finding finding) {
    findings.add(finding);
    out.print(Report.lines(finding));
    out.flush();
    results.keepErrors(finding, work);
    results.write(result());
  }

  /** The machine, with the facts that a program with a context finds out. */
  private Machine measured(Deadline deadline) throws InterruptedException {
    Check check = check(null, deadline.within(FIRST_LOOK), Mode.ALL);
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

  /** Removes a folder with all that is in it. */
  static void remove(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new CheckException("cannot remove " + folder, e);
    }
  }
}
