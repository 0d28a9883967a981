package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;

/** Says in words what sharing gained or lost; a loss is stated as clearly as a gain. */
final class Verdict {
  private static final double SAME = 0.02;

  private final Comparison comparison;

  Verdict(Comparison comparison) {
    this.comparison = comparison;
  }

  /** Better, worse, same or unknown: by the mean time from arrival to end. */
  String kind() {
    if (comparison.shared().jobs() == 0) {
      return "unknown";
    }
    double gain = gain(shared().meanTurnaroundNs(), exclusive().meanTurnaroundNs());
    return Math.abs(gain) <= SAME ? "same" : gain > 0 ? "better" : "worse";
  }

  /** One sentence. */
  String sentence() {
    String jobs = NumberText.count(shared().jobs(), "job", "jobs");
    String shared = NumberText.duration(shared().meanTurnaroundNs());
    String alone = NumberText.duration(exclusive().meanTurnaroundNs());
    return switch (kind()) {
      case "better" ->
          "Sharing gained: from arrival to end "
              + jobs
              + " took "
              + shared
              + " on average; with one job per GPU it would have been "
              + alone
              + ".";
      case "worse" ->
          "Sharing lost: from arrival to end "
              + jobs
              + " took "
              + shared
              + " on average; with one job per GPU it would have been "
              + alone
              + ".";
      case "same" ->
          "Sharing made no difference: from arrival to end "
              + jobs
              + " took "
              + shared
              + " on average, and "
              + alone
              + " with one job per GPU.";
      default -> "Nothing to compare: no job both began in this time and had memory.";
    };
  }

  /** Limits of the sentence that a reader must know. */
  List<String> caveats() {
    List<String> caveats = new ArrayList<>();
    if (comparison.shared().jobs() > 0) {
      caveats.add(breakEven());
    }
    leftOut(caveats, comparison.before(), "began before this time");
    leftOut(
        caveats,
        comparison.gaveUp(),
        "waited and ended without memory, which one job per GPU would have run: that counts"
            + " against sharing");
    leftOut(caveats, comparison.noMemoryYet(), "still run and have had no memory so far");
    leftOut(caveats, comparison.outOfTime(), "have times that cannot be: the clock was set back");
    return caveats;
  }

  private String breakEven() {
    Long percent = comparison.breakEvenPercent();
    if (percent != null) {
      return "Neighbours slow each other down, by how much is not known. One job per GPU would have"
          + " done as well if each job ran "
          + NumberText.times(percent / 100.0)
          + " times as fast alone as it ran here.";
    }
    return kind().equals("better")
        ? "One job per GPU would not have done as well even if jobs ran 64 times as fast alone."
        : "If jobs ran faster alone than they did beside neighbours, sharing lost more than that.";
  }

  private static void leftOut(List<String> caveats, int jobs, String why) {
    if (jobs > 0) {
      caveats.add(
          NumberText.count(jobs, "job is", "jobs are")
              + " left out of the comparison: "
              + (jobs == 1 ? "it " + singular(why) : "they " + why)
              + ".");
    }
  }

  private static String singular(String why) {
    return why.replace("still run and have", "still runs and has")
        .replace("have times", "has times");
  }

  private Outcome shared() {
    return comparison.shared();
  }

  private Outcome exclusive() {
    return comparison.exclusive();
  }

  /** Saved part of {@code alone}; negative: added. */
  static double gain(long shared, long alone) {
    return alone == 0 ? (shared == 0 ? 0 : -1) : (alone - shared) / (double) alone;
  }
}
