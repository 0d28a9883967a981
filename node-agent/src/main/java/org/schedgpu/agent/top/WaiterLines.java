package org.schedgpu.agent.top;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.top.TopReport.WaiterRow;

/** The waiters in queue order: a line of numbers, and the reason. */
final class WaiterLines {
  private static final int FIXED = 68;
  private static final int MAX_NAME = 40;
  private static final String INDENT = "     ";

  private final TopReport report;
  private final View view;
  private final int width;
  private final int nameWidth;

  WaiterLines(TopReport report, View view, int width) {
    this.report = report;
    this.view = view;
    this.width = width;
    this.nameWidth = Math.max(0, Math.min(MAX_NAME, width - FIXED));
  }

  List<AttributedString> lines() {
    List<WaiterRow> shown =
        report.waiters().stream()
            .filter(waiter -> waiter.devices().stream().anyMatch(view::shows))
            .toList();
    List<AttributedString> lines = new ArrayList<>();
    lines.add(AttributedString.EMPTY);
    if (shown.isEmpty()) {
      lines.add(new AttributedString(" " + nobody(), TerminalStyle.QUIET));
      return lines;
    }
    String heading = line("#", "WAITING", "USER", "NAME", "DEV", "ASKS", "PRIO", "WAITED");
    lines.add(new AttributedString(heading + "SERVED", TerminalStyle.BOLD));
    for (WaiterRow waiter : shown) {
      lines.add(row(waiter));
      Texts.wrap(waiter.estimate().after(waiter.why()), width - INDENT.length())
          .forEach(why -> lines.add(new AttributedString(INDENT + why, TerminalStyle.QUIET)));
    }
    return lines;
  }

  /** The table of lanes has those that wait for a turn. */
  private String nobody() {
    long turns =
        report.lanes().stream()
            .filter(lane -> view.shows(lane.device()))
            .mapToLong(TopReport.LaneRow::waiting)
            .sum();
    return turns == 0
        ? "Nobody waits."
        : "Nobody waits for memory; "
            + Texts.count(turns, "process waits", "processes wait")
            + " for a turn.";
  }

  private AttributedString row(WaiterRow waiter) {
    String line =
        line(
            Integer.toString(waiter.place()),
            waiter.job(),
            waiter.user(),
            waiter.name(),
            Integer.toString(waiter.device()),
            Cells.gib(waiter.asksBytes()),
            Integer.toString(waiter.priority()),
            Texts.duration(waiter.waitedNs()));
    return new AttributedStringBuilder()
        .append(line)
        .append(waiter.estimate().shortText(), TerminalStyle.WHEN)
        .toAttributedString();
  }

  private String line(String... cells) {
    return Cells.right(cells[0], 4)
        + " "
        + Cells.left(cells[1], 14)
        + " "
        + Cells.left(cells[2], 8)
        + " "
        + (nameWidth == 0 ? "" : Cells.left(cells[3], nameWidth) + " ")
        + Cells.right(cells[4], 3)
        + " "
        + Cells.right(cells[5], 6)
        + " "
        + Cells.right(cells[6], 4)
        + " "
        + Cells.right(cells[7], 7)
        + "  ";
  }
}
