package org.schedgpu.papers.common;

import java.util.List;
import org.schedgpu.charts.Html;

/** Parts as one HTML page with pictures beside it. */
public final class HtmlPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>schedGPU: the papers</title>
      <style>
      body { font: 15px/1.5 sans-serif; color: #222b36; max-width: 72em; margin: 2em auto; padding: 0 1em }
      table { border-collapse: collapse; margin: 1em 0 }
      th, td { text-align: left; vertical-align: top; padding: .25em .8em; border-bottom: 1px solid #e4e8ed }
      caption { text-align: left; font-weight: bold; padding: .3em 0 }
      figure { margin: 1em 0 } img { max-width: 100%; border: 1px solid #e4e8ed }
      figcaption { color: #566170 }
      </style></head><body>
      <h1>The papers' tables and figures, and ours</h1>
      """;

  private HtmlPage() {}

  /** The page. */
  public static String of(List<Part> parts) {
    Html html = new Html().raw(HEAD);
    for (Part part : parts) {
      html.raw("<h2>Paper ").text(part.paper() + ": " + part.title()).raw("</h2>\n");
      part.text().forEach(text -> html.raw("<p>").text(text).raw("</p>\n"));
      part.tables().forEach(table -> add(html, table));
      for (Picture picture : part.pictures()) {
        html.raw("<figure><img src=\"").text(picture.file()).raw("\" alt=\"");
        html.text(picture.caption()).raw("\"><figcaption>").text(picture.caption());
        html.raw("</figcaption></figure>\n");
      }
    }
    return html.raw("</body></html>\n").toString();
  }

  private static void add(Html html, Table table) {
    html.raw("<table><caption>").text(table.title()).raw("</caption>\n");
    row(html, "th", table.head());
    table.rows().forEach(cells -> row(html, "td", cells));
    html.raw("</table>\n");
  }

  private static void row(Html html, String element, List<String> cells) {
    html.raw("<tr>");
    for (String cell : cells) {
      html.raw("<" + element + ">").text(cell).raw("</" + element + ">");
    }
    html.raw("</tr>\n");
  }
}
