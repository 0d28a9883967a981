package org.schedgpu.agent.report;

import org.schedgpu.charts.Html;

/** The numbers at the top of the page. */
final class HeadlinePart {
  private HeadlinePart() {}

  static void write(Headline head, Html html) {
    UserWaits waits = head.waits();
    PageElements.section(html, "numbers", "In numbers");
    html.raw("<dl class=\"tiles\">");
    PageElements.tile(
        html,
        "Jobs",
        NumberText.number(head.jobs()),
        NumberText.count(head.users(), "user", "users") + ", " + head.running() + " still running");
    PageElements.tile(
        html,
        "GPU time asked for",
        NumberText.hours(head.askedNs()),
        "jobs × their GPUs × their time");
    PageElements.tile(
        html, "Memory granted", NumberText.percent(head.grantedPercent()), "of all, on average");
    PageElements.tile(
        html, "Memory in use", NumberText.percent(head.inUsePercent()), "of all, on average");
    PageElements.tile(
        html,
        "GPU utilisation",
        NumberText.percent(head.utilisationPercent()),
        "says NVML, on average");
    PageElements.tile(
        html,
        "Waited for memory",
        NumberText.number(waits.waited()) + " of " + NumberText.number(waits.jobs()),
        "jobs");
    PageElements.tile(
        html,
        "A job waited",
        NumberText.duration(waits.p50Ns()) + " / " + NumberText.duration(waits.p95Ns()),
        "median / 95th percentile; longest " + NumberText.duration(waits.longestNs()));
    PageElements.tile(
        html, "Gave up", NumberText.number(waits.gaveUp()), "waited, ended without memory");
    PageElements.unscheduled(html, "jobs", head.unscheduledJobs(), head.unscheduledBytes());
    html.raw("</dl></section>\n");
  }
}
