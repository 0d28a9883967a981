package org.schedgpu.papers.common;

import java.util.List;

/**
 * A table.
 *
 * @param title above it
 * @param head names of the columns
 * @param rows their texts
 */
public record Table(String title, List<String> head, List<List<String>> rows) {
  private static final List<String> COMPARISON =
      List.of("What", "Paper", "Here", "Difference", "Why");

  public Table {
    head = List.copyOf(head);
    rows = rows.stream().map(List::copyOf).toList();
  }

  /** Results beside those of the paper. */
  public static Table comparison(String title, List<Row> rows) {
    return new Table(
        title,
        COMPARISON,
        rows.stream()
            .map(row -> List.of(row.what(), row.paper(), row.here(), row.difference(), row.why()))
            .toList());
  }
}
