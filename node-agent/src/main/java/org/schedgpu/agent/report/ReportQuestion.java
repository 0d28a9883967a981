package org.schedgpu.agent.report;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongSupplier;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.sight.Arguments;
import org.schedgpu.agent.sight.Question;
import org.schedgpu.agent.sight.Viewer;

/**
 * What users ask the agent for a report: {@code fromNs}, {@code untilNs}, {@code device}, {@code
 * job}.
 */
public final class ReportQuestion implements Question {
  /** Its name. */
  public static final String NAME = "report";

  /** The agent's memory is small. */
  private static final int MOST_JOBS = 5000;

  private final Path historyFile;
  private final String node;
  private final String timeZone;
  private final LongSupplier nowNs;

  /**
   * @param node whose GPUs these are
   * @param nowNs wall clock
   */
  public ReportQuestion(Path historyFile, String node, String timeZone, LongSupplier nowNs) {
    this.historyFile = historyFile;
    this.node = node;
    this.timeZone = timeZone;
    this.nowNs = nowNs;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Viewer viewer) {
    Arguments asked = new Arguments(arguments);
    long now = nowNs.getAsLong();
    long until = Math.min(now, asked.number("untilNs").orElse(now));
    long from = asked.number("fromNs").orElse(0);
    if (from >= until) {
      throw new ReportException("fromNs=" + from + " is not before untilNs=" + until);
    }
    Integer device =
        asked.number("device").isPresent()
            ? (Integer) (int) asked.number("device", 0, 0, Integer.MAX_VALUE)
            : null;
    ReportRequest request =
        new ReportRequest(
            node,
            timeZone,
            now,
            new Window(from, until),
            device,
            asked.text("job").orElse(null),
            viewer);
    try (HistoryStore store = ReportSource.open(historyFile)) {
      return Records.toMap(new ReportBuilder(new HistorySource(store), request, MOST_JOBS).build());
    }
  }
}
