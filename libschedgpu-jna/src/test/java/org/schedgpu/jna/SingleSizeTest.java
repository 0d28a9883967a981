package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** It behaves like a tree with one entry. */
class SingleSizeTest {
  private final SortedMap<Integer, Long> one = new SingleSize(3, 1L << 40);
  private final SortedMap<Integer, Long> tree = new TreeMap<>(Map.of(3, 1L << 40));

  @Test
  void itIsTheSameMap() {
    assertEquals(tree, one);
    assertEquals(one, tree);
    assertEquals(tree.hashCode(), one.hashCode());
    assertEquals(tree.toString(), one.toString());
    assertEquals(tree.firstKey(), one.firstKey());
    assertEquals(tree.lastKey(), one.lastKey());
    assertEquals(tree.comparator(), one.comparator());
    assertEquals(List.copyOf(tree.values()), List.copyOf(one.values()));
    for (int device : List.of(2, 3, 4)) {
      assertEquals(tree.get(device), one.get(device));
      assertEquals(tree.containsKey(device), one.containsKey(device));
      assertEquals(tree.headMap(device), one.headMap(device));
      assertEquals(tree.tailMap(device), one.tailMap(device));
      assertEquals(tree.subMap(device, 9), one.subMap(device, 9));
    }
  }

  @Test
  void itCannotBeChanged() {
    assertThrows(UnsupportedOperationException.class, () -> one.put(3, 1L));
    assertThrows(UnsupportedOperationException.class, () -> one.clear());
    SortedMap<Integer, Long> tail = one.tailMap(0);
    assertThrows(UnsupportedOperationException.class, () -> tail.clear());
  }
}
