package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Changes the text of one line. Spacing, order, comment and the spelling of keys stay. */
final class LineEdit {
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_.]+");
  private static final Pattern VALUE = Pattern.compile("[ -~&&[^\"]]*");

  private LineEdit() {}

  static String set(ConfLine line, String key, String value) {
    requireUsable(line.place(), key, value);
    Optional<KeyValue> old = line.pair(key);
    if (old.isPresent()) {
      KeyValue pair = old.get();
      boolean same = pair.value().equals(value);
      return same ? line.raw() : replace(line, pair.valueStart(), pair.end(), text(value, pair));
    }
    List<KeyValue> pairs = line.pairs();
    if (pairs.isEmpty()) {
      throw line.place()
          .error("there is no Key=Value to add " + key + "= to", "add a line instead");
    }
    int end = pairs.get(pairs.size() - 1).end();
    return replace(line, end, end, separator(line) + key + "=" + text(value, null));
  }

  static String remove(ConfLine line, String key) {
    if (line.startsWith(key)) {
      throw line.place().error(key + "= begins the line", "remove the whole line instead");
    }
    List<KeyValue> pairs = line.pairs();
    StringBuilder raw = new StringBuilder(line.raw());
    for (int i = pairs.size() - 1; i > 0; i--) {
      if (pairs.get(i).hasKey(key)) {
        raw.delete(pairs.get(i - 1).end(), pairs.get(i).end());
      }
    }
    return raw.toString();
  }

  /** The separator between the last two pairs of the line, if it is a simple one. */
  private static String separator(ConfLine line) {
    List<KeyValue> pairs = line.pairs();
    if (pairs.size() < 2) {
      return " ";
    }
    KeyValue last = pairs.get(pairs.size() - 1);
    String between = line.raw().substring(pairs.get(pairs.size() - 2).end(), last.start());
    return between.equals("\t") ? between : " ";
  }

  private static String replace(ConfLine line, int from, int to, String text) {
    return line.raw().substring(0, from) + text + line.raw().substring(to);
  }

  private static String text(String value, KeyValue old) {
    String escaped = value.replace("\\", "\\\\").replace("#", "\\#");
    boolean quotes = value.isEmpty() || value.indexOf(' ') >= 0 || (old != null && old.quoted());
    return quotes ? '"' + escaped + '"' : escaped;
  }

  private static void requireUsable(Place place, String key, String value) {
    if (!KEY.matcher(key).matches()) {
      throw place.error("'" + key + "' is not a key", "use letters, digits, '_' and '.'");
    }
    if (!VALUE.matcher(value).matches()) {
      throw place.error(
          "%s=%s cannot be written".formatted(key, Spaces.shown(value)),
          "use printable ASCII without '\"', which Slurm cannot escape");
    }
  }
}
