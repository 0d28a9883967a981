package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;

/**
 * {@code history}: jobs, newest first. Arguments, all optional: {@code sinceNs}, {@code untilNs},
 * {@code user}, {@code kind} with {@code id}, {@code name}, {@code limit}, and {@code beforeRow},
 * which is {@code next} of the previous answer.
 */
public final class HistoryQuestion implements Question {
  /** This number of jobs always fits into one answer. */
  private static final int MOST = 1000;

  private static final int USUALLY = 100;

  private final Supplier<Path> file;

  /**
   * @param file gives the present path of the history
   */
  public HistoryQuestion(Supplier<Path> file) {
    this.file = file;
  }

  @Override
  public Map<String, Object> answer(Map<String, Object> given, Principal viewer) {
    Arguments arguments = new Arguments(given);
    int limit = (int) arguments.number("limit", USUALLY, 1, MOST);
    JobQuery query = query(arguments, viewer).limit(limit);
    Optional<HistoryStore> opened = HistoryStore.open(file.get());
    if (opened.isEmpty()) {
      return answer(List.of(), limit, OptionalLong.empty(), 0);
    }
    try (HistoryStore store = opened.get().limit(HistoryStore.QUESTION_NS)) {
      return answer(store.jobs(query), limit, store.oldestNs(), store.missed());
    }
  }

  @Override
  public boolean isLong() {
    return true;
  }

  private static JobQuery query(Arguments arguments, Principal viewer) {
    JobQuery query = viewer.seesAll() ? JobQuery.all() : JobQuery.all().ofUser(viewer.uid());
    OptionalLong since = arguments.number("sinceNs");
    query = since.isPresent() ? query.since(since.getAsLong()) : query;
    OptionalLong until = arguments.number("untilNs");
    query = until.isPresent() ? query.until(until.getAsLong()) : query;
    OptionalLong before = arguments.number("beforeRow");
    query = before.isPresent() ? query.before(before.getAsLong()) : query;
    Optional<String> user = arguments.text("user");
    query = user.isPresent() ? query.ofUser(user.get()) : query;
    Optional<String> name = arguments.text("name");
    query = name.isPresent() ? query.named(name.get()) : query;
    OptionalLong id = arguments.number("id");
    if (id.isEmpty()) {
      return query;
    }
    return query.job(
        arguments.text("kind").orElseThrow(() -> new AgentException("an id needs its kind")),
        id.getAsLong());
  }

  private static Map<String, Object> answer(
      List<JobRecord> jobs, int limit, OptionalLong oldestNs, long missed) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("jobs", jobs.stream().map(HistoryJson::of).toList());
    answer.put("next", jobs.size() < limit ? null : jobs.get(jobs.size() - 1).row());
    answer.put("oldestNs", oldestNs.isPresent() ? oldestNs.getAsLong() : null);
    answer.put("missedJobs", missed);
    return answer;
  }
}
