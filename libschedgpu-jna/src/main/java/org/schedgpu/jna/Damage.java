package org.schedgpu.jna;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Describes impossible values in a snapshot; only as many as somebody would read. */
final class Damage {
  private static final int MAX_NOTES = 20;

  private final List<String> notes = new ArrayList<>();
  private int further;

  void note(String what) {
    if (notes.size() < MAX_NOTES) {
      notes.add(what);
    } else {
      further++;
    }
  }

  <T> Optional<T> leaveOut(String table, int index, String why) {
    note(table + " record " + index + ": " + why + ": left out");
    return Optional.empty();
  }

  /** All descriptions. */
  List<String> list() {
    List<String> all = new ArrayList<>(notes);
    if (further > 0) {
      all.add("and " + further + " more");
    }
    return List.copyOf(all);
  }
}
