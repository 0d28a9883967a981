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
  private static final int LABELS = 98;
  private static final int WAITS = 64;
  private static final double BAR_SHARE = 0.76;
  private static final double SHORTEST = 0.8;

  private final List<JobResult> jobs;
  private final double rowHeight;
  private final int width;
  private final TimeAxis axis;

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
    this.width = width;
    axis = new TimeAxis(LABELS, width - LABELS - WAITS, height - TimeAxis.LABELS_HEIGHT, seconds);
    rowHeight = axis.height() / Math.max(1, jobs.size());
  }

  void paint(Graphics2D graphics) {
    axis.paint(graphics);
    for (int i = 0; i < jobs.size(); i++) {
      paintJob(graphics, jobs.get(i), i * rowHeight);
    }
  }

  private void paintJob(Graphics2D graphics, JobResult job, double top) {
    fill(graphics, new Span(0, job.run().from()), top, Palette.QUEUED);
    fill(graphics, job.run(), top, Palette.COMPUTING);
    job.holding().forEach(span -> fill(graphics, span, top, Palette.HOLDING));
    job.asking().forEach(span -> fill(graphics, span, top, Palette.WAITING));
    float baseline = (float) (top + rowHeight / 2 + 4);
    graphics.setFont(Palette.plain(12));
    graphics.setColor(Palette.TEXT);
    graphics.drawString(job.name(), 4, baseline);
    if (job.outcome() == JobResult.Outcome.COMPLETED) {
      paintRight(graphics, waitText(job.waitSeconds()), baseline);
    } else {
      paintDeath(graphics, axis.x(job.run().to()), top + rowHeight / 2);
      graphics.setColor(Palette.WAITING);
      paintRight(graphics, "died", baseline);
    }
  }

  private static String waitText(double waitSeconds) {
    return waitSeconds < 1 ? "-" : String.format(Locale.ROOT, "%,.0f s", waitSeconds);
  }

  private void paintRight(Graphics2D graphics, String text, float baseline) {
    int textWidth = graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, width - 6f - textWidth, baseline);
  }

  private static void paintDeath(Graphics2D graphics, double x, double y) {
    double arm = 4.5;
    graphics.setColor(Palette.WAITING);
    graphics.setStroke(new BasicStroke(2.4f));
    graphics.draw(new Line2D.Double(x - arm, y - arm, x + arm, y + arm));
    graphics.draw(new Line2D.Double(x - arm, y + arm, x + arm, y - arm));
  }

  private void fill(Graphics2D graphics, Span span, double top, Color colour) {
    double width = axis.x(span.to()) - axis.x(span.from());
    if (width < SHORTEST) {
      return;
    }
    double inset = rowHeight * (1 - BAR_SHARE) / 2;
    graphics.setColor(colour);
    graphics.fill(
        new Rectangle2D.Double(axis.x(span.from()), top + inset, width, rowHeight * BAR_SHARE));
  }
}
