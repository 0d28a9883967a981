package org.schedgpu.model;

import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Nobody waits for a turn forever: if each holder gives its memory back and ends its iteration, and
 * nobody asks or dies, then everybody who waits gets a turn.
 */
final class TurnsGoOn {
  private final ModelAndCore both;

  TurnsGoOn(ModelAndCore both) {
    this.both = both;
  }

  void letAllHaveTheirTurn() {
    long before = Long.MAX_VALUE;
    for (long waiting = waiting(); waiting > 0; waiting = waiting()) {
      if (waiting >= before) {
        throw new Difference("a turn does not go on, though all iterations have ended");
      }
      slots().filter(both::turnGiven).forEach(both::settleTurn);
      slots().filter(both::hasTurn).forEach(this::endIteration);
      both.pass(Turns.IDLE_NS);
      before = waiting;
    }
  }

  private IntStream slots() {
    return IntStream.range(0, ModelAndCore.SLOTS).filter(both::present);
  }

  private long waiting() {
    return slots().filter(both::waitsForTurn).count();
  }

  private void endIteration(int slot) {
    for (int d = 0; d < both.devices(); d++) {
      both.giveBack(slot, d, Optional.empty());
    }
    both.endIteration(slot);
  }
}
