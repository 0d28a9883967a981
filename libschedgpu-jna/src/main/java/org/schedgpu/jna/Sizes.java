package org.schedgpu.jna;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sizes by device, from the arrays of a record. */
final class Sizes {
  private static final SortedMap<Integer, Long> NOTHING = Collections.emptySortedMap();

  private final int devices;
  private final Damage damage;

  Sizes(int devices, Damage damage) {
    this.devices = devices;
    this.damage = damage;
  }

  /**
   * The sizes on the devices of a mask. An impossible size is noted as damage and shown as 0.
   *
   * @param bytes by device
   */
  SortedMap<Integer, Long> of(String table, int index, long mask, long[] bytes) {
    SortedMap<Integer, Long> sizes = NOTHING;
    for (int device = 0; device < devices; device++) {
      if ((mask >>> device & 1) != 0) {
        sizes = with(sizes, device, checked(table, index, device, bytes[device]));
      }
    }
    return finished(sizes);
  }

  /** The same without entries of 0. */
  SortedMap<Integer, Long> anyOf(String table, int index, long[] bytes) {
    SortedMap<Integer, Long> sizes = NOTHING;
    for (int device = 0; device < devices; device++) {
      if (bytes[device] != 0) {
        sizes = with(sizes, device, checked(table, index, device, bytes[device]));
      }
    }
    return finished(sizes);
  }

  /** Most have one entry, for which a tree would be wasteful. */
  private static SortedMap<Integer, Long> with(
      SortedMap<Integer, Long> sizes, int device, long size) {
    if (sizes == NOTHING) {
      return new SingleSize(device, size);
    }
    SortedMap<Integer, Long> more = sizes instanceof SingleSize ? new TreeMap<>(sizes) : sizes;
    more.put(device, size);
    return more;
  }

  private static SortedMap<Integer, Long> finished(SortedMap<Integer, Long> sizes) {
    return sizes instanceof TreeMap ? Collections.unmodifiableSortedMap(sizes) : sizes;
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
