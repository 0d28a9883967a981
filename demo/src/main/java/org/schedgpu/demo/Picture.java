package org.schedgpu.demo;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import org.schedgpu.demo.JobResult.Outcome;

/**
 * All runs in one picture: beside each other what the device did and what the jobs did.
 *
 * @param scale how many times faster than on the paper's test-bed
 * @param device on what it ran
 * @param runs from top to bottom
 */
record Picture(double scale, String device, List<RunResult> runs) {
  private static final int WIDTH = 1600;
  private static final int HEAD = 128;
  private static final int ROW = 268;
  private static final int ROW_TITLE = 42;
  private static final int MARGIN = 28;
  private static final int CHART_WIDTH = (WIDTH - 3 * MARGIN) / 2;
  private static final int CHART_HEIGHT = ROW - ROW_TITLE - 22;
  private static final int FOOT = 44;

  /**
   * Writes demo.png and demo.svg.
   *
   * @throws DemoException if one cannot be written
   */
  void write(Path folder) {
    try {
      writePng(folder.resolve("demo.png"));
      writeSvg(folder.resolve("demo.svg"));
    } catch (IOException e) {
      throw new DemoException("cannot write the picture into " + folder, e);
    }
  }

  private int height() {
    return HEAD + ROW * runs.size() + FOOT;
  }

  private void writePng(Path file) throws IOException {
    BufferedImage image = new BufferedImage(WIDTH, height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    paint(graphics);
    graphics.dispose();
    ImageIO.write(image, "png", file.toFile());
  }

  private void writeSvg(Path file) throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    paint(graphics);
    try (OutputStream out = Files.newOutputStream(file)) {
      new SVGProcessor()
          .getDocument(graphics.getCommands(), new PageSize(WIDTH, height()))
          .writeTo(out);
    }
  }

  private void paint(Graphics2D graphics) {
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, WIDTH, height());
    paintHead(graphics);
    for (int i = 0; i < runs.size(); i++) {
      paintRun(graphics, runs.get(i), HEAD + ROW * i);
    }
    graphics.setFont(Palette.plain(13));
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.drawString(
        "Time in seconds of the paper's test-bed, since the first submission. The first run has"
            + " another time axis than the others.",
        MARGIN,
        height() - FOOT + 20);
  }

  private void paintHead(Graphics2D graphics) {
    graphics.setColor(Palette.TEXT);
    graphics.setFont(Palette.bold(24));
    graphics.drawString("Twelve jobs, one emulated GPU, a real Slurm", MARGIN, 42);
    graphics.setFont(Palette.plain(14));
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.drawString(
        String.format(
            Locale.ROOT,
            "The workload of the schedGPU paper, section 7.3.2, on an %s;"
                + " CPU phases are sleeps; %.0f times faster",
            device.replace("Emulated", "emulated"),
            scale),
        MARGIN,
        66);
    paintLegend(graphics);
  }

  private static void paintLegend(Graphics2D graphics) {
    int y = 104;
    int x = MARGIN;
    x = legend(graphics, x, y, Palette.MEMORY, "memory used (NVML)");
    legend(graphics, x, y, Palette.UTILISATION, "GPU utilisation (NVML)");
    x = CHART_WIDTH + 2 * MARGIN;
    x = legend(graphics, x, y, Palette.QUEUED, "in Slurm's queue");
    x = legend(graphics, x, y, Palette.COMPUTING, "on the CPU");
    x = legend(graphics, x, y, Palette.WAITING, "waits for memory");
    legend(graphics, x, y, Palette.HOLDING, "holds memory");
    graphics.drawString("waited", WIDTH - MARGIN - 48, y);
  }

  private static int legend(Graphics2D graphics, int x, int y, Color colour, String text) {
    graphics.setColor(colour);
    graphics.fillRect(x, y - 12, 22, 14);
    graphics.setFont(Palette.plain(14));
    graphics.setColor(Palette.TEXT);
    graphics.drawString(text, x + 30, y);
    return x + 30 + graphics.getFontMetrics().stringWidth(text) + 26;
  }

  private void paintRun(Graphics2D graphics, RunResult run, int top) {
    graphics.setColor(Palette.GRID);
    graphics.fillRect(MARGIN, top, WIDTH - 2 * MARGIN, 1);
    graphics.setColor(Palette.TEXT);
    graphics.setFont(Palette.bold(16));
    graphics.drawString(run.kind().title(), MARGIN, top + 24);
    int titleWidth = graphics.getFontMetrics().stringWidth(run.kind().title());
    graphics.setFont(Palette.plain(14));
    graphics.drawString(summary(run), MARGIN + titleWidth + 18, top + 24);
    double seconds = axisSeconds(run);
    UsageChart usage = new UsageChart(run, CHART_WIDTH, CHART_HEIGHT, seconds);
    paintAt(graphics, MARGIN, top + ROW_TITLE, usage::paint);
    JobChart jobs = new JobChart(run, CHART_WIDTH, CHART_HEIGHT, seconds);
    paintAt(graphics, CHART_WIDTH + 2 * MARGIN, top + ROW_TITLE, jobs::paint);
  }

  private static String summary(RunResult run) {
    long dead = run.jobs().size() - run.count(Outcome.COMPLETED);
    String paper =
        PaperRow.of(run.kind())
            .map(row -> String.format(Locale.ROOT, " (paper %,.0f s)", row.totalSeconds()))
            .orElse("");
    return String.format(
        Locale.ROOT,
        "%,.0f s%s,  GPU busy %.1f %%,  memory used %.1f %%%s",
        run.totalSeconds(),
        paper,
        run.gpuUtilisationPercent(),
        run.memoryUsedPercent(),
        dead == 0 ? "" : ",  " + dead + " of " + run.jobs().size() + " jobs died");
  }

  /** The runs that share have one time axis, so that they can be compared. */
  private double axisSeconds(RunResult run) {
    double longest =
        runs.stream()
            .filter(other -> other.kind().isShared() == run.kind().isShared())
            .mapToDouble(RunResult::totalSeconds)
            .max()
            .orElse(0);
    return Math.max(1, longest * 1.02);
  }

  private static void paintAt(Graphics2D graphics, int x, int y, Consumer<Graphics2D> painter) {
    Graphics2D part = (Graphics2D) graphics.create();
    part.translate(x, y);
    painter.accept(part);
    part.dispose();
  }
}
