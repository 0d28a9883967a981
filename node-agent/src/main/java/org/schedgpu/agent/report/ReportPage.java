package org.schedgpu.agent.report;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.schedgpu.charts.Html;

/**
 * The page: one self-contained file. Tables and bars are plain HTML. Chart.js draws curves; without
 * JavaScript the page shows a picture instead. Only our own two scripts may run, whatever else the
 * page contains.
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
   * @param picture the same charts as PNG, for readers without JavaScript; null: none
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
    html.text(NumberText.moment(data.window().fromNs(), data.timeZone())).raw(" to ");
    html.text(NumberText.moment(data.window().untilNs(), data.timeZone())).raw(" (");
    html.text(data.timeZone() + "), " + NumberText.duration(data.window().lengthNs())).raw("</p>");
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
    HeadlinePart.write(data.headline(), html);
    new ComparisonPart(data.comparison(), html).write();
    noScript();
    data.devices().forEach(new DevicePart(data, html)::write);
    WaitsPart.write(data.waits(), html);
    TurnsPart.write(data, html);
    new NeedsPart(data, html).write();
  }

  private void noScript() {
    if (picture == null) {
      return;
    }
    html.raw("<noscript><figure><img alt=\"Memory and utilisation over time; the numbers are in ");
    html.raw("the tables of this page\" src=\"data:image/png;base64,");
    html.raw(Base64.getEncoder().encodeToString(picture)).raw("\"></figure></noscript>");
  }

  private void footer() {
    html.raw("<footer><p>Made ").text(NumberText.moment(data.madeNs(), data.timeZone()));
    html.raw(" by schedgpu report. One node; times of waits are for device memory, not in");
    html.raw(" Slurm’s queue.</p><details><summary>Charts by Chart.js, MIT licence</summary><pre>");
    html.text(Resources.chartLicence()).raw("</pre></details></footer>\n");
  }

  /** The form in which a Content-Security-Policy names a script. */
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
