package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class IndexListTest {
  @Test
  void neighboursAreARange() {
    assertEquals("0-11", IndexList.format(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)));
    assertEquals("0,2,4-6", IndexList.format(List.of(0, 2, 4, 5, 6)));
    assertEquals("1-2,9", IndexList.format(List.of(1, 2, 9)));
    assertEquals("7", IndexList.format(List.of(7)));
    assertEquals("", IndexList.format(List.of()));
  }
}
