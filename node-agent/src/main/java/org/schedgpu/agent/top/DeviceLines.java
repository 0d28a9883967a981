package org.schedgpu.agent.top;

import java.util.List;
import java.util.Locale;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.schedgpu.agent.top.TopReport.DeviceRow;

/** A device with its memory as a bar. */
final class DeviceLines {
  private static final int NUMBERS_WIDTH = 29;
  private static final int SHORT_NUMBERS_WIDTH = 26;

  private final TerminalStyle look;
  private final int width;

  DeviceLines(TerminalStyle look, int width) {
    this.look = look;
    this.width = width;
  }

  List<AttributedString> two(DeviceRow row) {
    AttributedStringBuilder name = new AttributedStringBuilder();
    name.append(Cells.right(Integer.toString(row.index()), 2), TerminalStyle.BOLD).append(" ");
    String label = row.emulated() ? " (emulated)" : "";
    String nvml = nvml(row);
    int room = Math.max(8, width - 5 - label.length() - nvml.length());
    name.append(Cells.cut(row.name(), room) + label);
    AttributedStringBuilder bar = new AttributedStringBuilder().append("   ");
    bar(bar, row, Math.max(4, width - 4 - NUMBERS_WIDTH));
    String free =
        String.format(
            Locale.ROOT, " %6s free of %s GiB", gib(row.freeBytes()), gib(row.usableBytes()));
    bar.append(free);
    return List.of(
        Cells.right(name.toAttributedString(), nvml + " ", width), bar.toAttributedString());
  }

  /** Number, bar and the most important values, for nodes with many devices. */
  List<AttributedString> one(DeviceRow row) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.append(Cells.right(Integer.toString(row.index()), 2), TerminalStyle.BOLD).append(" ");
    bar(line, row, Math.max(4, width - 4 - SHORT_NUMBERS_WIDTH));
    line.append(
        String.format(
            Locale.ROOT,
            " %6s free of %s%s",
            gib(row.freeBytes()),
            gib(row.usableBytes()),
            percent(row)));
    return List.of(line.toAttributedString());
  }

  private static String percent(DeviceRow row) {
    return row.utilisationPercent().isEmpty()
        ? ""
        : String.format(Locale.ROOT, " %3d%%", row.utilisationPercent().getAsInt());
  }

  private static String nvml(DeviceRow row) {
    String busy = percent(row);
    String used =
        row.nvmlUsedBytes().isEmpty()
            ? ""
            : "  NVML " + gib(row.nvmlUsedBytes().getAsLong()) + " GiB used";
    return (busy.isEmpty() ? "" : "busy" + busy) + used;
  }

  private static String gib(long bytes) {
    return Cells.gib(bytes);
  }

  /** Rounds each part to columns so that the bar always has the same length. */
  private void bar(AttributedStringBuilder line, DeviceRow row, int columns) {
    int inUse = columns(row.inUseBytes(), row, columns);
    int idle = columns(row.inUseBytes() + row.idleBytes(), row, columns);
    int all = columns(row.inUseBytes() + row.idleBytes() + row.otherBytes(), row, columns);
    line.append(look.inUse.repeat(inUse), TerminalStyle.IN_USE);
    line.append(look.idle.repeat(idle - inUse), TerminalStyle.IDLE);
    line.append(look.other.repeat(all - idle), TerminalStyle.OTHER);
    line.append(look.free.repeat(columns - all), TerminalStyle.QUIET);
  }

  private static int columns(long bytes, DeviceRow row, int columns) {
    return row.usableBytes() <= 0
        ? columns
        : (int) Math.min(columns, Math.round((double) bytes / row.usableBytes() * columns));
  }

  AttributedString legend() {
    return new AttributedStringBuilder()
        .append("   ")
        .append(look.inUse, TerminalStyle.IN_USE)
        .append(" in use  ", TerminalStyle.QUIET)
        .append(look.idle, TerminalStyle.IDLE)
        .append(" held, not in use  ", TerminalStyle.QUIET)
        .append(look.other, TerminalStyle.OTHER)
        .append(" contexts, outside memory  ", TerminalStyle.QUIET)
        .append(look.free, TerminalStyle.QUIET)
        .append(" free", TerminalStyle.QUIET)
        .toAttributedString();
  }
}
