package org.schedgpu.simulator.answer;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
 * @param nodesRead nodes of the input
 * @param nodesLeftOut nodes left out, by reason
 * @param nodesDown played nodes on which no job can start at present, with their states
 * @param assumptions values that the input lacks
 * @param summaries one job per GPU comes first
 */
public record Answer(
    int jobs,
    int nodes,
    int gpus,
    long read,
    Map<String, LeftOut.Reason> leftOut,
    long nodesRead,
    Map<String, LeftOut.Reason> nodesLeftOut,
    List<String> nodesDown,
    List<String> assumptions,
    List<Summary> summaries,
    Recommendation recommendation) {
  /** The subject of the replay, in one line. */
  public String headline() {
    return count(jobs, "job") + " on " + count(nodes, "node") + " with " + count(gpus, "GPU");
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  /** The recommendation with its reason, or why there is none. */
  public String recommendationText() {
    String name = recommendation.name();
    return (name == null ? "no recommendation: " : "recommended: " + name + ": ")
        + recommendation.reason();
  }

  /** What was left out of the input, first of its nodes: one line for each reason. */
  public List<String> leftOutLines() {
    return Stream.concat(lines(nodesLeftOut, nodesRead, "nodes"), lines(leftOut, read, "lines"))
        .toList();
  }

  private static Stream<String> lines(Map<String, LeftOut.Reason> reasons, long read, String what) {
    return reasons.entrySet().stream()
        .map(
            entry -> {
              LeftOut.Reason reason = entry.getValue();
              String more = reason.lines() > reason.first().size() ? ", ..." : "";
              return "left out: %d of %d %s: %s: %s%s"
                  .formatted(
                      reason.lines(),
                      read,
                      what,
                      entry.getKey(),
                      String.join(", ", reason.first()),
                      more);
            });
  }
}
