package org.schedgpu.agent.report;

/** The numbers at the top of the page. */
final class HeadlinePart {
  private HeadlinePart() {}

  static void write(Headline head, Html html) {
    UserWaits waits = head.waits();
    Bits.section(html, "numbers", "In numbers");
    html.raw("<dl class=\"tiles\">");
    Bits.tile(
        html,
        "Jobs",
        Words.number(head.jobs()),
        Words.count(head.users(), "user", "users") + ", " + head.running() + " still running");
    Bits.tile(
        html, "GPU time asked for", Words.hours(head.askedNs()), "jobs × their GPUs × their time");
    Bits.tile(html, "Memory granted", Words.percent(head.grantedPercent()), "of all, on average");
    Bits.tile(html, "Memory in use", Words.percent(head.inUsePercent()), "of all, on average");
    Bits.tile(
        html, "GPU utilisation", Words.percent(head.utilisationPercent()), "says NVML, on average");
    Bits.tile(
        html,
        "Waited for memory",
        Words.number(waits.waited()) + " of " + Words.number(waits.jobs()),
        "jobs");
    Bits.tile(
        html,
        "A job waited",
        Words.duration(waits.p50Ns()) + " / " + Words.duration(waits.p95Ns()),
        "median / 95th percentile; longest " + Words.duration(waits.longestNs()));
    Bits.tile(html, "Gave up", Words.number(waits.gaveUp()), "waited, ended without memory");
    html.raw("</dl></section>\n");
  }
}
