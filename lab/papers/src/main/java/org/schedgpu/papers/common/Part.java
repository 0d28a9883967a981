package org.schedgpu.papers.common;

import java.util.List;

/**
 * What was reproduced together: some tables and figures of one paper.
 *
 * @param paper its number: 001
 * @param title names the tables and figures
 * @param text what was done, and what stands in for what is not public
 * @param tables with the results
 * @param pictures of them
 * @param highlights the rows of the summary: few
 */
public record Part(
    String paper,
    String title,
    List<String> text,
    List<Table> tables,
    List<Picture> pictures,
    List<Row> highlights) {
  public Part {
    text = List.copyOf(text);
    tables = List.copyOf(tables);
    pictures = List.copyOf(pictures);
    highlights = List.copyOf(highlights);
  }
}
