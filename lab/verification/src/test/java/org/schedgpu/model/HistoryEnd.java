package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The end of a history. First every running process asks for more memory, as a program may do while
 * others wait for it. Then every running process ends, one after the other. No request may wait
 * forever, with one exception: the context of a process beyond the number that its job declared.
 */
final class HistoryEnd {
  private static final int MORE_UNITS = 6;

  private final ModelAndCore both;
  private final StepLog log;

  HistoryEnd(ModelAndCore both, StepLog log) {
    this.both = both;
    this.log = log;
  }

  /** True if a waiter is left that the exception allows. */
  boolean letAllEnd() {
    slots().filter(both::present).forEach(this::askForMore);
    while (letSomeEnd() || releaseUnreservedMemory()) {}
    boolean somebody = slots().anyMatch(both::present);
    if (slots().filter(both::present).anyMatch(both::waitsForTurn)) {
      throw new Difference("a process waits for a turn forever");
    }
    if (somebody && !both.model().surplusContextWaits()) {
      throw new Difference("a request waits forever");
    }
    return somebody;
  }

  /** Each device is asked first in turn. */
  private void askForMore(int slot) {
    for (int i = 0; i < both.devices() && both.process(slot).place.isEmpty(); i++) {
      int device = (slot + i) % both.devices();
      log.next("process " + slot + " asks for more on device " + device);
      both.ask(slot, device, Action.bytes(1 + slot % MORE_UNITS), RequestKind.MEMORY, true);
    }
  }

  private static IntStream slots() {
    return IntStream.range(0, ModelAndCore.SLOTS + ModelAndCore.OWNERS);
  }

  private boolean letSomeEnd() {
    log.next("time passes");
    both.letGracePass();
    long ended = slots().filter(both::present).filter(this::letEnd).count();
    List<Long> jobs = both.model().jobsWithoutProcesses();
    jobs.forEach(this::letJobEnd);
    return ended > 0 || !jobs.isEmpty();
  }

  private void letJobEnd(long job) {
    log.next("job " + job + " ends");
    both.end(job);
  }

  /** A process ends when it does not wait. If it was granted its request, it continues. */
  private boolean letEnd(int slot) {
    boolean served = letGrantedGoOn(slot);
    boolean waits = both.process(slot).place.isPresent() || both.waitsForTurn(slot);
    if (!waits) {
      log.next("process " + slot + " ends");
      both.remove(slot);
    }
    return served || !waits;
  }

  /** The process takes its grant and then releases all that it holds. */
  private boolean letGrantedGoOn(int slot) {
    if (both.turnGiven(slot)) {
      log.next("process " + slot + " takes the turn");
      both.settleTurn(slot);
      giveBackAll(slot);
      return true;
    }
    Optional<ClientPair.Place> granted =
        both.process(slot).place.filter(place -> !both.model().waits(place.ticket()));
    granted.ifPresent(
        place -> {
          log.next("process " + slot + " takes what was granted");
          both.settle(slot, place);
          giveBackAll(slot);
        });
    return granted.isPresent();
  }

  /**
   * A request that waits for unreserved memory was not refused, because that memory comes back at
   * some time.
   */
  private boolean releaseUnreservedMemory() {
    boolean some = false;
    for (int d = 0; d < both.devices(); d++) {
      some |= both.model().unreserved().bytes(d) > 0;
      if (both.model().unreserved().foreign(d) > 0) {
        log.next("the foreign memory of device " + d + " comes back");
        both.setForeign(d, 0);
      }
      for (long job : both.model().unreserved().jobsOn(d)) {
        log.next("the overrun of job " + job + " on device " + d + " comes back");
        both.setOverrun(job, d, 0);
      }
    }
    return some;
  }

  private void giveBackAll(int slot) {
    for (int d = 0; d < both.devices(); d++) {
      log.next("process " + slot + " gives back all on device " + d);
      both.giveBack(slot, d, Optional.empty());
      if (both.process(slot).client.contexts(d) > 0) {
        log.next("process " + slot + " leaves its context on device " + d);
        both.leaveContext(slot, d);
      }
    }
  }
}
