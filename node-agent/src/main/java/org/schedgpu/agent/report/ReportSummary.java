package org.schedgpu.agent.report;

/** A report in one line, for who made it. */
public final class ReportSummary {
  private ReportSummary() {}

  /** What it is about. */
  public static String of(ReportData data) {
    String devices = Words.count(data.devices().size(), "device", "devices");
    String what =
        data.job() != null
            ? "job " + data.job().job() + " on " + devices(data)
            : Words.count(data.headline().jobs(), "job", "jobs") + " on " + devices;
    return Words.duration(data.window().lengthNs())
        + ", "
        + what
        + (data.emulated() ? " (emulated)" : "");
  }

  private static String devices(ReportData data) {
    return Words.count(data.job().devices().size(), "device", "devices");
  }
}
