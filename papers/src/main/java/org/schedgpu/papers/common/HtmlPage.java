package org.schedgpu.papers.common;

import java.util.List;

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
    StringBuilder html = new StringBuilder(HEAD);
    for (Part part : parts) {
      html.append("<h2>Paper %s: %s</h2>\n".formatted(part.paper(), escaped(part.title())));
      part.text().forEach(text -> html.append("<p>").append(escaped(text)).append("</p>\n"));
      part.tables().forEach(table -> add(html, table));
      for (Picture picture : part.pictures()) {
        html.append(
            "<figure><img src=\"%s\" alt=\"%s\"><figcaption>%s</figcaption></figure>\n"
                .formatted(
                    escaped(picture.file()),
                    escaped(picture.caption()),
                    escaped(picture.caption())));
      }
    }
    return html.append("</body></html>\n").toString();
  }

  private static void add(StringBuilder html, Table table) {
    html.append("<table><caption>").append(escaped(table.title())).append("</caption>\n");
    row(html, "th", table.head());
    table.rows().forEach(cells -> row(html, "td", cells));
    html.append("</table>\n");
  }

  private static void row(StringBuilder html, String element, List<String> cells) {
    html.append("<tr>");
    for (String cell : cells) {
      html.append("<%s>%s</%s>".formatted(element, escaped(cell), element));
    }
    html.append("</tr>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
