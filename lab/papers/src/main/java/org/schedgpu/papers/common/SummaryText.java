package org.schedgpu.papers.common;

import java.util.List;
import java.util.Locale;

/** The most telling rows as text, at most 80 columns wide. */
public final class SummaryText {
  private static final int WHAT = 33;

  private SummaryText() {}

  /** Of all parts. */
  public static String of(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    text.append(line("", "what", "paper", "here", "difference"));
    for (Part part : parts) {
      for (Row row : part.highlights()) {
        text.append(line(part.paper(), row.what(), row.paper(), row.here(), row.difference()));
      }
    }
    return text.toString();
  }

  private static String line(String paper, String what, String there, String here, String off) {
    String words = what.length() > WHAT ? what.substring(0, WHAT - 1) + "…" : what;
    String text =
        String.format(Locale.ROOT, "%-3s %-33s %11s %17s %s%n", paper, words, there, here, off);
    return text.replaceAll(" +\n", "\n");
  }
}
