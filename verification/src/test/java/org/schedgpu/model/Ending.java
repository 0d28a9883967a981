package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The end of a history: everybody who runs asks for some more memory first, as a program may that
 * others wait for; then everybody who does not wait ends, one after the other. Nobody may wait for
 * ever, with one exception: the context of a further process than the job declared.
 */
final class Ending {
  private static final int MORE_UNITS = 6;

  private final Twin twin;
  private final Story story;

  Ending(Twin twin, Story story) {
    this.twin = twin;
    this.story = story;
  }

  /** Whether somebody was left, who may be. */
  boolean letAllEnd() {
    slots().filter(twin::present).forEach(this::askForMore);
    while (letSomeEnd() || letOutsideMemoryComeBack()) {}
    boolean somebody = slots().anyMatch(twin::present);
    if (somebody && !twin.model().surplusContextWaits()) {
      throw new Difference("somebody waits for ever");
    }
    return somebody;
  }

  /** The devices take turns to be asked first. */
  private void askForMore(int slot) {
    for (int i = 0; i < twin.devices() && twin.process(slot).place.isEmpty(); i++) {
      int device = (slot + i) % twin.devices();
      story.next("process " + slot + " asks for more on device " + device);
      twin.ask(slot, device, Action.bytes(1 + slot % MORE_UNITS), Kind.MEMORY, true);
    }
  }

  private static IntStream slots() {
    return IntStream.range(0, Twin.SLOTS + Twin.OWNERS);
  }

  private boolean letSomeEnd() {
    story.next("time passes");
    twin.letGracePass();
    long ended = slots().filter(twin::present).filter(this::letEnd).count();
    List<Long> jobs = twin.model().jobsWithoutProcesses();
    jobs.forEach(this::letJobEnd);
    return ended > 0 || !jobs.isEmpty();
  }

  private void letJobEnd(long job) {
    story.next("job " + job + " ends");
    twin.end(job);
  }

  /** A process ends when it does not wait; one that got what it wanted goes on. */
  private boolean letEnd(int slot) {
    boolean served = letGrantedGoOn(slot);
    boolean waits = twin.process(slot).place.isPresent();
    if (!waits) {
      story.next("process " + slot + " ends");
      twin.remove(slot);
    }
    return served || !waits;
  }

  /** It takes what was granted, and then gives back all that it holds. */
  private boolean letGrantedGoOn(int slot) {
    Optional<Attached.Place> granted =
        twin.process(slot).place.filter(place -> !twin.model().waits(place.ticket()));
    granted.ifPresent(
        place -> {
          story.next("process " + slot + " takes what was granted");
          twin.settle(slot, place);
          giveBackAll(slot);
        });
    return granted.isPresent();
  }

  /** Who waits for it was not refused: it comes back some day. */
  private boolean letOutsideMemoryComeBack() {
    boolean some = false;
    for (int d = 0; d < twin.devices(); d++) {
      some |= twin.model().outside().bytes(d) > 0;
      if (twin.model().outside().foreign(d) > 0) {
        story.next("the foreign memory of device " + d + " comes back");
        twin.setForeign(d, 0);
      }
      for (long job : twin.model().outside().jobsOn(d)) {
        story.next("the overrun of job " + job + " on device " + d + " comes back");
        twin.setOverrun(job, d, 0);
      }
    }
    return some;
  }

  private void giveBackAll(int slot) {
    for (int d = 0; d < twin.devices(); d++) {
      story.next("process " + slot + " gives back all on device " + d);
      twin.giveBack(slot, d, Optional.empty());
      if (twin.process(slot).client.contexts(d) > 0) {
        story.next("process " + slot + " leaves its context on device " + d);
        twin.leaveContext(slot, d);
      }
    }
  }
}
