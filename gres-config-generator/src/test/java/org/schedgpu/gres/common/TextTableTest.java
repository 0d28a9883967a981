package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirWidestWord() {
    TextTable table = new TextTable("NODE", "N");
    table.row("a", "10");
    table.row("longer", "9");
    assertEquals("NODE    N\na       10\nlonger  9\n", table.text());
  }

  @Test
  void longWordsLoseTheirMiddle() {
    TextTable table = new TextTable("NODE", "TYPE");
    table.row("abc" + "x".repeat(200) + "yz1", "k20m");
    String row = table.text(80).lines().toList().get(1);
    assertEquals(80, row.length());
    assertEquals("abc", row.substring(0, 3));
    assertEquals("yz1  k20m", row.substring(71));
    assertEquals(1, row.chars().filter(c -> c == '~').count());
  }

  @Test
  void severalLongWordsShareTheLine() {
    TextTable table = new TextTable("NODE", "BEFORE", "AFTER", "SHARES", "ORDER", "A SHARE");
    table.row(
        "n".repeat(255),
        "gpu:16",
        "gpu:" + "t".repeat(63) + ":1024",
        "16 x 64",
        "spread",
        "0.1 GiB");
    assertEquals(80, table.text(80).lines().mapToInt(String::length).max().getAsInt());
  }
}
