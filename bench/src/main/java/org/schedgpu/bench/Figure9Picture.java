package org.schedgpu.bench;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import javax.imageio.ImageIO;

/** The paper's Figure 9 as bars: a group for each stage, a bar for each approach. */
final class Figure9Picture {
  private static final Canvas CANVAS = new Canvas(1400, 640);
  private static final int LEFT = Canvas.LEFT;
  private static final int TOP = 164;
  private static final int BOTTOM = CANVAS.height() - 84;
  private static final double GROUP_SHARE = 0.9;
  private static final double PAPERS_BOUND_US = 1000;

  private final List<StageTime> times;
  private final List<String> stages;
  private final List<String> approaches;
  private final String where;
  private final LogAxis axis;

  /**
   * A picture of these times.
   *
   * @param where on what they were measured
   */
  Figure9Picture(List<StageTime> times, String where) {
    this.times = List.copyOf(times);
    this.where = where;
    stages = StageTime.stages(times);
    approaches = times.stream().map(StageTime::approach).distinct().toList();
    axis =
        LogAxis.of(
            DoubleStream.concat(
                times.stream().flatMapToDouble(t -> DoubleStream.of(t.p50Us(), t.p99Us())),
                DoubleStream.of(PAPERS_BOUND_US)),
            BOTTOM,
            BOTTOM - TOP);
  }

  /**
   * Writes figure-9.png and figure-9.svg.
   *
   * @throws BenchException if one cannot be written
   */
  void write(Path folder) {
    try {
      ImageIO.write(image(), "png", folder.resolve("figure-9.png").toFile());
      writeSvg(folder.resolve("figure-9.svg"));
    } catch (IOException e) {
      throw new BenchException("cannot write the picture into " + folder, e);
    }
  }

  BufferedImage image() {
    return CANVAS.image(this::paint);
  }

  private void writeSvg(Path file) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    paint(graphics);
    try (OutputStream out = Files.newOutputStream(file)) {
      new SVGProcessor()
          .getDocument(graphics.getCommands(), new PageSize(CANVAS.width(), CANVAS.height()))
          .writeTo(out);
    }
  }

  private void paint(Graphics2D graphics) {
    CANVAS.head(
        graphics,
        "The stages of the life cycle, by approach",
        "After Figure 9 of the schedGPU paper. " + where + "; no GPU involved");
    paintLegend(graphics);
    paintAxis(graphics);
    for (StageTime time : times) {
      paintBar(graphics, time);
    }
    paintStageNames(graphics);
  }

  private void paintLegend(Graphics2D graphics) {
    double x = LEFT;
    int y = 94;
    for (int i = 0; i < approaches.size(); i++) {
      String name = title(approaches.get(i));
      double width = 30 + graphics.getFontMetrics().stringWidth(name) + 26;
      if (x + width > CANVAS.right()) {
        x = LEFT;
        y += 24;
      }
      paintSwatch(graphics, new Rectangle2D.Double(x, y - 12, 22, 14), Palette.bar(i));
      graphics.setColor(Palette.TEXT);
      graphics.drawString(name, (float) x + 30, y);
      x += width;
    }
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.drawString("bar: p50 in µs, line: p99", (float) x, y);
  }

  private static String title(String approach) {
    return switch (approach) {
      case "ours" -> "schedGPU for Slurm";
      case "file-lock" -> "file lock + signal (the paper's)";
      case "mutex-condition" -> "mutex + condition (can be abandoned)";
      case "client-server" -> "client-server, a message for each call (Mode=brokered)";
      case "server-budget" -> "client-server, first of a budget (Mode=brokered)";
      default -> approach;
    };
  }

  private void paintAxis(Graphics2D graphics) {
    for (double tick : axis.ticks()) {
      CANVAS.gridLine(graphics, axis.y(tick), time(tick));
    }
    paintPapersBound(graphics);
  }

  /** Of a power of ten in microseconds. */
  static String time(double us) {
    if (us >= 1e6) {
      return Numbers.plain(us / 1e6) + " s";
    }
    return us >= 1e3 ? Numbers.plain(us / 1e3) + " ms" : Numbers.plain(us) + " µs";
  }

  /** Its words stand where no bar is as high. */
  private void paintPapersBound(Graphics2D graphics) {
    double x = LEFT + 8 + groupWidth() * Math.max(0, stages.indexOf("post-free"));
    CANVAS.bound(
        graphics, axis.y(PAPERS_BOUND_US), "the paper: less than one millisecond", (float) x);
  }

  private double groupWidth() {
    return (double) CANVAS.innerWidth() / stages.size();
  }

  /** Where the bar of a time is. */
  Rectangle2D bar(StageTime time) {
    double width = groupWidth() * GROUP_SHARE / approaches.size();
    double x =
        LEFT
            + groupWidth() * (stages.indexOf(time.stage()) + (1 - GROUP_SHARE) / 2)
            + width * approaches.indexOf(time.approach());
    double y = axis.y(time.p50Us());
    return new Rectangle2D.Double(x + 2, y, width - 4, Math.max(1, BOTTOM - y));
  }

  private void paintBar(Graphics2D graphics, StageTime time) {
    Rectangle2D bar = bar(time);
    paintSwatch(graphics, bar, Palette.bar(approaches.indexOf(time.approach())));
    double y99 = axis.y(time.p99Us());
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.draw(new Line2D.Double(bar.getCenterX(), bar.getY(), bar.getCenterX(), y99));
    graphics.draw(new Line2D.Double(bar.getCenterX() - 5, y99, bar.getCenterX() + 5, y99));
    graphics.setFont(Palette.plain(12));
    String value = Numbers.shortened(time.p50Us());
    int width = graphics.getFontMetrics().stringWidth(value);
    graphics.setColor(Color.WHITE); // above lines of the grid
    graphics.fill(new Rectangle2D.Double(bar.getCenterX() - width / 2.0, y99 - 17, width, 13));
    graphics.setColor(Palette.TEXT);
    graphics.drawString(value, (float) bar.getCenterX() - width / 2f, (float) y99 - 6);
  }

  private static void paintSwatch(Graphics2D graphics, Rectangle2D area, Color colour) {
    graphics.setColor(colour);
    graphics.fill(area);
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.setStroke(new BasicStroke(0.8f));
    graphics.draw(area);
  }

  private void paintStageNames(Graphics2D graphics) {
    graphics.setColor(Palette.TEXT);
    for (int i = 0; i < stages.size(); i++) {
      String stage = stages.get(i);
      graphics.setFont(stage.equals("total") ? Palette.bold(15) : Palette.plain(15));
      String name = stage.replace('-', ' ').replace("pre ", "pre-").replace("post ", "post-");
      Canvas.centred(graphics, name, LEFT + groupWidth() * (i + 0.5), BOTTOM + 26);
    }
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.setFont(Palette.plain(13));
    graphics.drawString(
        String.format(
            Locale.ROOT,
            "Logarithmic scale. Each life is that of a fresh process which reserves 1 MiB that"
                + " nobody else wants. The total is the client's own: without the server's stages."),
        LEFT,
        CANVAS.height() - 20);
  }
}
