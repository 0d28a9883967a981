package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import org.schedgpu.jna.Policy;

/** Only the steps that matter remain of a long history, as simple as possible. */
class ShrinkerTest {
  private static final NodeSpec NODE =
      new NodeSpec(
          List.of(new DeviceSpec(9 * 512, 512, 512), new DeviceSpec(9 * 512, 0, 0)),
          Policy.MMU,
          8,
          5,
          DeadlockRule.AVOID);

  private static Action ask(int slot, long bytes) {
    return new Action.Ask(slot, 0, bytes, RequestKind.MEMORY, true);
  }

  private static boolean hasBoth(History history) {
    boolean dies = history.actions().contains(new Action.Remove(3));
    return dies
        && history.actions().stream()
            .anyMatch(a -> a instanceof Action.Ask ask && ask.slot() == 5 && ask.bytes() > 1024);
  }

  @Example
  void keepsOnlyWhatFails() {
    List<Action> actions =
        new ArrayList<>(IntStream.range(0, 40).mapToObj(i -> ask(i, 7 * 512)).toList());
    actions.add(17, new Action.Remove(3));
    History smallest = new Shrinker(ShrinkerTest::hasBoth).shrink(new History(NODE, actions));
    History expected =
        new History(
            new NodeSpec(
                List.of(new DeviceSpec(512, 0, 0)), Policy.FIFO, 0, 0, DeadlockRule.DETECT),
            List.of(ask(5, 3 * 512), new Action.Remove(3)));
    if (!smallest.equals(expected)) {
      throw new AssertionError(smallest.node() + " " + smallest.actions());
    }
  }
}
