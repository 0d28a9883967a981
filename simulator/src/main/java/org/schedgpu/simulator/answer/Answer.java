package org.schedgpu.simulator.answer;

import java.util.List;
import java.util.Map;
import org.schedgpu.simulator.input.LeftOut;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;

/**
 * The content of an answer.
 *
 * @param jobs number of replayed jobs
 * @param nodes of the cluster
 * @param gpus of the cluster
 * @param read lines of the input
 * @param leftOut lines left out, by reason
 * @param assumptions values that the input lacks
 * @param summaries one job per GPU comes first
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
  /** The subject of the replay, in one line. */
  public String headline() {
    return jobs + " jobs on " + nodes + " nodes with " + gpus + " GPUs";
  }

  /** The recommendation with its reason, or why there is none. */
  public String recommendationText() {
    String name = recommendation.name();
    return (name == null ? "no recommendation: " : "recommended: " + name + ": ")
        + recommendation.reason();
  }

  /** The lines of the input that were left out, one line for each reason. */
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
