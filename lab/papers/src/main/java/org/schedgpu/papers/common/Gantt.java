package org.schedgpu.papers.common;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.schedgpu.charts.Palette;

/** What ran when on which node: a row for each node, a lane in it for each GPU. */
public final class Gantt implements Drawing {
  private static final int WIDTH = 900;
  private static final int LEFT = 64;
  private static final int RIGHT = 16;
  private static final int TOP = 44;
  private static final int LANE = 14;
  private static final int GAP = 6;
  private static final int BELOW = 76;
  private static final int FONT = 12;
  private static final int[] STEPS = {1, 2, 5, 10, 20, 30, 60, 120, 240, 480};
  private static final int MAX_TICKS = 12;
  private static final double NARROWEST_LABEL = 16;

  /** Blue, red and green, as in the paper on the R queue. */
  private static final List<Color> COLOURS =
      List.of(Palette.BLUE, Palette.RED, new Color(0x2a, 0x8f, 0x6a));

  private record Block(
      int row, int lanes, double from, double to, int series, String label, int order) {}

  private final String title;
  private final int rows;
  private final int lanes;
  private final List<String> series;
  private final List<Block> blocks = new ArrayList<>();

  /**
   * @param rows how many nodes
   * @param lanes of each
   * @param series what the colours mean
   */
  public Gantt(String title, int rows, int lanes, List<String> series) {
    this.title = title;
    this.rows = rows;
    this.lanes = lanes;
    this.series = List.copyOf(series);
  }

  /**
   * A job on a node; without a lane of its own it is a thin line above the node's lanes.
   *
   * @param width how many lanes
   * @param fromMinutes when it begins
   * @param toMinutes when it ends
   * @param kind index of the series
   */
  public Gantt block(
      int row, int width, double fromMinutes, double toMinutes, int kind, String label) {
    blocks.add(new Block(row, width, fromMinutes, toMinutes, kind, label, blocks.size()));
    return this;
  }

  @Override
  public BufferedImage draw() {
    int height = TOP + rows * (lanes * LANE + GAP) + BELOW;
    BufferedImage image = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, WIDTH, height);
    double end = blocks.stream().mapToDouble(Block::to).max().orElse(1);
    axes(graphics, end, height);
    double[][] freeFrom = new double[rows][lanes];
    blocks.stream()
        .sorted(Comparator.comparingDouble(Block::from).thenComparingInt(Block::order))
        .forEach(block -> paint(graphics, block, end, freeFrom[block.row()]));
    legend(graphics, height);
    graphics.dispose();
    return image;
  }

  private static double x(double minutes, double end) {
    return LEFT + (WIDTH - LEFT - RIGHT) * minutes / end;
  }

  private int top(int row) {
    return TOP + row * (lanes * LANE + GAP);
  }

  private void axes(Graphics2D graphics, double end, int height) {
    graphics.setColor(Palette.TEXT);
    graphics.setFont(Palette.bold(FONT + 4));
    graphics.drawString(title, LEFT, TOP - 18);
    graphics.setFont(Palette.plain(FONT));
    for (int row = 0; row < rows; row++) {
      graphics.setColor(Palette.FAINT);
      graphics.drawString("node " + (row + 1), 8, top(row) + lanes * LANE / 2 + 4);
      graphics.setColor(Palette.GRID);
      graphics.fillRect(LEFT, top(row) + lanes * LANE + GAP / 2, WIDTH - LEFT - RIGHT, 1);
    }
    int step = STEPS[0];
    for (int wider : STEPS) {
      step = end / step > MAX_TICKS ? wider : step;
    }
    for (int minutes = 0; minutes <= end; minutes += step) {
      graphics.setColor(Palette.GRID);
      graphics.fillRect((int) x(minutes, end), TOP, 1, top(rows) - TOP);
      graphics.setColor(Palette.FAINT);
      graphics.drawString(
          Integer.toString(minutes), (int) x(minutes, end) - 6, height - BELOW + 16);
    }
    graphics.drawString("minutes since the first submission", WIDTH / 2 - 90, height - BELOW + 36);
  }

  private void paint(Graphics2D graphics, Block block, double end, double[] freeFrom) {
    graphics.setColor(COLOURS.get(block.series()));
    double left = x(block.from(), end);
    double width = x(block.to(), end) - left - 1;
    if (block.lanes() == 0) {
      graphics.fill(new Rectangle2D.Double(left, top(block.row()) - 3.0, width, 3));
      return;
    }
    int remaining = block.lanes();
    for (int lane = 0; lane < lanes && remaining > 0; lane++) {
      if (freeFrom[lane] <= block.from()) {
        freeFrom[lane] = block.to();
        remaining--;
        double y = top(block.row()) + lane * (double) LANE;
        graphics.setColor(COLOURS.get(block.series()));
        graphics.fill(new Rectangle2D.Double(left, y, width, LANE - 1.0));
        if (width > NARROWEST_LABEL) {
          graphics.setColor(Color.WHITE);
          graphics.setFont(Palette.plain(FONT - 2));
          graphics.drawString(block.label(), (float) left + 3, (float) y + LANE - 3);
        }
      }
    }
  }

  private void legend(Graphics2D graphics, int height) {
    graphics.setFont(Palette.plain(FONT));
    int x = LEFT;
    for (int kind = 0; kind < series.size(); kind++) {
      graphics.setColor(COLOURS.get(kind));
      graphics.fillRect(x, height - 26, 14, 12);
      graphics.setColor(Palette.TEXT);
      graphics.drawString(series.get(kind), x + 20, height - 15);
      x += 40 + graphics.getFontMetrics().stringWidth(series.get(kind));
    }
  }
}
