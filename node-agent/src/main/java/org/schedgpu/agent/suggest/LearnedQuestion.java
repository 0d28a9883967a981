package org.schedgpu.agent.suggest;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;

/**
 * DefaultMem=learned for {@code schedgpu run}, whose user may not read the table of all users' jobs
 * ({@link LearnTask}): {@code {"ask": "learned", "name": NAME}}. The answer has {@code
 * suggestedBytes}: the budget suggested by this user's earlier runs of that name, and {@code
 * persistentBytes}: what they kept between their turns in lanes; 0: nothing is known.
 */
public final class LearnedQuestion implements Question {
  private final SuggestQuestion suggestions;

  /**
   * @param suggestions of all users and names
   */
  public LearnedQuestion(SuggestQuestion suggestions) {
    this.suggestions = suggestions;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    String name = new Arguments(arguments).text("name").orElse("");
    long bytes =
        suggestions.look(OptionalInt.of(viewer.uid()), Optional.of(name)).stream()
            .filter(found -> found.uid() == viewer.uid() && found.name().equals(name))
            .mapToLong(Suggestion::suggestedBytes)
            .findFirst()
            .orElse(0);
    long persistent = suggestions.kept(viewer.uid(), name);
    return Map.of("suggestedBytes", bytes, "persistentBytes", persistent);
  }

  @Override
  public boolean isLong() {
    return true;
  }
}
