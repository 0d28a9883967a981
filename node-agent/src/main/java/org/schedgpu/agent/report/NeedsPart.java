package org.schedgpu.agent.report;

import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.charts.Html;

/** What jobs asked for and what they used, by name. */
final class NeedsPart {
  private final ReportData data;
  private final Html html;

  NeedsPart(ReportData data, Html html) {
    this.data = data;
    this.html = html;
  }

  void write() {
    PageElements.section(html, "needs", "Asked for, and used");
    if (data.needs().isEmpty()) {
      html.raw("<p>No job of which both is known ended in this time.</p></section>\n");
      return;
    }
    long most = data.needs().stream().mapToLong(NameNeed::requestedBytes).max().orElse(1);
    PageElements.table(
        html,
        "needs",
        "Memory of a GPU: the most that a job of the name asked for (light) and had in use (dark),"
            + " without one CUDA context, which a budget does not count; who could spare most"
            + " first");
    html.raw("<thead><tr>");
    PageElements.heads(html, "Job name", "User", "In use, of asked for", "Jobs", "Would do");
    PageElements.heads(html, "To spare, GiB × h");
    html.raw("</tr></thead><tbody>");
    data.needs().forEach(need -> row(need, most));
    html.raw("</tbody></table></div>");
    if (data.needsLeftOut() > 0) {
      html.raw("<p>").text(NumberText.count(data.needsLeftOut(), "more name is", "more names are"));
      html.raw(" not shown.</p>");
    }
    html.raw("</section>\n");
  }

  private void row(NameNeed need, long most) {
    long within = Math.min(need.usedBytes(), need.requestedBytes());
    html.raw("<tr><th scope=\"row\">").name(need.name()).raw("<td>").name(need.user());
    html.raw("</td><td class=\"bar\"><div><span class=\"fill asked\" style=\"--part:");
    html.raw(PageElements.part(need.requestedBytes(), most))
        .raw("\"><span class=\"used\" style=\"width:");
    html.raw(PageElements.percent(within, need.requestedBytes())).raw("\"></span></span><span>");
    html.text(NumberText.size(need.usedBytes()) + " of " + NumberText.size(need.requestedBytes()));
    html.raw("</span></div></td>");
    PageElements.cells(html, NumberText.number(need.jobs()));
    html.raw("<td>");
    wouldDo(need);
    html.raw("</td>");
    PageElements.cells(
        html, need.sparedByteHours() == 0 ? "" : NumberText.gibHours(need.sparedByteHours()));
    html.raw("</tr>");
  }

  private void wouldDo(NameNeed need) {
    if (need.suggestedBytes() != null) {
      html.raw("<code>--schedgpu-mem=")
          .text(Suggestion.typed(need.suggestedBytes()))
          .raw("</code>");
    } else if (need.refusals() > 0) {
      html.text("more: " + NumberText.count(need.refusals(), "allocation", "allocations"))
          .text(" refused, up to " + NumberText.size(need.largestRefusedBytes()));
    }
  }
}
