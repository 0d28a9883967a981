package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.charts.Palette;

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
  void drawsTheCurveAtItsHeight() {
    int highest = highestRow(MemoryCurve.parse(SAMPLES));
    int lower = highestRow(List.of(new MemoryCurve.Point(0, 30), new MemoryCurve.Point(10, 30)));
    int highestOfAll =
        highestRow(List.of(new MemoryCurve.Point(0, 100), new MemoryCurve.Point(10, 100)));
    assertTrue(highestOfAll < highest && highest < lower, highest + " " + lower);
  }

  /** The first row of pixels in which the curve is. */
  private static int highestRow(List<MemoryCurve.Point> points) {
    BufferedImage image = new MemoryCurve(points).sheet().image();
    return IntStream.range(0, image.getHeight())
        .filter(
            y ->
                IntStream.range(0, image.getWidth())
                    .anyMatch(x -> image.getRGB(x, y) == Palette.series(0).getRGB()))
        .findFirst()
        .orElseThrow();
  }
}
