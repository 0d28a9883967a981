package org.schedgpu.gres.conf;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One line of plugstack.conf, which has a simple syntax of its own: words separated by blanks, a
 * comment after any {@code #}, no quotes and no continuation.
 *
 * @param raw the text in the file, with its line end
 * @param words empty for a comment or a blank line
 */
public record PlugStackLine(Place place, String raw, List<String> words) {
  /** The number of bytes that Slurm reads at once; it takes the rest for another line. */
  static final int MAX_BYTES = 4095;

  private static final List<String> KINDS = List.of("required", "optional", "include");

  /**
   * @throws org.schedgpu.gres.common.GresException if Slurm would ignore the line or split it
   */
  static PlugStackLine parse(String raw, Place place) {
    if (raw.length() > MAX_BYTES) {
      throw place.error(
          "the line has %d bytes, Slurm reads %d".formatted(raw.length(), MAX_BYTES), "shorten it");
    }
    int comment = raw.indexOf('#');
    String text = comment < 0 ? raw : raw.substring(0, comment);
    List<String> words =
        Arrays.stream(text.split("[ \t\n]+", -1)).filter(word -> !word.isEmpty()).toList();
    check(words, place);
    return new PlugStackLine(place, raw, words);
  }

  private static void check(List<String> words, Place place) {
    if (words.stream().anyMatch(word -> word.indexOf('\r') >= 0)) {
      throw place.error(
          "the line ends in a carriage return, which Slurm takes for a part of the last word",
          "save the file with UNIX line ends");
    }
    if (!words.isEmpty() && !KINDS.contains(words.get(0))) {
      throw place.error(
          "%s is none of required, optional, include".formatted(Spaces.shown(words.get(0))),
          "correct the word (in small letters); Slurm ignores the line");
    }
    if (words.size() == 1) {
      throw place.error(
          "nothing follows '%s'".formatted(words.get(0)), "name the plugin or the files");
    }
  }

  /** The plugin of a required or optional line. */
  public Optional<String> plugin() {
    return words.isEmpty() || include().isPresent() ? Optional.empty() : Optional.of(words.get(1));
  }

  /** True if Slurm fails when the plugin does not load. */
  public boolean required() {
    return !words.isEmpty() && words.get(0).equals("required");
  }

  /** The arguments of the plugin. */
  public List<String> arguments() {
    return plugin().isPresent() ? words.subList(2, words.size()) : List.of();
  }

  /** The pattern of an include line. */
  public Optional<String> include() {
    boolean include = !words.isEmpty() && words.get(0).equals("include");
    return include ? Optional.of(words.get(1)) : Optional.empty();
  }
}
