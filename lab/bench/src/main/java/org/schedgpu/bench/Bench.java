package org.schedgpu.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Measures, prints a table, and writes result.json, machine.json, bench.txt and the picture. */
public final class Bench {
  private final Settings settings;
  private final PrintStream out;

  Bench(Settings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * The bench. The system property {@code bench.root} names the project's folder. A missed target
   * is reported, but is not a failure.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    Path root = Path.of(System.getProperty("bench.root", ".")).toAbsolutePath().normalize();
    try {
      new Bench(Settings.of(System.getenv(), root), System.out).run();
    } catch (BenchException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      System.exit(1);
    }
  }

  /** Measures and writes; returns the results. */
  Findings run() throws InterruptedException {
    long startNs = System.nanoTime();
    Machine machine = Machine.here();
    Findings findings = new Findings();
    out.println("measuring, a minute or two; leave the machine alone meanwhile");
    new Harness(settings).run(findings);
    out.println("  java             status snapshot, JNA call (JMH)");
    new JavaMeasurements(settings).run(findings);
    out.println("  plan             10,000 nodes, three times");
    new PlanMeasurement(settings).run(findings);
    out.println("  simulator        10^6 jobs on 1,000 nodes, more jobs, a sweep");
    new SimulatorMeasurements(settings).run(findings);
    String text = text(findings, machine, settings.quick());
    write(findings, machine, text);
    out.print("\n" + text);
    out.printf(
        Locale.ROOT,
        "%nWritten in %.0f s: %s/{result.json,machine.json,bench.txt,figure-9.svg,figure-9.png}%n",
        (System.nanoTime() - startNs) / 1e9,
        settings.root().relativize(settings.output()));
    return findings;
  }

  static String text(Findings findings, Machine machine, boolean quick) {
    return String.join(
        "\n",
        machine.text() + (quick ? "BENCH_QUICK=1: these figures mean nothing.\n" : ""),
        ResultTable.text(findings),
        QueueTable.text(findings),
        Figure9Table.text(findings.stages()),
        LimitText.text(findings),
        ResultTable.missed(findings));
  }

  private void write(Findings findings, Machine machine, String text) {
    try {
      Files.createDirectories(settings.output());
      Files.writeString(settings.output().resolve("bench.txt"), text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new BenchException("bench: cannot write into " + settings.output(), e);
    }
    ResultJson.write(settings.output(), findings, machine);
    String where = String.format(Locale.ROOT, "%s, Linux %s", machine.cpu(), machine.kernel());
    new Figure9Picture(findings.stages(), where).write(settings.output());
  }
}
