package org.schedgpu.charts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RowChartTest {
  private static final RowChart CHART =
      new RowChart(
          List.of(
              new RowChart.Row("one", "-", List.of(new RowChart.Bar(0, 50, Palette.BLUE)), null),
              new RowChart.Row(
                  "two", "died", List.of(new RowChart.Bar(50, 100, Palette.RED)), 100.)),
          100,
          "s");

  private final BufferedImage image = new Sheet(462, 124).chart(CHART, 0, 0, 462, 124).image();

  @Test
  void barsStandWhereTheirTimeIs() {
    assertEquals(Palette.BLUE.getRGB(), image.getRGB(98 + 75, 25));
    assertEquals(Palette.RED.getRGB(), image.getRGB(98 + 225, 75));
    assertEquals(-1, image.getRGB(98 + 223, 25));
    assertEquals(-1, image.getRGB(98 + 77, 75));
  }

  @Test
  void stepsAreRoundNumbers() {
    assertEquals(
        List.of(1., 2., 5., 10., 50.),
        Stream.of(1.2, 1.8, 4., 8., 50.).map(RowChart::step).toList());
  }

  @Test
  void aSuddenEndIsMarked() {
    int crossed = image.getRGB(98 + 300 + 3, 72);
    assertTrue((crossed >> 16 & 255) > 150 && (crossed & 255) < 200, Integer.toHexString(crossed));
  }
}
