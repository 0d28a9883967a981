package org.schedgpu.agent.top;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.top.TopReport.LaneRow;

/** The table of lanes; nothing on a node without one. */
final class LaneLines {
  private static final int JOB_WIDTH = 14;

  private LaneLines() {}

  static List<AttributedString> of(TopReport report, View view) {
    List<LaneRow> shown =
        report.lanes().stream().filter(lane -> view.shows(lane.device())).toList();
    List<AttributedString> lines = new ArrayList<>();
    if (shown.isEmpty()) {
      return lines;
    }
    lines.add(AttributedString.EMPTY);
    lines.add(
        new AttributedString(
            line("LANE", "DEV", "POLICY", "GiB", "JOBS", "WAITING", "SWITCHES", "TURN OF"),
            TerminalStyle.BOLD));
    shown.forEach(lane -> lines.add(new AttributedString(row(lane))));
    return lines;
  }

  private static String row(LaneRow lane) {
    return line(
        Integer.toString(lane.lane()),
        Integer.toString(lane.device()),
        lane.policy(),
        Cells.gib(lane.bytes()),
        Long.toString(lane.jobs()),
        Long.toString(lane.waiting()),
        Long.toString(lane.switches()),
        lane.turnOf()
            .map(job -> Texts.cut(job, JOB_WIDTH) + " for " + Texts.duration(lane.turnNs()))
            .orElse("nobody"));
  }

  private static String line(String... cells) {
    return Cells.right(cells[0], 5)
        + " "
        + Cells.right(cells[1], 3)
        + " "
        + Cells.left(cells[2], 6)
        + " "
        + Cells.right(cells[3], 6)
        + " "
        + Cells.right(cells[4], 4)
        + " "
        + Cells.right(cells[5], 7)
        + " "
        + Cells.right(cells[6], 8)
        + "  "
        + cells[7];
  }
}
