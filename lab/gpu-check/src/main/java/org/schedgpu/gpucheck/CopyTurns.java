package org.schedgpu.gpucheck;

import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.Region.Wish;
import org.schedgpu.jna.JobLane;

/**
 * Copies of a program whose job has a share: one inside the device takes the compute turn, one to
 * the host does not. The region counts turns, so no clock is needed.
 */
final class CopyTurns {
  private static final long BLOCK_BYTES = Check.MIB;
  private static final long BUDGET_BYTES = 64 * Check.MIB;

  /** Commands of {@code device_program}. */
  private static final List<String> COPIES = List.of("copy-box", "copy-batch");

  private CopyTurns() {}

  /** Judges each kind of copy, in a job of its own. */
  static void play(Check check, Region region) throws InterruptedException {
    for (String copy : COPIES) {
      long job = region.begin(Wish.budget(BUDGET_BYTES).with("SHARE", "1"));
      Map<String, String> environment = region.environmentOf(job);
      environment.put("SCHEDGPU_SHARE", "1");
      try (Program program = check.start(check.deviceProgram(), environment)) {
        judge(check, copy, program, region, job);
      } finally {
        region.end(job);
      }
    }
  }

  private static void judge(Check check, String copy, Program program, Region region, long job)
      throws InterruptedException {
    String what = copy + " in a job with a share";
    program.must("begin 0");
    program.must("alloc 0 " + BLOCK_BYTES);
    program.must("alloc 1 " + BLOCK_BYTES);
    if (program.ask(copy + " 0 -1").isNotThere()) {
      check.findings().skipped(what, "the driver does not have this function");
      return;
    }
    long toHost = turns(region, job);
    program.must(copy + " 0 1");
    long inside = turns(region, job);
    check
        .findings()
        .judged(
            what,
            toHost == 0 && inside == 1,
            ("expected no turn for a copy to the host, one for a copy inside the device;"
                    + " measured %d and %d")
                .formatted(toHost, inside - toHost),
            Map.of("turnsToHost", toHost, "turnsInside", inside - toHost));
  }

  private static long turns(Region region, long job) {
    return region.snapshot().jobs().stream()
        .filter(one -> one.id() == job)
        .flatMap(one -> one.lane().stream())
        .map(JobLane::use)
        .mapToLong(use -> use.turns())
        .sum();
  }
}
