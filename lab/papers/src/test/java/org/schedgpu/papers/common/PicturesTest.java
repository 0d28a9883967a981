package org.schedgpu.papers.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.charts.Palette;

/** Pictures have what was drawn in them: pixels of the colours of their series. */
class PicturesTest {
  private static long pixels(BufferedImage image, Color series) {
    int colour = series.getRGB();
    long count = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        count += image.getRGB(x, y) == colour ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void linesHaveOneColourForEachSeries() {
    double[] x = {1, 2, 3};
    BufferedImage image =
        new Lines("title", "x", "y")
            .line("one", x, new double[] {1, 2, 3})
            .steps("two", x, new double[] {3, 2, 1})
            .draw();
    for (int line = 0; line < 3; line++) {
      Color colour = Lines.colour(line);
      assertEquals(line < 2, pixels(image, colour) > 100, () -> "pixels of " + colour);
    }
  }

  @Test
  void barsAreAsHighAsTheirValues() {
    BufferedImage image =
        new Bars("title", "x", "y", List.of("a", "b"))
            .series("one", 1, 1)
            .series("two", 4, 4)
            .draw();
    double ratio = (double) pixels(image, Palette.series(1)) / pixels(image, Palette.series(0));
    assertTrue(ratio > 3 && ratio < 5, () -> "ratio " + ratio);
  }

  @Test
  void blocksAreAsLongAsTheirTimesAndAsHighAsTheirLanes() {
    BufferedImage image =
        new Gantt("title", 2, 3, List.of("own", "other"))
            .block(0, 3, 0, 50, 0, "1")
            .block(1, 1, 0, 100, 1, "2")
            .draw();
    double ratio = (double) pixels(image, Palette.BLUE) / pixels(image, Palette.RED);
    assertTrue(ratio > 1.2 && ratio < 1.8, () -> "ratio " + ratio);
  }
}
