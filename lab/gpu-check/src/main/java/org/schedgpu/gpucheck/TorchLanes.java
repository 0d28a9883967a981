package org.schedgpu.gpucheck;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;

/** Two PyTorch programs in a lane: of their own, and with one memory for both. */
final class TorchLanes {
  private static final int COUNT = 2;
  private static final int ITERATIONS = 10;
  private static final int PERSISTENT_PERCENT = 15;
  private static final int EPHEMERAL_PERCENT = 45;

  private final Check check;
  private final Region region;
  private final long ephemeralMib;

  TorchLanes(Check check, Region region) {
    this.check = check;
    this.region = region;
    ephemeralMib = check.machine().totalBytes() / Check.MIB * EPHEMERAL_PERCENT / 100;
  }

  /**
   * Programs that in each iteration take the memory of the lane.
   *
   * @param shared true: both use one memory, which stays when the turn changes
   */
  void play(String what, boolean shared) throws InterruptedException {
    long persistentMib = check.machine().totalBytes() / Check.MIB * PERSISTENT_PERCENT / 100;
    Wish wish =
        Wish.budget((persistentMib + ephemeralMib) * Check.MIB)
            .with("LANE", "fair")
            .with("PERSISTENT", persistentMib + "M");
    List<Long> jobs = new ArrayList<>();
    List<Program> programs = new ArrayList<>();
    try {
      for (int i = 0; i < COUNT; i++) {
        long job = region.begin(wish);
        jobs.add(job);
        programs.add(start(job));
        programs.get(i).tell(shared ? "share" : "begin");
        programs.get(i).tell("iterate %d %d".formatted(ITERATIONS, ephemeralMib * 8 / 10));
      }
      judge(what, programs);
    } finally {
      programs.forEach(Program::close);
      for (long job : jobs) {
        region.end(job);
      }
    }
  }

  private Program start(long job) {
    Map<String, String> environment = region.environmentOf(job);
    environment.put("SCHEDGPU_LANE", "fair");
    environment.merge(
        "PYTHONPATH", check.bundle().pythonModule().toString(), (old, ours) -> ours + ":" + old);
    String python = check.frameworks().python().orElseThrow().toString();
    return check.start(
        List.of(python, check.bundle().python("torch_lane_program.py").toString()), environment);
  }

  private void judge(String what, List<Program> programs) throws InterruptedException {
    List<String> wrong = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    for (Program program : programs) {
      Answer begun = program.answer();
      Answer ran = program.answer();
      seconds.add(ran.number() / 1e9);
      int exit = program.end();
      if (!begun.isDone() || !ran.isDone() || exit != 0) {
        wrong.add("answers %d, %d, status %d".formatted(begun.result(), ran.result(), exit));
      }
    }
    check
        .findings()
        .judged(
            what,
            wrong.isEmpty(),
            "%d iterations of each with %s; seconds %s%s"
                .formatted(
                    ITERATIONS,
                    Check.size(ephemeralMib * 8 / 10 * Check.MIB),
                    seconds.stream().map("%.2f"::formatted).toList(),
                    wrong.isEmpty() ? "" : "; wrong: " + wrong),
            Map.of("seconds", seconds));
  }
}
