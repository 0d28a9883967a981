package org.schedgpu.simulator.answer;

import java.util.List;
import java.util.Locale;
import org.schedgpu.simulator.result.Gain;
import org.schedgpu.simulator.result.Summary;

/** The answer as text, at most 80 columns wide. */
public final class Tables {
  private static final int WIDTH = 80;
  private static final String ROW = "%-18s %7s %7s %7s %7s %7s %7s %5s %7s%n";

  private Tables() {}

  /** The whole answer. */
  public static String of(Answer answer) {
    StringBuilder text = new StringBuilder();
    text.append(answer.headline()).append('\n');
    answer.leftOutLines().forEach(line -> text.append(wrapped(line)));
    answer.assumptions().forEach(line -> text.append(wrapped("assumed: " + line)));
    text.append('\n');
    text.append(
        String.format(ROW, "", "wait", "wait", "compl.", "compl.", "slow-", "GPU h", "lose", "by"));
    text.append(
        String.format(
            ROW, "configuration", "mean", "p95", "mean", "p95", "down", "in use", "%", "median"));
    answer.summaries().forEach(summary -> text.append(row(summary)));
    text.append('\n');
    gains(answer, text);
    text.append(wrapped(answer.recommendationText()));
    return text.toString();
  }

  private static String row(Summary s) {
    return String.format(
        Locale.ROOT,
        ROW,
        s.name(),
        time(s.meanWaitS()),
        time(s.p95WaitS()),
        time(s.meanCompletionS()),
        time(s.p95CompletionS()),
        String.format(Locale.ROOT, s.meanSlowdown() < 1000 ? "%.2f" : "%.0f", s.meanSlowdown()),
        String.format(Locale.ROOT, s.gpuHours() < 1000 ? "%.1f" : "%.0f", s.gpuHours()),
        s.gain() == null ? "" : String.format(Locale.ROOT, "%.1f", s.losePercent()),
        s.gain() == null ? "" : time(s.medianLossS()));
  }

  private static void gains(Answer answer, StringBuilder text) {
    for (Summary s : answer.summaries()) {
      if (s.gain() != null) {
        text.append(wrapped(s.name() + ": " + gain(s.gain()) + warnings(s)));
      }
    }
  }

  /** Warnings, one line for each configuration. */
  static List<String> warnings(Answer answer) {
    return answer.summaries().stream()
        .filter(s -> !warnings(s).isEmpty())
        .map(s -> s.name() + warnings(s).replaceFirst(";", ":"))
        .toList();
  }

  private static String gain(Gain gain) {
    String percent =
        String.format(
            Locale.ROOT,
            "jobs end %.1f %% %s on average",
            Math.abs(gain.percent()),
            gain.percent() < 0 ? "later" : "sooner");
    return gain.hasInterval()
        ? percent
            + " (95 %: "
            + percent(gain.lowPercent())
            + " to "
            + percent(gain.highPercent())
            + ")"
        : percent;
  }

  private static String warnings(Summary s) {
    String over = s.overLimit() == 0 ? "" : "; " + s.overLimit() + " jobs exceed their time limit";
    return s.neverEnded() == 0
        ? over
        : over
            + "; "
            + s.neverEnded()
            + " jobs never end: they wait for each other on several nodes";
  }

  /** With one digit; nothing is "-0.0". */
  static String percent(double percent) {
    return String.format(Locale.ROOT, "%.1f", Math.round(10 * percent) / 10.0);
  }

  /** Two units at most. */
  static String time(double seconds) {
    long s = Math.round(seconds);
    if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1fs", seconds);
    } else if (s < 60) {
      return s + "s";
    } else if (s < 3600) {
      return String.format("%dm%02ds", s / 60, s % 60);
    } else if (s < 86_400) {
      return String.format("%dh%02dm", s / 3600, s % 3600 / 60);
    }
    return String.format("%dd%02dh", s / 86_400, s % 86_400 / 3600);
  }

  /** Long lines continue below, indented. */
  private static String wrapped(String line) {
    StringBuilder text = new StringBuilder();
    int column = 0;
    for (String word : line.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > WIDTH) {
        text.append("\n  ");
        column = 2;
      } else if (column > 0) {
        text.append(' ');
        column++;
      }
      text.append(word);
      column += word.length();
    }
    return text.append('\n').toString();
  }
}
