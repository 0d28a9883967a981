package org.schedgpu.agent.report;

import java.util.List;
import org.schedgpu.charts.Html;

/** Jobs that took turns, by name; nothing on a node without lanes. */
final class TurnsPart {
  private TurnsPart() {}

  static void write(ReportData data, Html html) {
    List<NameTurns> turns = data.turns();
    if (turns.isEmpty()) {
      return;
    }
    PageElements.section(html, "turns", "Jobs in lanes");
    long most = turns.stream().mapToLong(NameTurns::knownServiceNs).max().orElse(1);
    PageElements.table(
        html,
        "turns",
        "How jobs took turns with the memory of an iteration: the longest time in iterations"
            + " first");
    html.raw("<thead><tr>");
    PageElements.heads(html, "Job name", "User", "In iterations", "Waited for turns", "Policy");
    PageElements.heads(html, "Jobs", "Turns", "Switches", "Kept between turns");
    html.raw("</tr></thead><tbody>");
    turns.forEach(row -> row(row, most, html));
    html.raw("</tbody></table></div>");
    if (data.turnsLeftOut() > 0) {
      html.raw("<p>").text(NumberText.count(data.turnsLeftOut(), "more name is", "more names are"));
      html.raw(" not shown.</p>");
    }
    html.raw("</section>\n");
  }

  /** How long its jobs were in iterations. */
  static String service(NameTurns row) {
    return row.serviceNs() == null ? "unknown" : NumberText.duration(row.serviceNs());
  }

  private static void row(NameTurns row, long most, Html html) {
    html.raw("<tr><th scope=\"row\">").name(row.name()).raw("<td>").name(row.user());
    html.raw("</td>");
    PageElements.bar(html, "shared", row.knownServiceNs(), most, service(row));
    PageElements.cells(
        html,
        NumberText.duration(row.waitedNs()),
        row.policy(),
        NumberText.number(row.jobs()),
        NumberText.number(row.turns()),
        NumberText.number(row.switches()),
        row.keptBytes() == 0 ? "unknown" : NumberText.size(row.keptBytes()));
    html.raw("</tr>");
  }
}
