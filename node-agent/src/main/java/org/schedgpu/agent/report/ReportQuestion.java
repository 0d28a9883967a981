package org.schedgpu.agent.report;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;

/**
 * {@code report}: the content of a report, with sums of the jobs that the principal may not see.
 * Arguments: {@code fromNs}, {@code untilNs}, {@code recorded} (1: from the first record on),
 * {@code device}, {@code job} ({@code slurm:4711}), and, as shown texts, {@code node} and {@code
 * timeZone}.
 */
public final class ReportQuestion implements Question {
  /** Its name. */
  public static final String NAME = "report";

  /** A limit, because the agent's memory is small. */
  private static final int MAX_JOBS = 5000;

  private final Supplier<Path> file;
  private final Supplier<Map<Integer, Long>> contextBytes;

  /**
   * @param file gives the present path of the history
   * @param contextBytes of one CUDA context, by device
   */
  public ReportQuestion(Supplier<Path> file, Supplier<Map<Integer, Long>> contextBytes) {
    this.file = file;
    this.contextBytes = contextBytes;
  }

  @Override
  public Map<String, Object> answer(Map<String, Object> arguments, Principal viewer) {
    Arguments asked = new Arguments(arguments);
    long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    long until = Math.min(now, asked.number("untilNs").orElse(now));
    long from = asked.number("fromNs").orElse(0);
    if (from >= until) {
      throw new ReportException("fromNs=" + from + " is not before untilNs=" + until);
    }
    Integer device =
        asked.number("device").isPresent()
            ? (Integer) (int) asked.number("device", 0, 0, Integer.MAX_VALUE)
            : null;
    Window window = new Window(from, until);
    try (HistoryStore store = ReportSource.open(file.get()).limit(HistoryStore.QUESTION_NS)) {
      HistorySource source = new HistorySource(store);
      ReportRequest request =
          new ReportRequest(
              asked.text("node").orElse("this node"),
              asked.text("timeZone").orElse("UTC"),
              now,
              asked.number("recorded").orElse(0) == 1 ? source.recorded(window) : window,
              device,
              asked.text("job").orElse(null),
              viewer,
              contextBytes.get());
      return Records.toMap(new ReportBuilder(source, request, MAX_JOBS).build());
    }
  }

  @Override
  public boolean isLong() {
    return true;
  }
}
