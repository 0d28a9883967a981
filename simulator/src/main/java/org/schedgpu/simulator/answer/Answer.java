package org.schedgpu.simulator.answer;

import java.util.List;
import java.util.Map;
import org.schedgpu.simulator.input.LeftOut;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;

/**
 * All that is told.
 *
 * @param jobs that were played
 * @param nodes of the cluster
 * @param gpus of the cluster
 * @param read lines of the input
 * @param leftOut of them, by reason
 * @param assumptions what the input does not know
 * @param summaries one job per GPU first
 */
public record Answer(
    int jobs,
    int nodes,
    int gpus,
    long read,
    Map<String, LeftOut.Reason> leftOut,
    List<String> assumptions,
    List<Summary> summaries,
    Recommendation recommendation) {
  /** What was played, in one line. */
  public String headline() {
    return jobs + " jobs on " + nodes + " nodes with " + gpus + " GPUs";
  }

  /** The recommendation with its reason, or why there is none. */
  public String recommendationText() {
    String name = recommendation.name();
    return (name == null ? "no recommendation: " : "recommended: " + name + ": ")
        + recommendation.reason();
  }

  /** What was left out of the input, one line for each reason. */
  public List<String> leftOutLines() {
    return leftOut.entrySet().stream()
        .map(
            entry -> {
              LeftOut.Reason reason = entry.getValue();
              String more = reason.lines() > reason.first().size() ? ", ..." : "";
              return "left out: %d of %d lines: %s: %s%s"
                  .formatted(
                      reason.lines(),
                      read,
                      entry.getKey(),
                      String.join(", ", reason.first()),
                      more);
            })
        .toList();
  }
}
