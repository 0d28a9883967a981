package org.schedgpu.agent.report;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** The courses of a report as PNG. Needs no display, but a font. */
public final class ReportPicture {
  private static final int WIDTH = 1200;
  private static final int LEFT = 24;
  private static final int HEAD = 226;
  private static final int JOB_HEAD = 92;
  private static final int TITLE = 34;
  private static final int MEMORY = 270;
  private static final int ACTIVITY = 180;
  private static final int FOOT = 30;
  private static final int MOST_DEVICES = 16;
  private static final int BAR_LEFT = 330;
  private static final int BAR_WIDTH = 520;
  private static final int RIGHT_AXIS = 48;
  private static final double FEWEST_JOBS = 4;
  private static final double GIB = 1L << 30;

  private final ReportData data;
  private Graphics2D graphics;

  private ReportPicture(ReportData data) {
    this.data = data;
  }

  /**
   * Returns the picture as a PNG file.
   *
   * @throws ReportException if there is no font
   */
  public static byte[] png(ReportData data) {
    // A compute node has no display, and a report must not use one that exists.
    System.setProperty("java.awt.headless", "true");
    try (ByteArrayOutputStream png = new ByteArrayOutputStream()) {
      ImageIO.write(new ReportPicture(data).image(), "png", png);
      return png.toByteArray();
    } catch (IOException | LinkageError | InternalError | NullPointerException problem) {
      // Java fails in this way if fontconfig or all fonts are missing.
      throw new ReportException(
          "no picture can be drawn on this node ("
              + problem
              + "): install fontconfig and a font (fonts-dejavu-core), or leave --png out",
          problem);
    }
  }

  private BufferedImage image() {
    int shown = shownDevices();
    int height =
        data.job() != null
            ? JOB_HEAD + data.job().devices().size() * (TITLE + MEMORY) + FOOT
            : HEAD + shown * (TITLE + MEMORY + ACTIVITY) + FOOT;
    BufferedImage image = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
    graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, WIDTH, height);
    title();
    if (data.job() != null) {
      job();
    } else {
      node(shown);
    }
    foot(height, shown);
    graphics.dispose();
    return image;
  }

  private int shownDevices() {
    return Math.min(MOST_DEVICES, data.devices().size());
  }

  private void title() {
    text(
        data.job() != null
            ? "Job " + data.job().job() + " on " + data.node()
            : "GPU sharing on " + data.node(),
        LEFT,
        40,
        Colours.TEXT,
        22);
    String time =
        Words.moment(data.window().fromNs(), data.timeZone())
            + " to "
            + Words.moment(data.window().untilNs(), data.timeZone())
            + " ("
            + data.timeZone()
            + ")";
    text(time + (data.emulated() ? ". Emulated GPUs." : ""), LEFT, 64, Colours.FAINT, 14);
  }

  private void node(int shown) {
    Comparison comparison = data.comparison();
    Verdict verdict = new Verdict(comparison);
    text(verdict.sentence(), LEFT, 96, Colours.TEXT, 14);
    if (comparison.shared().jobs() > 0) {
      Outcome shared = comparison.shared();
      Outcome alone = comparison.exclusive();
      pair(118, "From arrival to end, mean", shared.meanTurnaroundNs(), alone.meanTurnaroundNs());
      pair(154, "A job's wait, mean", shared.meanWaitNs(), alone.meanWaitNs());
      pair(190, "GPU time with a job on it", shared.occupiedNs(), alone.occupiedNs());
    }
    int top = HEAD;
    for (DeviceReport device : data.devices().subList(0, shown)) {
      text("GPU " + device.device() + ": " + device.name(), LEFT, top + 24, Colours.TEXT, 16);
      memory(device).paint(graphics, top + TITLE);
      activity(device).paint(graphics, top + TITLE + MEMORY);
      top += TITLE + MEMORY + ACTIVITY;
    }
  }

  private void pair(int top, String what, long shared, long alone) {
    text(what, LEFT, top + 18, Colours.TEXT, 13);
    long most = Math.max(1, Math.max(shared, alone));
    bar(top, "shared", shared, most, Colours.USED);
    bar(top + 15, "one per GPU", alone, most, Colours.ALONE);
  }

  private void bar(int top, String what, long ns, long most, Color colour) {
    int width = (int) Math.max(1, Math.round((double) BAR_WIDTH * ns / most));
    text(what, BAR_LEFT - 96, top + 11, Colours.FAINT, 12);
    graphics.setColor(colour);
    graphics.fillRect(BAR_LEFT, top, width, 12);
    text(Words.duration(ns), BAR_LEFT + width + 8, top + 11, Colours.TEXT, 12);
  }

  private CourseChart memory(DeviceReport device) {
    Course course = device.course();
    return new CourseChart(
            data, course.timeMs(), "GiB", WIDTH - RIGHT_AXIS, MEMORY, device.totalBytes() / GIB)
        .area("granted", course.grantedBytes(), GIB, Colours.GRANTED)
        .area("in use", course.inUseBytes(), GIB, Colours.USED)
        .line("used, says NVML", course.nvmlUsedBytes(), GIB, Colours.NVML, true)
        .line("total", course.totalBytes(), GIB, Colours.TOTAL, true);
  }

  private CourseChart activity(DeviceReport device) {
    Course course = device.course();
    double most =
        Stream.concat(course.jobs().stream(), course.waiting().stream())
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    return new CourseChart(
            data, course.timeMs(), "jobs", WIDTH, ACTIVITY, Math.max(FEWEST_JOBS, most))
        .area("jobs that wait", course.waiting(), 1, Colours.WAITING)
        .percent("utilisation", course.utilisationPercent(), Colours.UTILISATION)
        .line("jobs that hold memory", course.jobs(), 1, Colours.USED, true);
  }

  private void job() {
    JobDetail job = data.job();
    text(
        job.name()
            + " of "
            + job.user()
            + ": waited "
            + Words.duration(job.waitedNs())
            + ", held memory for "
            + Words.duration(job.heldNs()),
        LEFT,
        88,
        Colours.TEXT,
        14);
    int top = JOB_HEAD;
    for (JobDetail.Share share : job.devices()) {
      text("GPU " + share.device() + ": " + share.name(), LEFT, top + 24, Colours.TEXT, 16);
      new CourseChart(
              data, share.timeMs(), "GiB", WIDTH - RIGHT_AXIS, MEMORY, share.totalBytes() / GIB)
          .area("held by this job", share.heldBytes(), GIB, Colours.GRANTED)
          .area("in use by this job", share.inUseBytes(), GIB, Colours.USED)
          .line("held by its neighbours", share.othersBytes(), GIB, Colours.TOTAL, true)
          .paint(graphics, top + TITLE);
      top += TITLE + MEMORY;
    }
  }

  private void foot(int height, int shown) {
    String more =
        data.devices().size() > shown
            ? (data.devices().size() - shown) + " more devices are not drawn. "
            : "";
    text(
        more + "schedgpu report. Memory and jobs: the most of each point's time.",
        LEFT,
        height - 12,
        Colours.FAINT,
        12);
  }

  private void text(String text, int x, int y, Color colour, int size) {
    graphics.setColor(colour);
    graphics.setFont(size >= 16 ? Colours.bold(size) : Colours.plain(size));
    graphics.drawString(text, x, y);
  }
}
