package org.schedgpu.jna;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/** Sizes by device, out of the arrays of a record. */
final class Sizes {
  private static final SortedMap<Integer, Long> NOTHING = Collections.emptySortedMap();

  private final int devices;
  private final Damage damage;

  Sizes(int devices, Damage damage) {
    this.devices = devices;
    this.damage = damage;
  }

  /** Of the devices of a mask; one that cannot be right is noted and shown as 0. */
  SortedMap<Integer, Long> of(String table, int index, long mask, IntToLongFunction bytes) {
    return where(table, index, device -> (mask >>> device & 1) != 0, bytes);
  }

  /** Where there is none, it is left out. */
  SortedMap<Integer, Long> anyOf(String table, int index, IntToLongFunction bytes) {
    return where(table, index, device -> bytes.applyAsLong(device) != 0, bytes);
  }

  private SortedMap<Integer, Long> where(
      String table, int index, IntPredicate which, IntToLongFunction bytes) {
    SortedMap<Integer, Long> one = NOTHING;
    SortedMap<Integer, Long> more = NOTHING;
    for (int device = 0; device < devices; device++) {
      if (which.test(device)) {
        long size = checked(table, index, device, bytes.applyAsLong(device));
        if (one == NOTHING) {
          one = new OneSize(device, size);
        } else {
          more = more == NOTHING ? new TreeMap<>(one) : more;
          more.put(device, size);
        }
      }
    }
    return more == NOTHING ? one : Collections.unmodifiableSortedMap(more);
  }

  private long checked(String table, int index, int device, long size) {
    if (size < 0) {
      damage.note(
          String.format(
              "%s record %d: %s bytes of device %d",
              table, index, Long.toUnsignedString(size), device));
    }
    return Math.max(0, size);
  }
}
