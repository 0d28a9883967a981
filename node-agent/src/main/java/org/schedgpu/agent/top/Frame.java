package org.schedgpu.agent.top;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.jna.Printable;

/** One image of the screen: its lines, within its width and height. */
public final class Frame {
  private static final int LEAST_BODY = 6;

  private final TopReport report;
  private final View view;
  private final TerminalStyle look;
  private final int width;

  private Frame(TopReport report, View view, TerminalStyle look, int width) {
    this.report = report;
    this.view = view;
    this.look = look;
    this.width = width;
  }

  /** For a screen: the user scrolls to see the rest. */
  static List<AttributedString> of(
      TopReport report, View view, TerminalStyle look, int width, int height) {
    Frame frame = new Frame(report, view, look, Math.max(1, width));
    return frame.lines(Math.max(3, height));
  }

  /** Everything, one below the other, without the keys: for {@code --once}. */
  public static String text(TopReport report, TerminalStyle look, int width) {
    Frame frame = new Frame(report, new View(), look, width);
    List<AttributedString> lines = new ArrayList<>();
    lines.add(frame.title());
    lines.addAll(frame.devices(Integer.MAX_VALUE));
    lines.addAll(frame.body());
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(frame.fit(line).toString().stripTrailing()).append('\n'));
    return text.toString();
  }

  private List<AttributedString> lines(int height) {
    List<AttributedString> lines = new ArrayList<>();
    lines.add(title());
    if (!view.help()) {
      lines.addAll(devices(height - 2 - LEAST_BODY));
    }
    lines = new ArrayList<>(lines.subList(0, Math.min(lines.size(), height - 1)));
    List<AttributedString> body = view.help() ? Help.lines() : body();
    int room = Math.max(0, height - 1 - lines.size());
    view.scrollAtMost(body.size() - room);
    int end = Math.min(body.size(), view.scroll() + room);
    lines.addAll(body.subList(view.scroll(), end));
    while (lines.size() < height - 1) {
      lines.add(AttributedString.EMPTY);
    }
    lines.add(footer(view.scroll(), end, body.size()));
    return lines.stream().map(this::fit).toList();
  }

  private AttributedString fit(AttributedString line) {
    return line.columnLength() <= width ? line : line.columnSubSequence(0, width);
  }

  private AttributedString title() {
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.append(" schedgpu top  ", TerminalStyle.BOLD)
        .append(Printable.of(report.node()), TerminalStyle.BOLD);
    if (report.problem().isEmpty()) {
      long waiting =
          report.waiters().size()
              + (long) report.others().waiting()
              + report.lanes().stream().mapToLong(TopReport.LaneRow::waiting).sum();
      int jobs = report.jobs().size() + report.others().jobs();
      line.append("  policy " + report.policy());
      line.append("  " + jobs + (jobs == 1 ? " job" : " jobs"));
      line.append(
          "  " + waiting + " waiting", waiting > 0 ? TerminalStyle.WAITS : TerminalStyle.PLAIN);
    }
    if (view.paused()) {
      line.append("  paused", TerminalStyle.PROBLEM);
    }
    return Cells.right(line.toAttributedString(), report.clock() + " ", width);
  }

  /** Two lines for each, or one if there is little room; the remaining ones are counted. */
  private List<AttributedString> devices(int room) {
    List<DeviceRow> shown =
        report.devices().stream().filter(device -> view.shows(device.index())).toList();
    List<AttributedString> lines = new ArrayList<>();
    if (shown.isEmpty()) {
      return lines;
    }
    DeviceLines device = new DeviceLines(look, width);
    boolean roomy = 2L * shown.size() + 2 <= room && shown.size() <= 4;
    int count = roomy ? shown.size() : Math.min(shown.size(), Math.max(1, room - 2));
    shown.subList(0, count).forEach(row -> lines.addAll(roomy ? device.two(row) : device.one(row)));
    if (count < shown.size()) {
      lines.add(
          quiet(" " + (shown.size() - count) + " more devices: d shows them one after the other"));
    }
    lines.add(device.legend());
    return lines;
  }

  private List<AttributedString> body() {
    List<AttributedString> lines = new ArrayList<>();
    if (!report.problem().isEmpty()) {
      lines.add(AttributedString.EMPTY);
      Texts.wrap(report.problem(), width - 2)
          .forEach(line -> lines.add(new AttributedString(" " + line, TerminalStyle.PROBLEM)));
      return lines;
    }
    lines.addAll(new JobLines(report, view, width).lines());
    lines.addAll(new WaiterLines(report, view, width).lines());
    lines.addAll(LaneLines.of(report, view));
    report
        .others()
        .text(Cells.gib(report.others().heldBytes()))
        .ifPresent(
            text -> {
              lines.add(AttributedString.EMPTY);
              lines.add(quiet(" " + text));
            });
    return lines;
  }

  private static AttributedString quiet(String text) {
    return new AttributedString(text, TerminalStyle.QUIET);
  }

  private AttributedString footer(int from, int to, int of) {
    String keys =
        String.format(
            Locale.ROOT,
            " q quit  p %s  s sort: %s  d device: %s  ? help",
            view.paused() ? "go on" : "pause",
            view.sort().text,
            view.device().isEmpty() ? "all" : Integer.toString(view.device().getAsInt()));
    String where = from == 0 && to == of ? "" : (from + 1) + "-" + to + " of " + of + "  j/k ";
    AttributedStyle style = TerminalStyle.BAR;
    return new AttributedString(
        Cells.pad(Cells.right(new AttributedString(keys), where, width).toString(), width), style);
  }
}
