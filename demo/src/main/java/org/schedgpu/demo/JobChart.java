package org.schedgpu.demo;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What each job of a run did over time, and how long it waited for memory. */
final class JobChart {
  private static final int LABELS = 92;
  private static final int WAITS = 62;
  private static final int FOOT = 24;
  private static final double BAR_SHARE = 0.76;
  private static final double SHORTEST = 0.8;

  private final List<JobResult> jobs;
  private final double seconds;
  private final double rowHeight;
  private final double plotWidth;
  private final int height;

  /**
   * The chart of a run.
   *
   * @param seconds length of the time axis
   */
  JobChart(RunResult run, int width, int height, double seconds) {
    jobs =
        run.jobs().stream()
            .sorted(Comparator.comparing(job -> Program.NAMES.indexOf(job.program())))
            .toList();
    this.seconds = seconds;
    this.height = height;
    rowHeight = (double) (height - FOOT) / Math.max(1, jobs.size());
    plotWidth = width - LABELS - WAITS;
  }

  void paint(Graphics2D graphics) {
    paintAxis(graphics);
    for (int i = 0; i < jobs.size(); i++) {
      paintJob(graphics, jobs.get(i), i * rowHeight);
    }
  }

  private void paintAxis(Graphics2D graphics) {
    graphics.setFont(Palette.plain(11));
    graphics.setStroke(new BasicStroke(1));
    double step = tickSeconds(seconds);
    for (double at = 0; at <= seconds; at += step) {
      graphics.setColor(Palette.GRID);
      graphics.draw(new Line2D.Double(x(at), 0, x(at), height - FOOT));
      graphics.setColor(Palette.FAINT_TEXT);
      String text = String.format(Locale.ROOT, "%,.0f", at);
      float half = graphics.getFontMetrics().stringWidth(text) / 2f;
      graphics.drawString(text, (float) x(at) - half, height - FOOT + 15);
    }
  }

  /** A round step that gives five to ten ticks. */
  static double tickSeconds(double seconds) {
    double power = Math.pow(10, Math.floor(Math.log10(seconds / 5)));
    for (double factor : new double[] {5, 2}) {
      if (seconds / (power * factor) >= 5) {
        return power * factor;
      }
    }
    return power;
  }

  private void paintJob(Graphics2D graphics, JobResult job, double top) {
    fill(graphics, new Span(0, job.run().from()), top, Palette.QUEUED);
    fill(graphics, job.run(), top, Palette.COMPUTING);
    job.holding().forEach(span -> fill(graphics, span, top, Palette.HOLDING));
    job.asking().forEach(span -> fill(graphics, span, top, Palette.WAITING));
    float baseline = (float) (top + rowHeight / 2 + 4);
    graphics.setFont(Palette.plain(11));
    graphics.setColor(Palette.TEXT);
    graphics.drawString(job.name(), 4, baseline);
    if (job.outcome() == JobResult.Outcome.COMPLETED) {
      paintRight(graphics, waitText(job.waitSeconds()), baseline);
    } else {
      paintDeath(graphics, x(job.run().to()), top + rowHeight / 2);
      graphics.setColor(Palette.WAITING);
      paintRight(graphics, "died", baseline);
    }
  }

  private static String waitText(double waitSeconds) {
    return waitSeconds < 1 ? "-" : String.format(Locale.ROOT, "%,.0f s", waitSeconds);
  }

  private void paintRight(Graphics2D graphics, String text, float baseline) {
    int width = graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, (float) (LABELS + plotWidth + WAITS - 6 - width), baseline);
  }

  private static void paintDeath(Graphics2D graphics, double x, double y) {
    double arm = 4.5;
    graphics.setColor(Palette.WAITING);
    graphics.setStroke(new BasicStroke(2.4f));
    graphics.draw(new Line2D.Double(x - arm, y - arm, x + arm, y + arm));
    graphics.draw(new Line2D.Double(x - arm, y + arm, x + arm, y - arm));
  }

  private void fill(Graphics2D graphics, Span span, double top, Color colour) {
    double width = x(span.to()) - x(span.from());
    if (width < SHORTEST) {
      return;
    }
    double inset = rowHeight * (1 - BAR_SHARE) / 2;
    graphics.setColor(colour);
    graphics.fill(
        new Rectangle2D.Double(x(span.from()), top + inset, width, rowHeight * BAR_SHARE));
  }

  private double x(double at) {
    return LABELS + plotWidth * at / seconds;
  }
}
