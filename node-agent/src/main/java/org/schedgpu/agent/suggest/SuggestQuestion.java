package org.schedgpu.agent.suggest;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;

/**
 * Suggests budgets: {@code {"ask": "suggest", "name": NAME, "uid": UID}}; both arguments are
 * optional. The answer has {@code suggestions}.
 */
public final class SuggestQuestion implements Question {
  private final Supplier<Optional<HistoryStore>> history;
  private final Supplier<DeviceSizes> sizes;

  /**
   * @param history opens it
   * @param sizes gives the present sizes of devices
   */
  public SuggestQuestion(Supplier<Optional<HistoryStore>> history, Supplier<DeviceSizes> sizes) {
    this.history = history;
    this.sizes = sizes;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    Arguments given = new Arguments(arguments);
    OptionalLong user = given.number("uid");
    OptionalInt uid =
        user.isPresent() ? OptionalInt.of((int) user.getAsLong()) : OptionalInt.empty();
    if (uid.isEmpty() && !viewer.seesAll()) {
      uid = OptionalInt.of(viewer.uid());
    }
    boolean hidden = uid.isPresent() && !viewer.maySee(uid.getAsInt());
    List<Suggestion> all = hidden ? List.of() : look(uid, given.text("name"));
    return Map.of("suggestions", all.stream().map(Suggestion::toMap).toList());
  }

  /** Suggestions for one user, or for all. */
  public List<Suggestion> look(OptionalInt uid, Optional<String> name) {
    try (HistoryStore store = history.get().orElse(null)) {
      return store == null
          ? List.of()
          : PastJobs.learn(store, uid, name, sizes.get()).byUserAndName();
    }
  }

  /** What a user's lane jobs of this name keep between their turns; 0: nothing is known. */
  long kept(int uid, String name) {
    try (HistoryStore store = history.get().orElse(null)) {
      return store == null ? 0 : KeptMemory.of(store, OptionalInt.of(uid)).bytes(uid, name);
    }
  }

  @Override
  public boolean isLong() {
    return true;
  }
}
