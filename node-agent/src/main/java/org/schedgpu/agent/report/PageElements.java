package org.schedgpu.agent.report;

import java.util.List;
import java.util.Locale;
import org.schedgpu.charts.Html;

/** HTML elements that several parts of the page use. */
final class PageElements {
  private PageElements() {}

  /** A number with its name. */
  static void tile(Html html, String title, String value, String note) {
    html.raw("<div><dt>").text(title).raw("</dt><dd>").text(value);
    html.raw("<small>").text(note).raw("</small></dd></div>");
  }

  /** What ran unscheduled; nothing where nothing did. */
  static void unscheduled(Html html, String what, long count, Long largestBytes) {
    if (count > 0) {
      tile(
          html,
          "Ran unscheduled",
          NumberText.number(count),
          what
              + (largestBytes == null
                  ? ", with an unknown amount"
                  : ", with up to " + NumberText.size(largestBytes)));
    }
  }

  /** A cell with a bar, and its meaning beside it. */
  static void bar(Html html, String kind, long value, long most, String text) {
    html.raw("<td class=\"bar\"><div><span class=\"fill ").raw(kind).raw("\" style=\"--part:");
    html.raw(part(value, most)).raw("\"></span><span>").text(text).raw("</span></div></td>");
  }

  /** The length in percent of the longest bar. */
  static String part(long value, long most) {
    return String.format(Locale.ROOT, "%.3f", Math.min(1, value / (double) Math.max(1, most)));
  }

  /** In the form of CSS. */
  static String percent(long part, long whole) {
    return String.format(Locale.ROOT, "%.3f%%", 100.0 * part / Math.max(1, whole));
  }

  static void heads(Html html, String... titles) {
    for (String title : titles) {
      html.raw("<th scope=\"col\">").text(title);
    }
  }

  static void cells(Html html, String... values) {
    for (String value : List.of(values)) {
      html.raw("<td class=\"number\">").text(value).raw("</td>");
    }
  }

  /** A section with its heading; the caller ends it. */
  static void section(Html html, String id, String title) {
    html.raw("<section aria-labelledby=\"h-").raw(id).raw("\"><h2 id=\"h-").raw(id).raw("\">");
    html.text(title).raw("</h2>");
  }

  /** Opens a wide table inside a scrolling element; the caller closes both. */
  static void table(Html html, String id, String caption) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h-").raw(id);
    html.raw("\"><table class=\"").raw(id).raw("\"><caption>").text(caption).raw("</caption>");
  }
}
