package org.schedgpu.agent.top;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.top.TopReport.JobRow;

/** The table of jobs. */
final class JobLines {
  private static final int FIXED = 68;
  private static final int SHARE = 5; // a column that is there if a job is in a lane
  private static final int MAX_NAME = 40;

  private final List<JobRow> shown;
  private final boolean shares;
  private final int nameWidth;

  JobLines(TopReport report, View view, int width) {
    this.shown =
        report.jobs().stream()
            .filter(job -> job.devices().stream().anyMatch(view::shows))
            .sorted(view.sort().order())
            .toList();
    this.shares = shown.stream().anyMatch(job -> job.share().isPresent());
    int fixed = FIXED + (shares ? SHARE + 1 : 0);
    this.nameWidth = Math.max(4, Math.min(MAX_NAME, width - fixed));
  }

  List<AttributedString> lines() {
    List<AttributedString> lines = new ArrayList<>();
    lines.add(AttributedString.EMPTY);
    if (shown.isEmpty()) {
      lines.add(new AttributedString(" No jobs.", TerminalStyle.QUIET));
      return lines;
    }
    lines.add(
        new AttributedString(
            line(
                "JOB", "USER", "NAME", "DEV", "HELD", "IN USE", "PEAK", "RUNNING", "SHARE",
                "STATE"),
            TerminalStyle.BOLD));
    shown.forEach(
        job -> {
          lines.add(row(job));
          job.unscheduled()
              .forEach(
                  one ->
                      lines.add(
                          new AttributedString("   unscheduled: " + one, TerminalStyle.PROBLEM)));
        });
    return lines;
  }

  private AttributedString row(JobRow job) {
    String line =
        line(
            job.job(),
            job.user(),
            job.name(),
            devices(job),
            Cells.gib(job.heldBytes()),
            Cells.gib(job.inUseBytes()),
            job.peakBytes().isEmpty() ? "-" : Cells.gib(job.peakBytes().getAsLong()),
            Texts.duration(job.runningNs()),
            job.share().isEmpty() ? "-" : Long.toString(job.share().getAsLong()),
            "");
    return new AttributedStringBuilder()
        .append(line)
        .append(
            job.state(), job.state().equals("waits") ? TerminalStyle.WAITS : TerminalStyle.PLAIN)
        .toAttributedString();
  }

  private static String devices(JobRow job) {
    return job.devices().stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private String line(String... cells) {
    return " "
        + Cells.left(cells[0], 14)
        + " "
        + Cells.left(cells[1], 8)
        + " "
        + Cells.left(cells[2], nameWidth)
        + " "
        + Cells.right(cells[3], 4)
        + " "
        + Cells.right(cells[4], 6)
        + " "
        + Cells.right(cells[5], 6)
        + " "
        + Cells.right(cells[6], 6)
        + " "
        + Cells.right(cells[7], 7)
        + " "
        + (shares ? Cells.right(cells[8], SHARE) + " " : "")
        + cells[9];
  }
}
