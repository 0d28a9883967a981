package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Reduces a failing history as long as it still fails: first fewer steps, then simpler steps. */
final class Shrinker {
  private final Predicate<History> fails;

  Shrinker(Predicate<History> fails) {
    this.fails = fails;
  }

  History shrink(History history) {
    History smaller = history;
    Optional<History> next = Optional.of(history);
    while (next.isPresent()) {
      smaller = withFewerSteps(next.get());
      next = simpler(smaller);
    }
    return smaller;
  }

  /** Leaves out groups of steps: first half of all, then smaller groups, at last single steps. */
  private History withFewerSteps(History history) {
    History smaller = history;
    for (int length = Math.max(1, history.actions().size() / 2); length > 0; length /= 2) {
      smaller = without(length, smaller);
    }
    return smaller;
  }

  private History without(int length, History history) {
    History smaller = history;
    for (int end = history.actions().size(); end > 0; end -= length) {
      List<Action> rest = new ArrayList<>(smaller.actions());
      rest.subList(Math.max(0, end - length), end).clear();
      History candidate = new History(history.node(), rest);
      smaller = fails.test(candidate) ? candidate : smaller;
    }
    return smaller;
  }

  /** The first simpler history that also fails. */
  private Optional<History> simpler(History history) {
    Stream<History> byNode =
        SimplerValues.nodes(history.node()).map(node -> new History(node, history.actions()));
    Stream<History> bySteps =
        Stream.iterate(0, i -> i < history.actions().size(), i -> i + 1)
            .flatMap(i -> withSimplerStep(i, history));
    return Stream.concat(byNode, bySteps).filter(fails).findFirst();
  }

  private static Stream<History> withSimplerStep(int i, History history) {
    return SimplerValues.actions(history.actions().get(i))
        .map(
            action -> {
              List<Action> actions = new ArrayList<>(history.actions());
              actions.set(i, action);
              return new History(history.node(), actions);
            });
  }
}
