package org.schedgpu.agent.report;

import java.util.List;
import java.util.Locale;

/** Parts of the page that are plain tables with bars: they need no JavaScript. */
final class PageParts {
  private final ReportData data;
  private final Html html;

  PageParts(ReportData data, Html html) {
    this.data = data;
    this.html = html;
  }

  void tiles() {
    Headline head = data.headline();
    html.raw("<section aria-labelledby=\"h-numbers\"><h2 id=\"h-numbers\">In numbers</h2>");
    html.raw("<dl class=\"tiles\">");
    tile(
        "Jobs",
        Words.number(head.jobs()),
        Words.count(head.users(), "user", "users") + ", " + head.running() + " still running");
    tile("GPU time asked for", Words.hours(head.askedNs()), "jobs × their GPUs × their time");
    tile("Memory granted", Words.percent(head.grantedPercent()), "of all, on average");
    tile("Memory in use", Words.percent(head.inUsePercent()), "of all, on average");
    tile("GPU utilisation", Words.percent(head.utilisationPercent()), "as NVML says, on average");
    UserWaits waits = head.waits();
    tile(
        "Waits for memory",
        Words.number(waits.waited()) + " of " + Words.number(waits.jobs()),
        "jobs waited");
    tile(
        "A job waited",
        Words.duration(waits.p50Ns()) + " / " + Words.duration(waits.p95Ns()),
        "median / 95th percentile, longest " + Words.duration(waits.longestNs()));
    tile("Ended without memory", Words.number(waits.gaveUp()), "waited, and gave up");
    html.raw("</dl></section>\n");
  }

  private void tile(String title, String value, String note) {
    html.raw("<div><dt>").text(title).raw("</dt><dd>").text(value);
    html.raw("<small>").text(note).raw("</small></dd></div>");
  }

  void comparison() {
    Comparison comparison = data.comparison();
    Verdict verdict = new Verdict(comparison);
    html.raw("<section aria-labelledby=\"h-gain\"><h2 id=\"h-gain\">");
    html.raw("Shared, against one job per GPU</h2>");
    html.raw("<p class=\"verdict ").raw(verdict.kind()).raw("\">");
    html.text(verdict.sentence()).raw("</p>");
    if (comparison.shared().jobs() > 0) {
      comparisonTable(comparison.shared(), comparison.exclusive());
    }
    verdict.caveats().forEach(caveat -> html.raw("<p>").text(caveat).raw("</p>"));
    model(comparison.devices());
    html.raw("</section>\n");
  }

  private void comparisonTable(Outcome shared, Outcome alone) {
    html.raw("<table class=\"gain\"><caption>What happened, and the same ");
    html.text(Words.count(shared.jobs(), "job", "jobs")).raw(" with one job per GPU</caption>");
    html.raw(
        "<thead><tr><th scope=\"col\">Measure<th scope=\"col\"><span class=\"visually-hidden\">");
    html.raw("How</span><th scope=\"col\">Time</tr></thead>");
    pair(
        "From a job’s arrival to its end, mean",
        shared.meanTurnaroundNs(),
        alone.meanTurnaroundNs());
    pair("A job’s wait, mean", shared.meanWaitNs(), alone.meanWaitNs());
    pair("From the first arrival to the last end", shared.makespanNs(), alone.makespanNs());
    pair("GPUs occupied, in all", shared.occupiedNs(), alone.occupiedNs());
    html.raw("</table>");
  }

  private void pair(String what, long shared, long alone) {
    long most = Math.max(1, Math.max(shared, alone));
    html.raw("<tbody><tr><th scope=\"rowgroup\" rowspan=\"2\">").text(what);
    html.raw("<th scope=\"row\">shared");
    bar("shared", shared, most, Words.duration(shared));
    html.raw("</tr><tr><th scope=\"row\">one per GPU");
    bar("alone", alone, most, Words.duration(alone));
    html.raw("</tr></tbody>");
  }

  private void bar(String kind, long value, long most, String text) {
    html.raw("<td class=\"bar\"><div><span class=\"fill ").raw(kind).raw("\" style=\"--part:");
    html.raw(part(value, most)).raw("\"></span><span>").text(text).raw("</span></div></td>");
  }

  /** Of the longest bar. */
  private static String part(long value, long most) {
    return String.format(Locale.ROOT, "%.3f", Math.min(1, value / (double) Math.max(1, most)));
  }

  private void model(int devices) {
    html.raw("<details><summary>How this is worked out, and its limits</summary><p>");
    html.text(
        "The jobs that began in this time are replayed on "
            + Words.count(devices, "GPU", "GPUs")
            + " that each have one job at a time: first come, first served, each job on whichever"
            + " GPU is free first, nobody overtakes. A job arrives when it began on this node, and"
            + " runs as long as it ran here without its waits for memory. A job that still runs"
            + " counts as if it ended now, in both.");
    html.raw("</p><p>");
    html.text(
        "How long a job ran is taken as it was: beside neighbours, which may have slowed it down."
            + " Alone it might have been faster, so one job per GPU may be better than shown here;"
            + " the number above says by how much it would have to be. The replay does not know how"
            + " long jobs waited in Slurm’s queue before they came to this node, nor other nodes,"
            + " nor kinds of GPUs, nor a scheduler that lets short jobs overtake.");
    html.raw("</p></details>");
  }

  void waits() {
    html.raw("<section aria-labelledby=\"h-waits\"><h2 id=\"h-waits\">Waits by user</h2>");
    if (data.waits().isEmpty()) {
      html.raw("<p>No jobs.</p></section>\n");
      return;
    }
    long most = data.waits().stream().mapToLong(UserWaits::meanNs).max().orElse(1);
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h-waits\">");
    html.raw("<table class=\"waits\"><caption>Waits for device memory of all jobs of a user,");
    html.raw(" who waited most first</caption><thead><tr>");
    heads("User", "Mean wait of a job", "Median", "95 %", "Longest", "In all", "Jobs", "Waited");
    html.raw("<th scope=\"col\">Without memory</tr></thead><tbody>");
    for (UserWaits user : data.waits()) {
      html.raw("<tr><th scope=\"row\">").name(user.user());
      bar("waiting", user.meanNs(), most, Words.duration(user.meanNs()));
      cells(
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

  void needs() {
    html.raw("<section aria-labelledby=\"h-needs\"><h2 id=\"h-needs\">Asked for, and used</h2>");
    if (data.needs().isEmpty()) {
      html.raw("<p>No job of which both is known ended in this time.</p></section>\n");
      return;
    }
    long most = data.needs().stream().mapToLong(NameNeed::requestedBytes).max().orElse(1);
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h-needs\">");
    html.raw("<table class=\"needs\"><caption>Memory of a GPU: most that a job of the name asked");
    html.raw(" for (light) and had in use (dark); who could spare most first</caption><thead><tr>");
    heads("Job name", "User", "In use, of asked", "Jobs", "Would do", "Could be spared");
    html.raw("</tr></thead><tbody>");
    data.needs().forEach(need -> need(need, most));
    html.raw("</tbody></table></div>");
    if (data.needsLeftOut() > 0) {
      html.raw("<p>").text(Words.count(data.needsLeftOut(), "more name is", "more names are"));
      html.raw(" not shown.</p>");
    }
    html.raw("</section>\n");
  }

  private void need(NameNeed need, long most) {
    html.raw("<tr><th scope=\"row\">").name(need.name()).raw("<td>").name(need.user());
    html.raw("</td><td class=\"bar\"><div><span class=\"fill asked\" style=\"--part:");
    html.raw(part(need.requestedBytes(), most)).raw("\"><span class=\"used\" style=\"width:");
    html.raw(share(Math.min(need.peakBytes(), need.requestedBytes()), need.requestedBytes()));
    html.raw("\"></span></span><span>");
    html.text(Words.size(need.peakBytes()) + " of " + Words.size(need.requestedBytes()));
    html.raw("</span></div></td>");
    cells(Words.number(need.jobs()));
    html.raw("<td>");
    if (need.suggestedBytes() != null) {
      html.raw("<code>--schedgpu-mem=").text(Words.option(need.suggestedBytes())).raw("</code>");
    }
    html.raw("</td>");
    cells(need.sparedByteHours() == 0 ? "" : Words.size(need.sparedByteHours()) + " × h");
    html.raw("</tr>");
  }

  void lanes(DeviceReport device) {
    if (device.lanes().isEmpty()) {
      if (data.lanesLeftOut().contains(device.device())) {
        html.raw("<p>").text(Words.count(device.jobs(), "job", "jobs"));
        html.raw(" are too many to be drawn one by one: choose a later --since.</p>");
      }
      return;
    }
    html.raw("<figure><figcaption>Jobs on it");
    html.raw(data.allJobs() ? "" : " (yours)").raw(": ");
    html.raw("the striped part is how long a job waited, drawn at its beginning</figcaption>");
    html.raw("<div class=\"lanes\">");
    for (DeviceReport.Lane lane : device.lanes()) {
      html.raw("<div class=\"lane\">");
      lane.jobs().forEach(this::laneJob);
      html.raw("</div>");
    }
    html.raw("</div>");
    laneTimes();
    html.raw("</figure>");
  }

  private void laneJob(DeviceReport.LaneJob job) {
    long length = Math.max(1, job.endNs() - job.begunNs());
    html.raw("<span class=\"job").raw(job.running() ? " running" : "").raw("\" style=\"left:");
    html.raw(share(job.begunNs() - data.window().fromNs(), data.window().lengthNs()));
    html.raw(";width:").raw(share(length, data.window().lengthNs())).raw("\" title=\"");
    html.text(
        job.job()
            + " "
            + job.name()
            + ", "
            + job.user()
            + "\n"
            + Words.moment(job.begunNs(), data.timeZone())
            + ", "
            + Words.duration(length)
            + (job.running() ? " so far" : "")
            + (job.waitedNs() > 0 ? ", waited " + Words.duration(job.waitedNs()) : "")
            + (job.requestedBytes() > 0 ? "\nasked for " + Words.size(job.requestedBytes()) : "")
            + (job.peakBytes() > 0 ? ", used " + Words.size(job.peakBytes()) : ""));
    html.raw("\"><i style=\"width:");
    html.raw(share(Math.min(job.waitedNs(), length), length)).raw("\"></i><b>");
    html.name(job.name()).raw("</b></span>");
  }

  private void laneTimes() {
    Window window = data.window();
    html.raw("<p class=\"lanetimes\"><span>");
    html.text(Words.moment(window.fromNs(), data.timeZone())).raw("</span><span>");
    html.text(Words.moment(window.untilNs(), data.timeZone())).raw("</span></p>");
  }

  private static String share(long part, long whole) {
    return String.format(Locale.ROOT, "%.3f%%", 100.0 * part / whole);
  }

  private void heads(String... titles) {
    for (String title : titles) {
      html.raw("<th scope=\"col\">").text(title);
    }
  }

  private void cells(String... values) {
    for (String value : List.of(values)) {
      html.raw("<td class=\"number\">").text(value).raw("</td>");
    }
  }
}
