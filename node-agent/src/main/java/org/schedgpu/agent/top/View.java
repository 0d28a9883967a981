package org.schedgpu.agent.top;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import org.schedgpu.agent.top.TopReport.JobRow;

/** The user's choices, changed by keys. */
final class View {
  /** The order of jobs; equal ones by name. */
  enum Sort {
    HELD("held"),
    IN_USE("in use"),
    RUNNING("running"),
    USER("user");

    final String text;

    Sort(String text) {
      this.text = text;
    }

    Sort next() {
      return switch (this) {
        case HELD -> IN_USE;
        case IN_USE -> RUNNING;
        case RUNNING -> USER;
        case USER -> HELD;
      };
    }

    Comparator<JobRow> order() {
      Comparator<JobRow> order =
          switch (this) {
            case HELD -> Comparator.comparingLong(JobRow::heldBytes).reversed();
            case IN_USE -> Comparator.comparingLong(JobRow::inUseBytes).reversed();
            case RUNNING -> Comparator.comparingLong(JobRow::runningNs).reversed();
            case USER -> Comparator.comparing(JobRow::user);
          };
      return order.thenComparing(JobRow::job);
    }
  }

  private Sort sort = Sort.HELD;
  private boolean paused;
  private boolean help;
  private int scroll;
  private OptionalInt device = OptionalInt.empty();

  Sort sort() {
    return sort;
  }

  boolean paused() {
    return paused;
  }

  boolean help() {
    return help;
  }

  int scroll() {
    return scroll;
  }

  /** The one device that is shown; empty for all. */
  OptionalInt device() {
    return device;
  }

  boolean shows(int index) {
    return device.isEmpty() || device.getAsInt() == index;
  }

  void sortOtherwise() {
    sort = sort.next();
  }

  void pauseOrGoOn() {
    paused = !paused;
  }

  void helpOrBack() {
    help = !help;
    scroll = 0;
  }

  void scrollBy(int lines) {
    scroll = Math.max(0, scroll + lines);
  }

  /** The frame limits scrolling, because it knows the number of lines. */
  void scrollAtMost(int lines) {
    scroll = Math.min(scroll, Math.max(0, lines));
  }

  /** Cycles: all devices, then each alone. */
  void nextDevice(List<Integer> devices) {
    int at = device.isEmpty() ? -1 : devices.indexOf(device.getAsInt());
    boolean last = at + 1 >= devices.size();
    device = last ? OptionalInt.empty() : OptionalInt.of(devices.get(at + 1));
    scroll = 0;
  }
}
