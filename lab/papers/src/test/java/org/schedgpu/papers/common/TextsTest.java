package org.schedgpu.papers.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextsTest {
  private static final Row ROW = Row.of("total <time> | s", 542.51, 449.2, 1, "Why.");

  private static Part part(Row... rows) {
    return new Part(
        "001",
        "Table 3",
        List.of("Text."),
        List.of(Table.comparison("Totals", List.of(rows))),
        List.of(),
        List.of(rows));
  }

  @Test
  void aDifferenceIsInPercentOfThePaper() {
    assertEquals("542.5", ROW.paper());
    assertEquals("449.2", ROW.here());
    assertEquals("-17.2 %", ROW.difference());
  }

  @Test
  void percentagesDifferByPoints() {
    assertEquals("+1.5 points", Row.ofPercent("busy", 8, 9.5, 1, "").difference());
  }

  @Test
  void nothingIsNeitherMoreNorLess() {
    assertEquals("0.0", Numbers.signed(-0.01, 1));
    assertEquals("+0.1", Numbers.signed(0.12, 1));
    assertEquals("-1,234.6", Numbers.signed(-1234.56, 1));
  }

  @Test
  void aSpreadIsTheStandardDeviationOfASample() {
    Spread spread = Spread.of(List.of(1.0, 2.0, 3.0));
    assertEquals(2, spread.mean());
    assertEquals(1, spread.deviation(), 1e-12);
    assertEquals(1, spread.least());
    assertEquals(3, spread.most());
    assertEquals(0, Spread.of(List.of(5.0)).deviation());
  }

  @Test
  void markdownHasOneLineForEachRow() {
    assertEquals(
        """
        ### Table 3

        Text.

        Totals:

        | What | Paper | Here | Difference | Why |
        | --- | --- | --- | --- | --- |
        | total <time> \\| s | 542.5 | 449.2 | -17.2 % | Why. |

        """,
        MarkdownText.of(List.of(part(ROW))));
  }

  @Test
  void htmlIsEscaped() {
    String html = HtmlPage.of(List.of(part(ROW)));
    assertTrue(html.contains("<td>total &lt;time&gt; | s</td><td>542.5</td>"), html);
  }

  @Test
  void theSummaryIsAtMost80ColumnsWide() {
    Row wide = new Row("w".repeat(60), "1,234.5", "1,262.9 ± 1,168.7", "-47.0 points", "");
    String text = SummaryText.of(List.of(part(ROW, wide)));
    assertEquals(3, text.lines().count());
    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
    assertTrue(text.contains("1,262.9 ± 1,168.7"), text);
  }
}
