package org.schedgpu.papers.common;

/**
 * A result beside the paper's.
 *
 * @param what was compared, with its unit
 * @param paper what the paper says
 * @param here what came out
 * @param difference between the two
 * @param why one sentence
 */
public record Row(String what, String paper, String here, String difference, String why) {
  /**
   * Two numbers, and by how many percent ours is larger.
   *
   * @param digits after the decimal point
   */
  public static Row of(String what, double paper, double here, int digits, String why) {
    return new Row(
        what,
        Numbers.plain(paper, digits),
        Numbers.plain(here, digits),
        Numbers.percent(100 * (here / paper - 1)),
        why);
  }

  /**
   * Two percentages, and their difference in points.
   *
   * @param digits after the decimal point
   */
  public static Row ofPercent(String what, double paper, double here, int digits, String why) {
    return new Row(
        what,
        Numbers.plain(paper, digits),
        Numbers.plain(here, digits),
        Numbers.signed(here - paper, digits) + " points",
        why);
  }

  /** Words of the paper beside what came out. */
  public static Row ofShape(String what, String paper, String here, boolean same, String why) {
    return new Row(what, paper, here, same ? "same" : "differs", why);
  }
}
