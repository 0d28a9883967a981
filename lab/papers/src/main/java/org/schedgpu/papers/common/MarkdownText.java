package org.schedgpu.papers.common;

import java.util.List;

/** Parts as Markdown. */
public final class MarkdownText {
  private MarkdownText() {}

  /** Of parts of one paper, one after the other. */
  public static String of(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      text.append("### ").append(part.title()).append("\n\n");
      part.text().forEach(paragraph -> text.append(paragraph).append("\n\n"));
      part.tables().forEach(table -> text.append(of(table)).append('\n'));
    }
    return text.toString();
  }

  private static String of(Table table) {
    StringBuilder text = new StringBuilder(table.title()).append(":\n\n");
    line(text, table.head());
    line(text, table.head().stream().map(column -> "---").toList());
    table.rows().forEach(row -> line(text, row));
    return text.toString();
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append('|');
    cells.forEach(cell -> text.append(' ').append(cell.replace("|", "\\|")).append(" |"));
    text.append('\n');
  }
}
