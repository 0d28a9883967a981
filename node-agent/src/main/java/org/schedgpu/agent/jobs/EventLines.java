package org.schedgpu.agent.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Formats events that happened at the same time as log lines. A few events get one line each. Many
 * events are shortened to the jobs' names, several in a line: the journal drops lines above some
 * hundred per second, and would drop other messages too.
 */
final class EventLines {
  private static final int MAX_LINES = 30;
  private static final int NAMES_IN_LINE = 50;

  /**
   * One event.
   *
   * @param word the kind of event
   * @param job its job
   * @param line gives the whole line; not called if many events share a line
   */
  record Event(String word, String job, Supplier<String> line) {}

  private EventLines() {}

  static List<String> of(List<Event> events) {
    if (events.size() <= MAX_LINES) {
      return events.stream().map(event -> event.line().get()).toList();
    }
    Map<String, List<Event>> byWord =
        events.stream()
            .collect(Collectors.groupingBy(Event::word, LinkedHashMap::new, Collectors.toList()));
    List<String> lines = new ArrayList<>();
    byWord.forEach((word, same) -> lines.addAll(together(word, same)));
    return lines;
  }

  private static List<String> together(String word, List<Event> events) {
    List<String> lines = new ArrayList<>();
    for (int from = 0; from < events.size(); from += NAMES_IN_LINE) {
      List<Event> some = events.subList(from, Math.min(events.size(), from + NAMES_IN_LINE));
      lines.add(
          some.stream()
              .map(Event::job)
              .collect(Collectors.joining(",", word + " count=" + some.size() + " jobs=", "")));
    }
    return lines;
  }
}
