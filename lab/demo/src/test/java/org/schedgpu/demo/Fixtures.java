package org.schedgpu.demo;

import java.util.List;
import org.schedgpu.demo.JobResult.Outcome;

/** Invented results, with the programs of the paper. */
final class Fixtures {
  static final Program ARA =
      new Program("ara", 226.847, 1, 16, 0.37, 0.51, 703, 64, 4799, 5.25, 1.16);
  static final Program MUMMERGPU =
      new Program("mummergpu", 322.799, 10, 15, 4.04, 2.46, 655, 64, 4799, 66.43, 7.94);
  static final Program GPU_BLAST =
      new Program("gpu-blast", 69.144, 1, 36, 33.73, 69.48, 1663, 64, 4799, 64.78, 48.04);
  static final List<Program> PROGRAMS = List.of(ARA, MUMMERGPU, GPU_BLAST);

  private Fixtures() {}

  static JobResult job(String program, int instance, Outcome outcome, double from, double to) {
    Span asking = new Span(from + 10, from + 12.5);
    Span holding = new Span(from + 12.5, to);
    return new JobResult(
        program + "-" + instance,
        program,
        outcome,
        new Span(from, to),
        List.of(asking),
        List.of(holding),
        1.5,
        1,
        "");
  }

  static RunResult run(RunKind kind, Outcome second, double seconds) {
    return new RunResult(
        kind,
        List.of(
            job("ara", 1, Outcome.COMPLETED, 5, seconds / 2),
            job("mummergpu", 1, second, 20, seconds),
            job("gpu-blast", 1, Outcome.COMPLETED, 7, 100)),
        List.of(new RunResult.Point(0, 0, 0), new RunResult.Point(seconds, 80, 91)),
        46.25);
  }

  /** One of each kind; the unsafe one loses a job. */
  static List<RunResult> allRuns() {
    return List.of(
        run(RunKind.EXCLUSIVE, Outcome.COMPLETED, 2500),
        run(RunKind.UNSAFE, Outcome.OUT_OF_MEMORY, 350),
        run(RunKind.FIFO, Outcome.COMPLETED, 446.04),
        run(RunKind.MMU, Outcome.COMPLETED, 374),
        run(RunKind.PRIORITY_FIFO, Outcome.COMPLETED, 373.8),
        run(RunKind.PRIORITY_MMU, Outcome.COMPLETED, 373.9));
  }
}
