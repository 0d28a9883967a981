package org.schedgpu.agent.report;

import org.schedgpu.charts.Html;

/** Jobs of a device over time, each as a bar. */
final class LanesPart {
  private final ReportData data;
  private final Html html;

  LanesPart(ReportData data, Html html) {
    this.data = data;
    this.html = html;
  }

  void write(DeviceReport device) {
    if (data.lanesLeftOut().contains(device.device())) {
      html.raw("<p class=\"faint\">").text(NumberText.count(device.jobs(), "job", "jobs"));
      html.raw(" are too many to be drawn one by one: choose a later <code>--since</code>.</p>");
    }
    if (device.lanes().isEmpty()) {
      return;
    }
    html.raw("<figure><figcaption>").raw(data.allJobs() ? "Jobs on it" : "Your jobs on it");
    html.raw(". The striped part is how long a job waited, drawn at its beginning.</figcaption>");
    html.raw("<div class=\"lanes\">");
    for (DeviceReport.Lane lane : device.lanes()) {
      html.raw("<div class=\"lane\">");
      lane.jobs().forEach(this::job);
      html.raw("</div>");
    }
    html.raw("</div><p class=\"lanetimes\"><span>");
    html.text(NumberText.moment(data.window().fromNs(), data.timeZone())).raw("</span><span>");
    html.text(NumberText.moment(data.window().untilNs(), data.timeZone()));
    html.raw("</span></p></figure>");
  }

  private void job(DeviceReport.LaneJob job) {
    Window window = data.window();
    long length = Math.max(1, job.endNs() - job.begunNs());
    html.raw("<span class=\"lanejob").raw(job.running() ? " running" : "").raw("\" style=\"left:");
    html.raw(PageElements.percent(job.begunNs() - window.fromNs(), window.lengthNs()))
        .raw(";width:");
    html.raw(PageElements.percent(length, window.lengthNs()))
        .raw("\" title=\"")
        .text(inWords(job, length));
    html.raw("\"><i style=\"width:")
        .raw(PageElements.percent(Math.min(job.waitedNs(), length), length));
    html.raw("\"></i><b>").name(job.name()).raw("</b></span>");
  }

  private String inWords(DeviceReport.LaneJob job, long lengthNs) {
    return job.job()
        + " "
        + job.name()
        + ", "
        + job.user()
        + "\n"
        + NumberText.moment(job.begunNs(), data.timeZone())
        + ", "
        + NumberText.duration(lengthNs)
        + (job.running() ? " so far" : "")
        + (job.waitedNs() > 0 ? ", waited " + NumberText.duration(job.waitedNs()) : "")
        + (job.requestedBytes() > 0 ? "\nasked for " + NumberText.size(job.requestedBytes()) : "")
        + (job.peakBytes() > 0 ? ", used " + NumberText.size(job.peakBytes()) : "");
  }
}
