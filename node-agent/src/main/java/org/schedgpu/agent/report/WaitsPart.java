package org.schedgpu.agent.report;

import java.util.List;

/** Waits by user. */
final class WaitsPart {
  private WaitsPart() {}

  static void write(List<UserWaits> waits, Html html) {
    Bits.section(html, "waits", "Waits by user");
    if (waits.isEmpty()) {
      html.raw("<p>No jobs.</p></section>\n");
      return;
    }
    long most = waits.stream().mapToLong(UserWaits::meanNs).max().orElse(1);
    Bits.table(html, "waits", "Waits of a user’s jobs for memory, who waited most in all first");
    html.raw("<thead><tr>");
    Bits.heads(html, "User", "Mean of a job", "Median", "95 %", "Longest", "In all");
    Bits.heads(html, "Jobs", "Waited", "Gave up");
    html.raw("</tr></thead><tbody>");
    for (UserWaits user : waits) {
      html.raw("<tr><th scope=\"row\">").name(user.user());
      Bits.bar(html, "waiting", user.meanNs(), most, Words.duration(user.meanNs()));
      Bits.cells(
          html,
          Words.duration(user.p50Ns()),
          Words.duration(user.p95Ns()),
          Words.duration(user.longestNs()),
          Words.duration(user.totalNs()),
          Words.number(user.jobs()),
          Words.number(user.waited()),
          Words.number(user.gaveUp()));
      html.raw("</tr>");
    }
    html.raw("</tbody></table></div></section>\n");
  }
}
