package org.schedgpu.simulator.answer;

import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.schedgpu.charts.BarChart;
import org.schedgpu.charts.BarChart.Bars;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Sheet;
import org.schedgpu.simulator.problem.SimulatorException;
import org.schedgpu.simulator.result.Gain;
import org.schedgpu.simulator.result.Summary;

/**
 * The answer as PNG: times, gains and losers of each configuration. Needs no display, but a font.
 */
public final class AnswerPicture {
  private static final int NARROWEST = 1000;
  private static final int WIDEST = 4000;
  private static final int WIDTH_OF_ONE = 60;
  private static final int CHART = 330;
  private static final int LEFT = 20;
  private static final int LINE = 19;
  private static final int HEAD = 46;
  private static final double HOUR_S = 3600;

  private final Answer answer;

  private AnswerPicture(Answer answer) {
    this.answer = answer;
  }

  /**
   * Returns the picture as a PNG file.
   *
   * @throws SimulatorException if there is no font
   */
  public static byte[] png(Answer answer) {
    // A node has no display, and a picture must not use an existing one.
    System.setProperty("java.awt.headless", "true");
    try {
      return new AnswerPicture(answer).sheet().png();
    } catch (IOException | LinkageError | InternalError | NullPointerException problem) {
      // Java fails in this way if fontconfig or all fonts are missing.
      throw new SimulatorException(
          "no picture can be drawn here (" + problem + ")",
          "install fontconfig and a font (fonts-dejavu-core), or leave --html and --png out");
    }
  }

  private Sheet sheet() {
    List<Summary> all = answer.summaries();
    int width = Math.min(WIDEST, Math.max(NARROWEST, WIDTH_OF_ONE * all.size()));
    List<String> lines = lines(width);
    int top = HEAD + lines.size() * LINE + 8;
    int charts = all.size() > 1 ? 3 : 1;
    Sheet sheet = new Sheet(width, top + charts * CHART);
    sheet.text(answer.headline(), LEFT, 32, Palette.bold(20), Palette.TEXT);
    for (int i = 0; i < lines.size(); i++) {
      int y = HEAD + (i + 1) * LINE - 4;
      sheet.text(lines.get(i), LEFT, y, Palette.plain(13), Palette.TEXT);
    }
    sheet.chart(times(all), 0, top, width, CHART);
    if (charts > 1) {
      List<Summary> shared = all.subList(1, all.size());
      sheet.chart(gains(shared), 0, top + CHART, width, CHART);
      sheet.chart(losers(shared), 0, top + 2 * CHART, width, CHART);
      if (shared.stream().allMatch(s -> isNothing(s.gain().percent()))) {
        empty(
            sheet,
            top + CHART,
            width,
            "no configuration differs: jobs end as with one job per GPU");
      }
      if (shared.stream().allMatch(s -> isNothing(s.losePercent()))) {
        empty(sheet, top + 2 * CHART, width, "no job ends later, whatever the configuration");
      }
    }
    return sheet;
  }

  /** Shown as 0.0 in the table: too short for a bar. */
  private static boolean isNothing(double percent) {
    return Tables.percent(percent).equals("0.0");
  }

  /** Says in the middle of a chart why it has no bars. */
  private static void empty(Sheet sheet, int top, int width, String why) {
    int x = (width - Sheet.width(why, Palette.bold(15))) / 2;
    sheet.text(why, x, top + CHART / 2, Palette.bold(15), Palette.TEXT);
  }

  private List<String> lines(int width) {
    List<String> lines = new ArrayList<>();
    lines.addAll(broken(answer.recommendationText(), width));
    answer.leftOutLines().forEach(line -> lines.addAll(broken(line, width)));
    answer.assumptions().forEach(line -> lines.addAll(broken("Assumed: " + line + ".", width)));
    return lines;
  }

  /** A character of the font is about 7 pixels wide. */
  private static List<String> broken(String text, int width) {
    int most = (width - 2 * LEFT) / 7;
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > most) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  private static <T> List<T> each(List<Summary> summaries, Function<Summary, T> value) {
    List<T> values = new ArrayList<>(summaries.size());
    summaries.forEach(summary -> values.add(value.apply(summary)));
    return values;
  }

  private static BarChart chart(String title, String unit, List<Summary> summaries) {
    return new BarChart(each(summaries, Summary::name)).title(title).axis(unit);
  }

  private static BarChart times(List<Summary> all) {
    return chart("Mean times of a job", "hours", all)
        .add(new Bars("wait", Palette.ORANGE, each(all, s -> s.meanWaitS() / HOUR_S)))
        .add(
            new Bars(
                "from submission to end",
                Palette.BLUE,
                each(all, s -> s.meanCompletionS() / HOUR_S)));
  }

  private static BarChart gains(List<Summary> shared) {
    return chart("By how much sooner jobs end than with one job per GPU, on average", "%", shared)
        .overlapped()
        .add(gains("sooner (line: 95 % interval)", Palette.GREEN, shared, true))
        .add(gains("later", Palette.RED, shared, false));
  }

  private static Bars gains(String name, Color colour, List<Summary> shared, boolean sooner) {
    return new Bars(
            name, colour, gains(shared, g -> g.percent() >= 0 == sooner ? g.percent() : null))
        .between(gains(shared, Gain::lowPercent), gains(shared, Gain::highPercent));
  }

  private static BarChart losers(List<Summary> shared) {
    return chart("Jobs that end later than with one job per GPU", "% of the jobs", shared)
        .add(new Bars("lose", Palette.RED, each(shared, Summary::losePercent)));
  }

  private static List<Double> gains(List<Summary> shared, Function<Gain, Double> end) {
    return each(shared, s -> end.apply(s.gain()));
  }
}
