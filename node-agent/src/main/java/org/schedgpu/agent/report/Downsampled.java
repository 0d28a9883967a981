package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * At most a given number of points of a time series. When there are more, the slots of time with
 * one point each become twice as long.
 */
final class Downsampled<P> {
  private static final long FIRST_SLOT_NS = 1_000_000_000L;
  private static final int GAP = 3;

  private final Window window;
  private final int most;
  private final BinaryOperator<P> merge;
  private TreeMap<Long, P> points = new TreeMap<>();
  private long slotNs = FIRST_SLOT_NS;

  /**
   * Without points.
   *
   * @param merge combines two points of the same slot
   */
  Downsampled(Window window, int most, BinaryOperator<P> merge) {
    this.window = window;
    this.most = most;
    this.merge = merge;
  }

  /** Ignores a point outside the window. */
  void add(long timeNs, P point) {
    if (!window.has(timeNs)) {
      return;
    }
    points.merge((timeNs - window.fromNs()) / slotNs, point, merge);
    while (points.size() > most) {
      slotNs *= 2;
      TreeMap<Long, P> fewer = new TreeMap<>();
      points.forEach((slot, kept) -> fewer.merge(slot / 2, kept, merge));
      points = fewer;
    }
  }

  /** The time that a point stands for. */
  long slotNs() {
    return slotNs;
  }

  /** Adds a point, or marks the time from which on nothing is known. */
  record Point<P>(long timeNs, P value) {}

  /**
   * The points in order of time. If two are much further apart than usual, there were no samples in
   * between, and a point without a value marks that.
   */
  List<Point<P>> points() {
    long usual = usualSlots();
    List<Point<P>> all = new ArrayList<>();
    long before = Long.MAX_VALUE - GAP * usual;
    for (Map.Entry<Long, P> entry : points.entrySet()) {
      if (entry.getKey() > before + GAP * usual) {
        all.add(new Point<>(timeNs(before + usual), null));
      }
      all.add(new Point<>(timeNs(entry.getKey()), entry.getValue()));
      before = entry.getKey();
    }
    return all;
  }

  private long timeNs(long slot) {
    return window.fromNs() + slot * slotNs;
  }

  /** Half of the points are at most this far apart. */
  private long usualSlots() {
    List<Long> distances = new ArrayList<>();
    long before = -1;
    for (long slot : points.keySet()) {
      if (before >= 0) {
        distances.add(slot - before);
      }
      before = slot;
    }
    return Math.max(1, Quantiles.of(distances.stream().sorted().toList(), 50));
  }
}
