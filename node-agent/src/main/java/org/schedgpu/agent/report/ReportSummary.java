package org.schedgpu.agent.report;

/** A report in one line, for the user who made it. */
public final class ReportSummary {
  private ReportSummary() {}

  /** Its subject. */
  public static String of(ReportData data) {
    String devices = NumberText.count(data.devices().size(), "device", "devices");
    String what =
        data.job() != null
            ? "job " + data.job().job() + " on " + devices(data)
            : NumberText.count(data.headline().jobs(), "job", "jobs") + " on " + devices;
    return NumberText.duration(data.window().lengthNs())
        + ", "
        + what
        + (data.emulated() ? " (emulated)" : "");
  }

  private static String devices(ReportData data) {
    return NumberText.count(data.job().devices().size(), "device", "devices");
  }
}
