package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthTest {
  @Test
  void exponentIsThePowerOfTheSize() {
    assertEquals(1, Growth.exponent(Map.of(100, 5.0, 200, 10.0, 400, 20.0)), 1e-9);
    assertEquals(2, Growth.exponent(Map.of(100, 1.0, 200, 4.0, 400, 16.0)), 1e-9);
    assertEquals(0, Growth.exponent(Map.of(100, 3.0, 400, 3.0)), 1e-9);
  }
}
