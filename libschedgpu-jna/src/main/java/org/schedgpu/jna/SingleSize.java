package org.schedgpu.jna;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The size on one device, as a map by device. Nearly all of the thousands of maps in a full node's
 * snapshot have one entry, and a tree takes three times as much memory. Immutable.
 */
@SuppressWarnings("JdkObsolete") // nobody iterates over ranges of one entry
final class SingleSize extends AbstractMap<Integer, Long> implements SortedMap<Integer, Long> {
  private final Integer device;
  private final Long size;

  SingleSize(int device, long size) {
    this.device = device;
    this.size = size;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public boolean containsKey(Object key) {
    return device.equals(key);
  }

  @Override
  public Long get(Object key) {
    return device.equals(key) ? size : null;
  }

  @Override
  public Set<Integer> keySet() {
    return Set.of(device);
  }

  @Override
  public Set<Map.Entry<Integer, Long>> entrySet() {
    return Set.of(Map.entry(device, size));
  }

  @Override
  public Integer firstKey() {
    return device;
  }

  @Override
  public Integer lastKey() {
    return device;
  }

  /** The natural order. */
  @Override
  public Comparator<? super Integer> comparator() {
    return null;
  }

  private SortedMap<Integer, Long> tree() {
    return Collections.unmodifiableSortedMap(new TreeMap<>((Map<Integer, Long>) this));
  }

  @Override
  public SortedMap<Integer, Long> subMap(Integer from, Integer to) {
    return tree().subMap(from, to);
  }

  @Override
  public SortedMap<Integer, Long> headMap(Integer to) {
    return tree().headMap(to);
  }

  @Override
  public SortedMap<Integer, Long> tailMap(Integer from) {
    return tree().tailMap(from);
  }
}
