package org.schedgpu.simulator.answer;

import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.schedgpu.charts.Html;
import org.schedgpu.simulator.result.Gain;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;

/**
 * The answer as a page: one self-contained HTML file without scripts. All text from the input is
 * escaped.
 */
public final class AnswerPage {
  private static final String STYLE =
      """
      :root { --paper: #ffffff; --panel: #f5f7fa; --text: #222b36; --faint: #566170; --line: #d9dfe6; }
      @media (prefers-color-scheme: dark) {
        :root { --paper: #14181d; --panel: #1d232a; --text: #e6eaef; --faint: #a3adb8; --line: #343c46; }
      }
      body {
        margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--paper); color: var(--text);
        font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      }
      h1 { font-size: 1.7rem; line-height: 1.2; }
      h2 { font-size: 1.25rem; margin: 2rem 0 0.4em; }
      .verdict { padding: 0.6em 0.9em; border-left: 4px solid #0b6e4f; background: var(--panel); font-size: 1.1rem; }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
      th, td { padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
      th:first-child { text-align: left; }
      thead th { white-space: normal; color: var(--faint); font-size: 0.88rem; vertical-align: bottom; }
      tr.chosen { background: var(--panel); font-weight: 600; }
      li, footer { color: var(--faint); overflow-wrap: anywhere; }
      img { max-width: 100%; height: auto; background: #ffffff; border-radius: 8px; }
      """;
  private static final List<String> HEADS =
      List.of(
          "configuration",
          "wait, mean",
          "wait, p95",
          "completion, mean",
          "completion, p95",
          "slowdown",
          "GPU hours",
          "sooner by",
          "95 %",
          "jobs that lose",
          "by, median");

  private final Html page = new Html();

  private AnswerPage() {}

  /**
   * The page.
   *
   * @param picture the same charts as PNG
   */
  public static String of(Answer answer, byte[] picture) {
    AnswerPage made = new AnswerPage();
    made.head();
    made.body(answer, picture);
    return made.page.toString();
  }

  private void head() {
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';");
    page.raw(" style-src 'unsafe-inline'; img-src data:; base-uri 'none';");
    page.raw(" form-action 'none'\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.raw("<title>schedGPU: what sharing would do</title>\n<style>\n");
    page.raw(STYLE).raw("</style>\n</head>\n<body>\n");
  }

  private void body(Answer answer, byte[] picture) {
    page.raw("<h1>").text(answer.headline()).raw("</h1>\n");
    page.raw("<p class=\"verdict\">").text(answer.recommendationText());
    page.raw("</p>\n<div class=\"scroll\"><table>\n<thead><tr>");
    HEADS.forEach(head -> page.raw("<th scope=\"col\">").raw(head).raw("</th>"));
    page.raw("</tr></thead>\n<tbody>\n");
    answer.summaries().forEach(summary -> row(summary, answer.recommendation()));
    page.raw("</tbody></table></div>\n<p><img alt=\"Mean wait and completion, gain and jobs ");
    page.raw("that lose, for each configuration; the numbers are in the table\" ");
    page.raw("src=\"data:image/png;base64,");
    page.raw(Base64.getEncoder().encodeToString(picture)).raw("\"></p>\n");
    list("Beware", Tables.warnings(answer));
    list("Assumed", answer.assumptions());
    list("Not played", answer.leftOutLines());
    page.raw("<footer><p>Played by schedgpu simulate: nothing here was measured on a GPU. ");
    page.raw("Waits end when a job has its device memory. A job loses if it ends later than ");
    page.raw("with one job per GPU, by more than 1 % and a second. The interval is a ");
    page.raw("bootstrap over the days on which jobs were submitted.</p></footer>\n");
    page.raw("</body>\n</html>\n");
  }

  private void row(Summary s, Recommendation recommended) {
    boolean shared = s.gain() != null;
    page.raw(s.name().equals(recommended.name()) ? "<tr class=\"chosen\">" : "<tr>");
    page.raw("<th scope=\"row\">").text(s.name()).raw("</th>");
    cell(Tables.time(s.meanWaitS()));
    cell(Tables.time(s.p95WaitS()));
    cell(Tables.time(s.meanCompletionS()));
    cell(Tables.time(s.p95CompletionS()));
    cell(String.format(Locale.ROOT, "%.2f", s.meanSlowdown()));
    cell(String.format(Locale.ROOT, "%.1f", s.gpuHours()));
    cell(shared ? Tables.percent(s.gain().percent()) + " %" : "");
    cell(shared ? interval(s.gain()) : "");
    cell(shared ? String.format(Locale.ROOT, "%.1f %%", s.losePercent()) : "");
    cell(shared ? Tables.time(s.medianLossS()) : "");
    page.raw("</tr>\n");
  }

  private static String interval(Gain gain) {
    return gain.hasInterval()
        ? Tables.percent(gain.lowPercent()) + " to " + Tables.percent(gain.highPercent())
        : "not known";
  }

  private void cell(String text) {
    page.raw("<td>").text(text).raw("</td>");
  }

  private void list(String title, List<String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    page.raw("<h2>").raw(title).raw("</h2>\n<ul>\n");
    lines.forEach(line -> page.raw("<li>").text(line).raw("</li>\n"));
    page.raw("</ul>\n");
  }
}
