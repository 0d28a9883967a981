package org.schedgpu.papers.common;

import java.awt.Font;
import java.awt.image.BufferedImage;
import java.util.List;
import org.schedgpu.charts.Chart;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Sheet;

/** What is around every chart: its title above, the name of the axis and the legend below. */
final class Frame {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 440;
  private static final int SIDE = 16;
  private static final int TOP = 40;
  private static final int BOTTOM = 62;
  private static final Font TITLE = Palette.bold(15);
  private static final Font AXIS = Palette.plain(13);

  private Frame() {}

  static BufferedImage image(String title, String xTitle, Chart chart, List<Key> legend) {
    int foot = HEIGHT - BOTTOM;
    return new Sheet(WIDTH, HEIGHT)
        .text(title, SIDE, TOP - 14, TITLE, Palette.TEXT)
        .chart(chart, SIDE, TOP, WIDTH - 2 * SIDE, foot - TOP)
        .text(xTitle, (WIDTH - Sheet.width(xTitle, AXIS)) / 2, foot + 16, AXIS, Palette.FAINT)
        .legend(SIDE, HEIGHT - 18, WIDTH - SIDE, legend)
        .image();
  }
}
