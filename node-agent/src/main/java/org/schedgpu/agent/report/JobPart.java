package org.schedgpu.agent.report;

import java.util.Comparator;
import java.util.Objects;
import org.schedgpu.charts.Html;

/** The page of one job. */
final class JobPart {
  private final ReportData data;
  private final JobDetail job;
  private final Html html;

  JobPart(ReportData data, Html html) {
    this.data = data;
    this.job = data.job();
    this.html = html;
  }

  void write() {
    html.raw("<section aria-labelledby=\"h-job\"><h2 id=\"h-job\">").name(job.name());
    html.raw(" <span class=\"faint\">of ").name(job.user()).raw("</span></h2>");
    html.raw("<dl class=\"tiles\">");
    PageElements.tile(
        html, "Began", NumberText.moment(job.begunNs(), data.timeZone()), "mode " + job.mode());
    PageElements.tile(
        html,
        job.endedNs() == null ? "Runs" : "Took",
        NumberText.duration(endNs() - job.begunNs()),
        job.endedNs() == null ? "so far" : "until " + NumberText.moment(endNs(), data.timeZone()));
    PageElements.tile(
        html,
        "Waited for memory",
        NumberText.duration(job.waitedNs()),
        NumberText.count(job.waits(), "wait", "waits"));
    PageElements.tile(html, "Held memory", NumberText.duration(job.heldNs()), "of any GPU");
    PageElements.unscheduled(html, "programs", job.unscheduledProcesses(), job.unscheduledBytes());
    turns();
    html.raw("</dl></section>\n");
    job.devices().forEach(this::share);
  }

  private void turns() {
    NameTurns use = job.turns();
    if (use == null) {
      return;
    }
    PageElements.tile(
        html,
        "In iterations",
        TurnsPart.service(use),
        NumberText.count(use.turns(), "turn", "turns")
            + " in a lane ("
            + use.policy()
            + "), "
            + NumberText.count(use.switches(), "switch", "switches"));
    PageElements.tile(
        html,
        "Waited for turns",
        NumberText.duration(use.waitedNs()),
        use.keptBytes() == 0 ? "" : "kept " + NumberText.size(use.keptBytes()) + " between them");
  }

  private long endNs() {
    return job.endedNs() == null ? data.madeNs() : job.endedNs();
  }

  private void share(JobDetail.Share share) {
    String id = "device-" + share.device();
    PageElements.section(html, id, "GPU " + share.device() + ": " + share.name());
    html.raw("<p>").text(inWords(share)).raw("</p>");
    String caption = "Memory of this job, and of its neighbours together";
    DevicePart.chart(html, "job", id, caption, inWords(share));
    html.raw("<p class=\"faint\">Each point is the most in ");
    html.text(NumberText.duration(share.slotNs())).raw(".</p></section>\n");
  }

  private static String inWords(JobDetail.Share share) {
    long others =
        share.others().stream().filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(0L);
    return (share.requestedBytes() > 0
            ? "It asked for " + NumberText.size(share.requestedBytes())
            : "It named no budget")
        + (share.peakBytes() > 0
            ? " and had at most " + NumberText.size(share.peakBytes()) + " in use"
            : "")
        + ", of "
        + NumberText.size(share.totalBytes())
        + "; beside it there "
        + (others == 1 ? "was at most 1 other job." : "were at most " + others + " other jobs.");
  }
}
