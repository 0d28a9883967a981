package org.schedgpu.gres.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parses {@code scontrol -d show nodes -o}: a line for each node, {@code Key=value}. Values written
 * by people (reason, comment) may contain blanks, line feeds and text that looks like other keys.
 * They come last, so the first value of a key is the real one.
 */
final class NodeRecords {
  private static final String BEGIN = "NodeName=";

  /**
   * A state such as {@code IDLE}, then flags such as {@code +DRAIN}, or the signs of sinfo: {@code
   * *} and others.
   */
  private static final Pattern STATE = Pattern.compile("([A-Z_]+)([^A-Z_+]*)((?:\\+[A-Z_]+)*)");

  private static final Pattern REASON =
      Pattern.compile(" Reason=(.*?)(?: \\[[^ @]+@[^ \\]]+\\].*| (?:Comment|Extra)=.*)?");

  private NodeRecords() {}

  /**
   * All nodes of scontrol's output.
   *
   * @throws LiveException if it is not that of scontrol
   */
  static List<LiveNode> parse(String output) {
    List<String> records = new ArrayList<>();
    for (String line : output.lines().filter(line -> !line.isBlank()).toList()) {
      if (line.startsWith(BEGIN)) {
        records.add(line);
      } else if (!records.isEmpty()) {
        records.set(records.size() - 1, records.get(records.size() - 1) + " " + line);
      } else if (!line.startsWith("No nodes")) {
        throw unknown(line);
      }
    }
    return records.stream().map(NodeRecords::node).toList();
  }

  private static LiveNode node(String record) {
    return new LiveNode(
        value(record, BEGIN),
        states(value(record, " State=")),
        none(value(record, " Gres=")),
        none(value(record, " GresUsed=")),
        reason(record),
        Integer.parseInt(value(record, " CPUTot=").replaceFirst("^$", "0")));
  }

  /** The value of a key; empty if the key is missing. */
  private static String value(String record, String key) {
    int begin = record.indexOf(key);
    if (begin < 0) {
      return "";
    }
    int end = record.indexOf(' ', begin + key.length());
    return record.substring(begin + key.length(), end < 0 ? record.length() : end);
  }

  private static String none(String value) {
    return value.equals("(null)") || value.equals("N/A") ? "" : value;
  }

  private static Set<String> states(String text) {
    Matcher state = STATE.matcher(text);
    if (!state.matches()) {
      throw unknown("State=" + text);
    }
    Stream<String> responds =
        state.group(2).contains("*") ? Stream.of("NOT_RESPONDING") : Stream.empty();
    return Stream.concat(responds, Stream.of((state.group(1) + state.group(3)).split("\\+", -1)))
        .collect(Collectors.toSet());
  }

  private static String reason(String record) {
    int begin = record.indexOf(" Reason=");
    if (begin < 0) {
      return "";
    }
    Matcher reason = REASON.matcher(record.substring(begin));
    return reason.matches() ? reason.group(1).strip() : "";
  }

  private static LiveException unknown(String what) {
    String shown = what.length() > 60 ? what.substring(0, 60) + "..." : what;
    return new LiveException(
        "scontrol printed '" + shown + "', which is not understood",
        "ask slurmrestd instead, with --rest, and tell us the version of Slurm");
  }
}
