package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;

/**
 * {@code samples}: what the devices had in use, oldest first. Arguments: {@code sinceNs}, {@code
 * untilNs}, {@code stepNs}: means over steps of that length. They are sums of all jobs, so
 * everybody may see them.
 */
public final class SamplesQuestion implements Question {
  private static final int MOST = 5000;

  private final Supplier<Path> file;

  /**
   * @param file gives the present path of the history
   */
  public SamplesQuestion(Supplier<Path> file) {
    this.file = file;
  }

  @Override
  public Map<String, Object> answer(Map<String, Object> given, Principal viewer) {
    Arguments arguments = new Arguments(given);
    long since = arguments.number("sinceNs").orElse(0);
    long until = arguments.number("untilNs").orElse(Long.MAX_VALUE);
    long step = arguments.number("stepNs", 1, 1, Long.MAX_VALUE);
    List<Map<String, Object>> samples = new ArrayList<>();
    HistoryStore.open(file.get())
        .ifPresent(
            opened -> {
              try (HistoryStore store = opened.limit(HistoryStore.QUESTION_NS)) {
                store.eachDeviceSample(
                    since, until, step, sample -> add(samples, HistoryJson.of(sample)));
              }
            });
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("samples", samples);
    return answer;
  }

  @Override
  public boolean isLong() {
    return true;
  }

  private static void add(List<Map<String, Object>> samples, Map<String, Object> sample) {
    if (samples.size() == MOST) {
      throw new AgentException(
          "more than " + MOST + " samples: ask for a shorter time, or for means (stepNs)");
    }
    samples.add(sample);
  }
}
