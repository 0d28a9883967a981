package org.schedgpu.agent.report;

import java.util.Comparator;
import java.util.Objects;

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
    tile("Began", Words.moment(job.begunNs(), data.timeZone()), "mode " + job.mode());
    tile(
        job.endedNs() == null ? "Runs" : "Took",
        Words.duration(endNs() - job.begunNs()),
        job.endedNs() == null ? "so far" : "until " + Words.moment(endNs(), data.timeZone()));
    tile(
        "Waited for memory",
        Words.duration(job.waitedNs()),
        Words.count(job.waits(), "wait", "waits"));
    tile("Held memory", Words.duration(job.heldNs()), "of any GPU");
    html.raw("</dl></section>\n");
    job.devices().forEach(this::share);
  }

  private long endNs() {
    return job.endedNs() == null ? data.madeNs() : job.endedNs();
  }

  private void tile(String title, String value, String note) {
    html.raw("<div><dt>").text(title).raw("</dt><dd>").text(value);
    html.raw("<small>").text(note).raw("</small></dd></div>");
  }

  private void share(JobDetail.Share share) {
    String id = "device-" + share.device();
    String caption = "Memory of this job, and of its neighbours together";
    html.raw("<section aria-labelledby=\"h-").raw(id).raw("\"><h2 id=\"h-").raw(id).raw("\">GPU ");
    html.text(share.device()).raw(": ").name(share.name()).raw("</h2><p>").text(inWords(share));
    html.raw("</p><figure class=\"chart memory\"><figcaption>").text(caption);
    html.raw("</figcaption><div><canvas id=\"job-").raw(id).raw("\" role=\"img\" aria-label=\"");
    html.text(caption + ": " + inWords(share)).raw("\"></canvas></div></figure>");
    html.raw("<p class=\"faint\">Each point is the most in ");
    html.text(Words.duration(share.slotNs())).raw(".</p></section>\n");
  }

  private static String inWords(JobDetail.Share share) {
    long others =
        share.others().stream().filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(0L);
    return (share.requestedBytes() > 0
            ? "It asked for " + Words.size(share.requestedBytes())
            : "It named no budget")
        + (share.peakBytes() > 0
            ? " and had at most " + Words.size(share.peakBytes()) + " in use"
            : "")
        + ", of "
        + Words.size(share.totalBytes())
        + "; beside it there "
        + (others == 1 ? "was at most 1 other job." : "were at most " + others + " other jobs.");
  }
}
