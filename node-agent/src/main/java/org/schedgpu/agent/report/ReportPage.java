package org.schedgpu.agent.report;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The page: one file that needs nothing else. Tables and bars are plain HTML; courses in time are
 * drawn by Chart.js, and without JavaScript there is a picture instead. Only our own two scripts
 * may run, whatever else is in the page.
 */
public final class ReportPage {
  private final ReportData data;
  private final byte[] picture;
  private final Html html = new Html();

  private ReportPage(ReportData data, byte[] picture) {
    this.data = data;
    this.picture = picture;
  }

  /**
   * The page of a report.
   *
   * @param picture the same as PNG, for who has no JavaScript; null: none
   */
  public static String of(ReportData data, byte[] picture) {
    return new ReportPage(data, picture).build();
  }

  private String build() {
    String library = Resources.chartLibrary();
    String script = Resources.text("report.js");
    html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';");
    html.raw(" style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';");
    html.raw(" script-src ").raw(hash(library)).raw(" ").raw(hash(script)).raw("\">\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html.text(title() + ": schedGPU report").raw("</title>\n<style>\n");
    html.raw(Resources.text("report.css")).raw("</style>\n</head>\n<body>\n");
    body();
    html.raw("<script type=\"application/json\" id=\"data\">");
    html.raw(ChartJson.of(data)).raw("</script>\n");
    html.raw("<script>").raw(library).raw("</script>\n");
    html.raw("<script>").raw(script).raw("</script>\n</body>\n</html>\n");
    return html.toString();
  }

  private String title() {
    return data.job() != null
        ? "Job " + data.job().job() + " on " + data.node()
        : "GPU sharing on " + data.node();
  }

  private void body() {
    html.raw("<header><h1>").text(title()).raw("</h1><p>");
    html.text(Words.moment(data.window().fromNs(), data.timeZone())).raw(" to ");
    html.text(Words.moment(data.window().untilNs(), data.timeZone())).raw(" (");
    html.text(data.timeZone() + "), " + Words.duration(data.window().lengthNs())).raw("</p>");
    if (!data.allJobs()) {
      html.raw("<p>Of jobs of other users you see sums only.</p>");
    }
    if (data.emulated()) {
      html.raw("<p class=\"warning\" role=\"note\"><strong>Emulated GPUs.</strong> Memory, ");
      html.raw("utilisation and times below are of the emulator, not of a GPU.</p>");
    }
    html.raw("</header>\n<main>\n");
    if (data.devices().isEmpty() && data.headline().jobs() == 0) {
      html.raw("<p class=\"verdict unknown\">Nothing was recorded in this time. ");
      html.raw("The agent records while it runs; see <code>systemctl status schedgpu-agent</code>");
      html.raw(", or choose an earlier <code>--since</code>.</p>");
    } else if (data.job() != null) {
      new JobPart(data, html).write();
    } else {
      node();
    }
    html.raw("</main>\n");
    footer();
  }

  private void node() {
    PageParts parts = new PageParts(data, html);
    parts.tiles();
    parts.comparison();
    noScript();
    for (DeviceReport device : data.devices()) {
      device(device, parts);
    }
    parts.waits();
    parts.needs();
  }

  private void noScript() {
    if (picture == null) {
      return;
    }
    html.raw("<noscript><figure><img alt=\"Memory and utilisation over time; the numbers are in ");
    html.raw("the tables of this page\" src=\"data:image/png;base64,");
    html.raw(Base64.getEncoder().encodeToString(picture)).raw("\"></figure></noscript>");
  }

  private void device(DeviceReport device, PageParts parts) {
    String id = "device-" + device.device();
    html.raw("<section aria-labelledby=\"h-").raw(id).raw("\"><h2 id=\"h-").raw(id).raw("\">GPU ");
    html.text(device.device()).raw(": ").name(device.name()).raw("</h2><p class=\"faint\">");
    html.text(device.uuid() + ", " + Words.size(device.totalBytes()) + ", ");
    html.text(Words.count(device.jobs(), "job", "jobs")).raw("</p>");
    chart("memory", id, "Memory over time", memoryInWords(device));
    chart("activity", id, "Utilisation, and jobs that hold memory or wait for it", "");
    html.raw("<p class=\"faint\">Each point stands for ");
    html.text(Words.duration(device.course().slotNs()));
    html.raw(": of memory and jobs the most in it, of utilisation the mean. Where nothing was");
    html.raw(" recorded, nothing is drawn.</p>");
    deviceTable(device);
    parts.lanes(device);
    html.raw("</section>\n");
  }

  private static String memoryInWords(DeviceReport device) {
    return "granted "
        + Words.size(device.meanGrantedBytes())
        + " on average and "
        + Words.size(device.peakGrantedBytes())
        + " at most, in use "
        + Words.size(device.meanInUseBytes())
        + " on average and "
        + Words.size(device.peakInUseBytes())
        + " at most, of "
        + Words.size(device.totalBytes());
  }

  private void chart(String kind, String id, String caption, String inWords) {
    html.raw("<figure class=\"chart ").raw(kind).raw("\"><figcaption>").text(caption);
    html.raw("</figcaption><div><canvas id=\"").raw(kind).raw("-").raw(id);
    html.raw("\" role=\"img\" aria-label=\"").text(caption);
    html.text(inWords.isEmpty() ? "; means are in the table below" : ": " + inWords);
    html.raw("\"></canvas></div></figure>");
  }

  private void deviceTable(DeviceReport device) {
    html.raw("<table class=\"plain\"><caption>GPU ")
        .text(device.device())
        .raw(" over this time</caption><thead>");
    html.raw(
        "<tr><th scope=\"col\">Memory<th scope=\"col\">Mean<th scope=\"col\">Most</tr></thead>");
    html.raw("<tbody>");
    row("granted to jobs", device.meanGrantedBytes(), device.peakGrantedBytes());
    row("in use by jobs", device.meanInUseBytes(), device.peakInUseBytes());
    html.raw("<tr><th scope=\"row\">utilisation<td class=\"number\">");
    html.text(Words.percent(device.meanUtilisationPercent())).raw("</td><td></td></tr>");
    html.raw("</tbody></table>");
  }

  private void row(String what, long mean, long most) {
    html.raw("<tr><th scope=\"row\">")
        .raw(what)
        .raw("<td class=\"number\">")
        .text(Words.size(mean));
    html.raw("</td><td class=\"number\">").text(Words.size(most)).raw("</td></tr>");
  }

  private void footer() {
    html.raw("<footer><p>Made ").text(Words.moment(data.madeNs(), data.timeZone()));
    html.raw(" by schedgpu report. One node; times of waits are for device memory, not in");
    html.raw(" Slurm’s queue.</p><details><summary>Charts by Chart.js, MIT licence</summary><pre>");
    html.text(Resources.chartLicence()).raw("</pre></details></footer>\n");
  }

  /** As a Content-Security-Policy names a script. */
  private static String hash(String script) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
