package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;

/**
 * One logical line of a file: key-value pairs, an include, or only blanks and comment. Immutable.
 */
public final class ConfLine {
  private static final String INCLUDE = "include";

  private final LogicalLine line;
  private final Place place;
  private final List<KeyValue> pairs;
  private final String include;

  private ConfLine(LogicalLine line, Place place, List<KeyValue> pairs, String include) {
    this.line = line;
    this.place = place;
    this.pairs = List.copyOf(pairs);
    this.include = include;
  }

  static ConfLine of(LogicalLine line, Place place) {
    String text = line.seen();
    if (isInclude(text)) {
      return new ConfLine(line, place, List.of(), includedName(text, place));
    }
    return new ConfLine(line, place, PairScanner.scan(line, place), null);
  }

  /**
   * An include begins at the very start of a line; after a blank the word has no special meaning.
   */
  private static boolean isInclude(String text) {
    return text.regionMatches(true, 0, INCLUDE, 0, INCLUDE.length())
        && text.length() > INCLUDE.length()
        && Spaces.isSpace(text.charAt(INCLUDE.length()));
  }

  private static String includedName(String text, Place place) {
    int start = Spaces.skip(text, INCLUDE.length());
    int end = Spaces.skipWord(text, start);
    if (start == end) {
      throw place.error("Include names no file", "name it, or take the line out");
    }
    if (!Spaces.onlySpace(text, end)) {
      throw place.error(
          "%s follows the name of the included file".formatted(Spaces.shown(text.substring(end))),
          "one file to an Include line; a name cannot have blanks");
    }
    return text.substring(start, end);
  }

  /** The text of the line in the file, with its line ends. */
  public String raw() {
    return line.raw();
  }

  /** The comment at its end, with the line end. */
  String comment() {
    return line.comment();
  }

  /** The text that Slurm sees, after it joined continued lines and cut the comment. */
  String seen() {
    return line.seen();
  }

  /** The place where the line begins. */
  public Place place() {
    return place;
  }

  /** The pairs in their order; empty for an include, a comment or a blank line. */
  public List<KeyValue> pairs() {
    return pairs;
  }

  /** The name after {@code Include}, as written. */
  public Optional<String> include() {
    return Optional.ofNullable(include);
  }

  /** The pair with this key. If there are several, Slurm uses the last, and so does this method. */
  public Optional<KeyValue> pair(String key) {
    return pairs.stream().filter(pair -> pair.hasKey(key)).reduce((first, last) -> last);
  }

  /** The value of {@link #pair}. */
  public Optional<String> value(String key) {
    return pair(key).map(KeyValue::value);
  }

  /** True if this is the first key of the line. */
  public boolean startsWith(String key) {
    return !pairs.isEmpty() && pairs.get(0).hasKey(key);
  }

  /** The line end of this line; empty for a last line without one. */
  String lineEnd() {
    return raw().endsWith("\r\n") ? "\r\n" : raw().endsWith("\n") ? "\n" : "";
  }
}
