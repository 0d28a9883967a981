package org.schedgpu.agent.report;

import java.util.List;
import org.schedgpu.charts.Html;

/** Waits by user. */
final class WaitsPart {
  private WaitsPart() {}

  static void write(List<UserWaits> waits, Html html) {
    PageElements.section(html, "waits", "Waits by user");
    if (waits.isEmpty()) {
      html.raw("<p>No jobs.</p></section>\n");
      return;
    }
    long most = waits.stream().mapToLong(UserWaits::meanNs).max().orElse(1);
    PageElements.table(
        html, "waits", "Waits of a user’s jobs for memory, who waited most in all first");
    html.raw("<thead><tr>");
    PageElements.heads(html, "User", "Mean of a job", "Median", "95 %", "Longest", "In all");
    PageElements.heads(html, "Jobs", "Waited", "Gave up");
    html.raw("</tr></thead><tbody>");
    for (UserWaits user : waits) {
      html.raw("<tr><th scope=\"row\">").name(user.user());
      PageElements.bar(html, "waiting", user.meanNs(), most, NumberText.duration(user.meanNs()));
      PageElements.cells(
          html,
          NumberText.duration(user.p50Ns()),
          NumberText.duration(user.p95Ns()),
          NumberText.duration(user.longestNs()),
          NumberText.duration(user.totalNs()),
          NumberText.number(user.jobs()),
          NumberText.number(user.waited()),
          NumberText.number(user.gaveUp()));
      html.raw("</tr>");
    }
    html.raw("</tbody></table></div></section>\n");
  }
}
