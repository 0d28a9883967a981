package org.schedgpu.simulator.engine;

import java.util.Arrays;

/** Runs by their end, the first on top; among runs with the same end, the one submitted first. */
final class EndHeap {
  private Run[] runs = new Run[64];
  private int size;

  Run first() {
    return size == 0 ? null : runs[0];
  }

  /** The run is new, or its end has changed. */
  void put(Run run) {
    if (run.heapPlace < 0) {
      if (size == runs.length) {
        runs = Arrays.copyOf(runs, 2 * size);
      }
      set(size++, run);
    }
    int place = run.heapPlace;
    up(place);
    if (runs[place] == run) {
      down(place);
    }
  }

  void removeFirst() {
    runs[0].heapPlace = -1;
    Run last = runs[--size];
    runs[size] = null;
    if (size > 0) {
      set(0, last);
      down(0);
    }
  }

  private void set(int place, Run run) {
    runs[place] = run;
    run.heapPlace = place;
  }

  private static boolean before(Run one, Run other) {
    return one.endNs != other.endNs ? one.endNs < other.endNs : one.index < other.index;
  }

  private void up(int from) {
    Run run = runs[from];
    int place = from;
    while (place > 0 && before(run, runs[(place - 1) / 2])) {
      set(place, runs[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    set(place, run);
  }

  private void down(int from) {
    Run run = runs[from];
    int place = from;
    while (2 * place + 1 < size) {
      int child = 2 * place + 1;
      if (child + 1 < size && before(runs[child + 1], runs[child])) {
        child++;
      }
      if (!before(runs[child], run)) {
        break;
      }
      set(place, runs[child]);
      place = child;
    }
    set(place, run);
  }
}
