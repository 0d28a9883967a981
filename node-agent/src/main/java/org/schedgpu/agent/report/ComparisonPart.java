package org.schedgpu.agent.report;

import java.util.function.LongFunction;
import org.schedgpu.charts.Html;

/** What sharing gained or lost. */
final class ComparisonPart {
  private final Comparison comparison;
  private final Html html;

  ComparisonPart(Comparison comparison, Html html) {
    this.comparison = comparison;
    this.html = html;
  }

  void write() {
    Verdict verdict = new Verdict(comparison);
    PageElements.section(html, "gain", "Shared, against one job per GPU");
    html.raw("<p class=\"verdict ").raw(verdict.kind()).raw("\">");
    html.text(verdict.sentence()).raw("</p>");
    if (comparison.shared().jobs() > 0) {
      table(comparison.shared(), comparison.exclusive());
    }
    verdict.caveats().forEach(caveat -> html.raw("<p>").text(caveat).raw("</p>"));
    model();
    html.raw("</section>\n");
  }

  private void table(Outcome shared, Outcome alone) {
    html.raw("<table class=\"gain\"><caption>What happened, and the same ");
    html.text(NumberText.count(shared.jobs(), "job", "jobs"))
        .raw(" with one job per GPU</caption>");
    pair(
        "From a job’s arrival to its end, mean",
        shared.meanTurnaroundNs(),
        alone.meanTurnaroundNs(),
        NumberText::duration);
    pair("A job’s wait, mean", shared.meanWaitNs(), alone.meanWaitNs(), NumberText::duration);
    pair(
        "From the first arrival to the last end",
        shared.makespanNs(),
        alone.makespanNs(),
        NumberText::duration);
    pair("GPU time with a job on it", shared.occupiedNs(), alone.occupiedNs(), NumberText::hours);
    html.raw("</table>");
  }

  private void pair(String what, long shared, long alone, LongFunction<String> words) {
    long most = Math.max(1, Math.max(shared, alone));
    html.raw("<tbody><tr><th scope=\"rowgroup\" colspan=\"2\">").text(what);
    html.raw("</th></tr><tr><th scope=\"row\">shared");
    PageElements.bar(html, "shared", shared, most, words.apply(shared));
    html.raw("</tr><tr><th scope=\"row\">one per GPU");
    PageElements.bar(html, "alone", alone, most, words.apply(alone));
    html.raw("</tr></tbody>");
  }

  private void model() {
    html.raw("<details><summary>How this is worked out, and its limits</summary><p>");
    html.text(
        "The jobs that began in this time are replayed on "
            + NumberText.count(comparison.devices(), "GPU", "GPUs")
            + ", one job on each at a time: first come, first served, each job on whichever GPU is"
            + " free first, nobody overtakes. A job arrives when it began on this node, and runs"
            + " as long as it ran here without its waits for memory. A job that still runs counts"
            + " as if it ended now, in both.");
    html.raw("</p><p>");
    html.text(
        "How long a job ran is taken as it was: beside neighbours, which may have slowed it down."
            + " Alone it might have been faster, so one job per GPU may be better than shown here."
            + " The replay does not know how long jobs waited in Slurm’s queue before they came to"
            + " this node, nor other nodes, nor kinds of GPUs, nor a scheduler that lets short jobs"
            + " overtake. Sharing without reservations, as with shards, is not compared.");
    html.raw("</p></details>");
  }
}
