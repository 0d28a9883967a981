package org.schedgpu.agent.report;

import java.awt.Color;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Series;
import org.schedgpu.charts.Sheet;

/** The charts of a report as PNG. Needs no display, but a font. */
public final class ReportPicture {
  private static final int WIDTH = 1200;
  private static final int LEFT = 24;
  private static final int HEAD = 226;
  private static final int JOB_HEAD = 92;
  private static final int TITLE = 34;
  private static final int MEMORY = 270;
  private static final int ACTIVITY = 180;
  private static final int FOOT = 30;
  private static final int MAX_DEVICES = 16;
  private static final int BAR_LEFT = 330;
  private static final int BAR_WIDTH = 520;
  private static final int RIGHT_AXIS = 48;
  private static final double FEWEST_JOBS = 4;
  private static final double GIB = 1L << 30;

  private final ReportData data;
  private final Sheet sheet;

  private ReportPicture(ReportData data) {
    this.data = data;
    sheet = new Sheet(WIDTH, height());
  }

  /**
   * Returns the picture as a PNG file.
   *
   * @throws ReportException if there is no font
   */
  public static byte[] png(ReportData data) {
    // A compute node has no display, and a report must not use an existing one.
    System.setProperty("java.awt.headless", "true");
    try {
      return new ReportPicture(data).build().png();
    } catch (IOException | LinkageError | InternalError | NullPointerException problem) {
      // Java fails in this way if fontconfig or all fonts are missing.
      throw new ReportException(
          "no picture can be drawn on this node ("
              + problem
              + "): install fontconfig and a font (fonts-dejavu-core), or leave --png out",
          problem);
    }
  }

  private Sheet build() {
    title();
    if (data.job() != null) {
      job();
    } else {
      node();
    }
    foot();
    return sheet;
  }

  private int height() {
    return data.job() != null
        ? JOB_HEAD + data.job().devices().size() * (TITLE + MEMORY) + FOOT
        : HEAD + shownDevices() * (TITLE + MEMORY + ACTIVITY) + FOOT;
  }

  private int shownDevices() {
    return Math.min(MAX_DEVICES, data.devices().size());
  }

  private void title() {
    String title =
        data.job() != null
            ? "Job " + data.job().job() + " on " + data.node()
            : "GPU sharing on " + data.node();
    String time =
        NumberText.moment(data.window().fromNs(), data.timeZone())
            + " to "
            + NumberText.moment(data.window().untilNs(), data.timeZone())
            + " ("
            + data.timeZone()
            + ")";
    sheet.head(title, time + (data.emulated() ? ". Emulated GPUs." : ""), LEFT);
  }

  private void node() {
    Comparison comparison = data.comparison();
    text(new Verdict(comparison).sentence(), LEFT, 96, Palette.TEXT, 14);
    if (comparison.shared().jobs() > 0) {
      Outcome shared = comparison.shared();
      Outcome alone = comparison.exclusive();
      pair(118, "From arrival to end, mean", shared.meanTurnaroundNs(), alone.meanTurnaroundNs());
      pair(154, "A job's wait, mean", shared.meanWaitNs(), alone.meanWaitNs());
      pair(190, "GPU time with a job on it", shared.occupiedNs(), alone.occupiedNs());
    }
    int top = HEAD;
    for (DeviceReport device : data.devices().subList(0, shownDevices())) {
      deviceTitle(device.device(), device.name(), top);
      sheet
          .chart(memory(device), 0, top + TITLE, WIDTH - RIGHT_AXIS, MEMORY)
          .chart(activity(device), 0, top + TITLE + MEMORY, WIDTH, ACTIVITY);
      top += TITLE + MEMORY + ACTIVITY;
    }
  }

  private void deviceTitle(int device, String name, int top) {
    sheet.text("GPU " + device + ": " + name, LEFT, top + 24, Palette.bold(16), Palette.TEXT);
  }

  private void pair(int top, String what, long shared, long alone) {
    text(what, LEFT, top + 18, Palette.TEXT, 13);
    long most = Math.max(1, Math.max(shared, alone));
    bar(top, "shared", shared, most, Palette.BLUE);
    bar(top + 15, "one per GPU", alone, most, Palette.PALE_GREY);
  }

  private void bar(int top, String what, long ns, long most, Color colour) {
    int width = (int) Math.max(1, Math.round((double) BAR_WIDTH * ns / most));
    text(what, BAR_LEFT - 96, top + 11, Palette.FAINT, 12);
    sheet.rectangle(BAR_LEFT, top, width, 12, colour);
    text(NumberText.duration(ns), BAR_LEFT + width + 8, top + 11, Palette.TEXT, 12);
  }

  private LineChart memory(DeviceReport device) {
    TimeSeries course = device.course();
    List<Double> at = TimeSeriesChart.times(course.timeMs());
    return TimeSeriesChart.of(data, "GiB", device.totalBytes() / GIB)
        .add(Series.area("granted", at, gib(course.grantedBytes()), Palette.PALE_BLUE))
        .add(Series.area("in use", at, gib(course.inUseBytes()), Palette.BLUE))
        .add(
            Series.steps("used, says NVML", at, gib(course.nvmlUsedBytes()), Palette.BROWN)
                .asDashes())
        .add(Series.steps("total", at, gib(course.totalBytes()), Palette.GREY).asDashes());
  }

  private static List<Double> gib(List<Long> bytes) {
    return TimeSeriesChart.in(GIB, bytes);
  }

  private LineChart activity(DeviceReport device) {
    TimeSeries course = device.course();
    double most =
        Stream.concat(course.jobs().stream(), course.waiting().stream())
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    List<Double> at = TimeSeriesChart.times(course.timeMs());
    List<Double> utilisation = TimeSeriesChart.in(1, course.utilisationPercent());
    return TimeSeriesChart.of(data, "jobs", Math.max(FEWEST_JOBS, most))
        .add(
            Series.area("jobs that wait", at, TimeSeriesChart.in(1, course.waiting()), Palette.RED))
        .add(Series.line("utilisation", at, utilisation, Palette.ORANGE).asPercent())
        .add(
            Series.steps(
                    "jobs that hold memory", at, TimeSeriesChart.in(1, course.jobs()), Palette.BLUE)
                .asDashes());
  }

  private void job() {
    JobDetail job = data.job();
    String waited = NumberText.duration(job.waitedNs());
    String held = NumberText.duration(job.heldNs());
    text(
        job.name() + " of " + job.user() + ": waited " + waited + ", held memory for " + held,
        LEFT,
        88,
        Palette.TEXT,
        14);
    int top = JOB_HEAD;
    for (JobDetail.Share share : job.devices()) {
      deviceTitle(share.device(), share.name(), top);
      sheet.chart(memory(share), 0, top + TITLE, WIDTH - RIGHT_AXIS, MEMORY);
      top += TITLE + MEMORY;
    }
  }

  private LineChart memory(JobDetail.Share share) {
    List<Double> at = TimeSeriesChart.times(share.timeMs());
    return TimeSeriesChart.of(data, "GiB", share.totalBytes() / GIB)
        .add(Series.area("held by this job", at, gib(share.heldBytes()), Palette.PALE_BLUE))
        .add(Series.area("in use by this job", at, gib(share.inUseBytes()), Palette.BLUE))
        .add(
            Series.steps("held by its neighbours", at, gib(share.othersBytes()), Palette.GREY)
                .asDashes());
  }

  private void foot() {
    int left = data.devices().size() - shownDevices();
    text(
        (left > 0 ? left + " more devices are not drawn. " : "")
            + "schedgpu report. Memory and jobs: the most of each point's time.",
        LEFT,
        height() - 12,
        Palette.FAINT,
        12);
  }

  private void text(String text, int x, int y, Color colour, int size) {
    sheet.text(text, x, y, Palette.plain(size), colour);
  }
}
