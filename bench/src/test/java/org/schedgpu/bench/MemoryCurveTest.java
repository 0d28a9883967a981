package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemoryCurveTest {
  private static final List<String> SAMPLES =
      List.of(
          "seconds,agent_mib,more",
          "1.0,60.50,0.1",
          "2.0,61.00,0.2",
          "8.0,40.00,0.1",
          "10.0,40.00,0.1");

  @Test
  void readsTimeAndMemory() {
    assertEquals(
        List.of(
            new MemoryCurve.Point(1, 60.5),
            new MemoryCurve.Point(2, 61),
            new MemoryCurve.Point(8, 40),
            new MemoryCurve.Point(10, 40)),
        MemoryCurve.parse(SAMPLES));
  }

  @Test
  void aGarbledLineIsAnError() {
    assertThrows(
        IllegalArgumentException.class, () -> MemoryCurve.parse(List.of("names", "1.0,much")));
  }

  @Test
  void drawsTheCurveWhereTheMemoryIs() {
    MemoryCurve curve = new MemoryCurve(MemoryCurve.parse(SAMPLES));

    BufferedImage image = curve.image();

    int x = (int) curve.x(9);
    int y = (int) Math.round(curve.y(40));
    assertTrue(
        IntStream.rangeClosed(y - 2, y + 2)
            .anyMatch(row -> image.getRGB(x, row) == Palette.bar(0).getRGB()));
    assertEquals(Color.WHITE.getRGB(), image.getRGB((int) curve.x(9), (int) curve.y(10)));
  }
}
