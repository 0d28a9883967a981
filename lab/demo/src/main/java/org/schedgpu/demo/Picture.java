package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Sheet;
import org.schedgpu.demo.JobResult.Outcome;

/**
 * All runs in one picture: beside each other what the device did and what the jobs did.
 *
 * @param words its own
 * @param runs from top to bottom
 */
record Picture(Words words, List<RunResult> runs) {
  /**
   * What the picture says.
   *
   * @param title of all
   * @param about one line below it
   * @param foot the last line
   * @param ofThePaper true if the paper's times are to compare with
   */
  record Words(String title, String about, String foot, boolean ofThePaper) {}

  private static final int WIDTH = 1600;
  private static final int HEAD = 128;
  private static final int ROW = 268;
  private static final int ROW_TITLE = 42;
  private static final int MARGIN = 28;
  private static final int CHART_WIDTH = (WIDTH - 3 * MARGIN) / 2;
  private static final int CHART_HEIGHT = ROW - ROW_TITLE - 22;
  private static final int RIGHT_CHART = CHART_WIDTH + 2 * MARGIN;
  private static final int FOOT = 44;

  /**
   * Writes demo.png and demo.svg.
   *
   * @throws DemoException if one cannot be written
   */
  void write(Path folder) {
    try {
      sheet().writePng(folder.resolve("demo.png"));
      sheet().writeSvg(folder.resolve("demo.svg"));
    } catch (IOException e) {
      throw new DemoException("cannot write the picture into " + folder, e);
    }
  }

  private Sheet sheet() {
    int height = HEAD + ROW * runs.size() + FOOT;
    Sheet sheet = new Sheet(WIDTH, height);
    head(sheet);
    for (int i = 0; i < runs.size(); i++) {
      run(sheet, runs.get(i), HEAD + ROW * i);
    }
    return sheet.text(words.foot(), MARGIN, height - FOOT + 20, Palette.plain(13), Palette.FAINT);
  }

  private void head(Sheet sheet) {
    sheet
        .head(words.title(), words.about(), MARGIN)
        .legend(
            MARGIN,
            104,
            RIGHT_CHART,
            List.of(
                new Key(Palette.BLUE, "memory used (NVML)"),
                new Key(Palette.ORANGE, "GPU utilisation (NVML)")))
        .legend(
            RIGHT_CHART,
            104,
            WIDTH,
            List.of(
                new Key(Palette.PALEST_GREY, "in Slurm's queue"),
                new Key(Palette.PALE_GREY, "on the CPU"),
                new Key(Palette.RED, "waits for memory"),
                new Key(Palette.BLUE, "holds memory")))
        .text("waited", WIDTH - MARGIN - 52, 104, Palette.plain(14), Palette.TEXT);
  }

  private void run(Sheet sheet, RunResult run, int top) {
    String title = run.kind().title();
    int summaryAt = MARGIN + Sheet.width(title, Palette.bold(16)) + 18;
    double seconds = axisSeconds(run);
    int chartTop = top + ROW_TITLE;
    sheet
        .rectangle(MARGIN, top, WIDTH - 2 * MARGIN, 1, Palette.GRID)
        .text(title, MARGIN, top + 24, Palette.bold(16), Palette.TEXT)
        .text(summary(run), summaryAt, top + 24, Palette.plain(14), Palette.TEXT)
        .chart(RunCharts.usage(run, seconds), MARGIN, chartTop, CHART_WIDTH, CHART_HEIGHT)
        .chart(RunCharts.jobs(run, seconds), RIGHT_CHART, chartTop, CHART_WIDTH, CHART_HEIGHT);
  }

  private String summary(RunResult run) {
    long dead = run.jobs().size() - run.count(Outcome.COMPLETED);
    String paper =
        (words.ofThePaper() ? PaperRow.of(run.kind()) : Optional.<PaperRow>empty())
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
}
