package org.schedgpu.agent.report;

import org.schedgpu.charts.Html;

/** A device over time. */
final class DevicePart {
  private final ReportData data;
  private final Html html;

  DevicePart(ReportData data, Html html) {
    this.data = data;
    this.html = html;
  }

  void write(DeviceReport device) {
    String id = "device-" + device.device();
    PageElements.section(html, id, "GPU " + device.device() + ": " + device.name());
    html.raw("<p class=\"faint\">").text(device.uuid()).raw(", ");
    html.text(
        NumberText.size(device.totalBytes())
            + ", "
            + NumberText.count(device.jobs(), "job", "jobs"));
    html.raw("</p>");
    chart(html, "memory", id, "Memory over time", inWords(device));
    chart(
        html,
        "activity",
        id,
        "Utilisation, and jobs that hold memory or wait for it",
        "means are in the table below");
    if (device.course().hasLanes()) {
      String caption = "Lanes, and processes that wait for the turn of one";
      chart(html, "turns", id, caption, "sums by job name are in the table of jobs in lanes");
    }
    new LanesPart(data, html).write(device);
    html.raw("<p class=\"faint\">A point of a line stands for ");
    html.text(NumberText.duration(device.course().slotNs()));
    html.raw(": of memory and jobs it is the most, of utilisation the mean. Where nothing was");
    html.raw(" recorded, nothing is drawn.</p>");
    table(device);
    html.raw("</section>\n");
  }

  /** The place where report.js draws, with a text for readers who cannot see the drawing. */
  static void chart(Html html, String kind, String id, String caption, String inWords) {
    html.raw("<figure class=\"chart ").raw(kind).raw("\"><figcaption>").text(caption);
    html.raw("</figcaption><div><canvas id=\"").raw(kind).raw("-").raw(id);
    html.raw("\" role=\"img\" aria-label=\"").text(caption + ": " + inWords);
    html.raw("\"></canvas></div></figure>");
  }

  private static String inWords(DeviceReport device) {
    return "granted "
        + NumberText.size(device.meanGrantedBytes())
        + " on average and "
        + NumberText.size(device.peakGrantedBytes())
        + " at most, in use "
        + NumberText.size(device.meanInUseBytes())
        + " on average and "
        + NumberText.size(device.peakInUseBytes())
        + " at most, of "
        + NumberText.size(device.totalBytes());
  }

  private void table(DeviceReport device) {
    html.raw("<table class=\"plain\"><caption>GPU ").text(device.device());
    html.raw(" over this time</caption><thead><tr><td></td>");
    PageElements.heads(html, "Mean", "Most");
    html.raw("</tr></thead><tbody>");
    row("Memory granted to jobs", device.meanGrantedBytes(), device.peakGrantedBytes());
    row("Memory in use by jobs", device.meanInUseBytes(), device.peakInUseBytes());
    html.raw("<tr><th scope=\"row\">Utilisation");
    PageElements.cells(html, NumberText.percent(device.meanUtilisationPercent()), "");
    html.raw("</tr></tbody></table>");
  }

  private void row(String what, long mean, long most) {
    html.raw("<tr><th scope=\"row\">").raw(what);
    PageElements.cells(html, NumberText.size(mean), NumberText.size(most));
    html.raw("</tr>");
  }
}
