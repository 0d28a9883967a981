package org.schedgpu.simulator.answer;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.imageio.ImageIO;
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
  private static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  private static final Color WAIT = new Color(0xd9, 0x8a, 0x3b);
  private static final Color COMPLETION = new Color(0x2f, 0x6f, 0xb7);
  private static final Color GAIN = new Color(0x3c, 0x9a, 0x77);
  private static final Color LOSE = new Color(0xb0, 0x3a, 0x2e);

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
    try (ByteArrayOutputStream png = new ByteArrayOutputStream()) {
      ImageIO.write(new AnswerPicture(answer).image(), "png", png);
      return png.toByteArray();
    } catch (IOException | LinkageError | InternalError | NullPointerException problem) {
      // Java fails in this way if fontconfig or all fonts are missing.
      throw new SimulatorException(
          "no picture can be drawn here (" + problem + ")",
          "install fontconfig and a font (fonts-dejavu-core), or leave --html and --png out");
    }
  }

  private BufferedImage image() {
    List<Summary> all = answer.summaries();
    int width = Math.min(WIDEST, Math.max(NARROWEST, WIDTH_OF_ONE * all.size()));
    List<String> lines = lines(width);
    int top = HEAD + lines.size() * LINE + 8;
    int charts = all.size() > 1 ? 3 : 1;
    BufferedImage image =
        new BufferedImage(width, top + charts * CHART, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, image.getHeight());
    graphics.setColor(TEXT);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 20));
    graphics.drawString(answer.headline(), LEFT, 32);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
    for (int i = 0; i < lines.size(); i++) {
      graphics.drawString(lines.get(i), LEFT, HEAD + (i + 1) * LINE - 4);
    }
    times(all, width).paint(graphics, top);
    if (charts > 1) {
      List<Summary> shared = all.subList(1, all.size());
      gains(shared, width).paint(graphics, top + CHART);
      losers(shared, width).paint(graphics, top + 2 * CHART);
    }
    graphics.dispose();
    return image;
  }

  private List<String> lines(int width) {
    List<String> lines = new ArrayList<>();
    lines.addAll(broken(answer.recommendationText(), width));
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

  private static BarChart times(List<Summary> all, int width) {
    return new BarChart("Mean times of a job", "hours", each(all, Summary::name), width, CHART)
        .bars("wait", each(all, s -> s.meanWaitS() / HOUR_S), WAIT)
        .bars("from submission to end", each(all, s -> s.meanCompletionS() / HOUR_S), COMPLETION);
  }

  /** The marks have the positions of the bars. */
  private static BarChart gains(List<Summary> shared, int width) {
    return new BarChart(
            "By how much sooner jobs end than with one job per GPU, on average",
            "%",
            each(shared, Summary::name),
            width,
            CHART)
        .overlapped()
        .bars("sooner", each(shared, s -> Math.max(0, s.gain().percent())), GAIN)
        .bars("later", each(shared, s -> Math.min(0, s.gain().percent())), LOSE)
        .marks("95 %: from", gains(shared, Gain::lowPercent), TEXT, true)
        .marks("95 %: to", gains(shared, Gain::highPercent), TEXT, false);
  }

  private static BarChart losers(List<Summary> shared, int width) {
    return new BarChart(
            "Jobs that end later than with one job per GPU",
            "% of the jobs",
            each(shared, Summary::name),
            width,
            CHART)
        .bars("lose", each(shared, Summary::losePercent), LOSE);
  }

  private static List<Double> gains(List<Summary> shared, Function<Gain, Double> end) {
    return each(shared, s -> end.apply(s.gain()));
  }
}
