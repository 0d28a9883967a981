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
 * {@code usage}: what the jobs of each user or account reserved and used. Arguments: {@code by}
 * ({@code user} or {@code account}), and optional {@code sinceNs}, {@code untilNs}, {@code user}.
 */
public final class UsageQuestion implements Question {
  private final Supplier<Path> file;

  /**
   * @param file gives the present path of the history
   */
  public UsageQuestion(Supplier<Path> file) {
    this.file = file;
  }

  @Override
  public Map<String, Object> answer(Map<String, Object> given, Principal viewer) {
    Arguments arguments = new Arguments(given);
    String by = arguments.text("by").orElse(JobUsage.By.USER.text());
    JobUsage.By sumsOf = JobUsage.By.of(by);
    if (sumsOf == null) {
      throw new AgentException("the argument by=" + by + ": must be user or account");
    }
    long nowNs = Clock.now().nowNs();
    long sinceNs = arguments.number("sinceNs").orElse(0);
    long untilNs = Math.min(nowNs, arguments.number("untilNs").orElse(nowNs));
    JobQuery query = viewer.seesAll() ? JobQuery.all() : JobQuery.all().ofUser(viewer.uid());
    Optional<String> user = arguments.text("user");
    query = user.isPresent() ? query.ofUser(user.get()) : query;
    Optional<HistoryStore> opened = HistoryStore.open(file.get());
    if (opened.isEmpty()) {
      return answer(sumsOf, List.of(), OptionalLong.empty(), 0);
    }
    try (HistoryStore store = opened.get().limit(HistoryStore.QUESTION_NS)) {
      return answer(
          sumsOf, store.usage(query, sumsOf, sinceNs, untilNs), store.oldestNs(), store.missed());
    }
  }

  @Override
  public boolean isLong() {
    return true;
  }

  private static Map<String, Object> answer(
      JobUsage.By by, List<JobUsage> usage, OptionalLong oldestNs, long missed) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("by", by.text());
    answer.put("usage", usage.stream().map(entry -> json(by, entry)).toList());
    answer.put("oldestNs", oldestNs.isPresent() ? oldestNs.getAsLong() : null);
    answer.put("missedJobs", missed);
    return answer;
  }

  private static Map<String, Object> json(JobUsage.By by, JobUsage usage) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(by.text(), usage.name());
    json.put("jobs", usage.jobs());
    json.put("waitedNs", usage.waitedNs());
    json.put("reservedByteSeconds", Math.round(usage.reservedByteSeconds()));
    json.put("usedByteSeconds", Math.round(usage.usedByteSeconds()));
    json.put("turnNs", usage.turnNs().isPresent() ? usage.turnNs().getAsLong() : null);
    json.put("turnUnknownJobs", usage.turnUnknownJobs());
    return json;
  }
}
