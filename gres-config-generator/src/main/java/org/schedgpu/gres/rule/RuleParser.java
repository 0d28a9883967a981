package org.schedgpu.gres.rule;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/** Parses a rule, {@code KEY=VALUE,...}; commas in brackets do not separate. */
final class RuleParser {
  private static final String KEYS =
      "use nodes, type, per-gpu, per-cpu, share, order, keep-exclusive and exclusive-type";

  private final Map<String, String> words;

  private RuleParser(Map<String, String> words) {
    this.words = words;
  }

  static RuleParser of(String text) {
    Map<String, String> words = new LinkedHashMap<>();
    for (String word : split(text)) {
      int at = word.indexOf('=');
      String key = (at < 0 ? word : word.substring(0, at)).strip().toLowerCase(Locale.ROOT);
      if (at < 0 && !key.equals("per-cpu")) {
        throw new GresException(
            Check.quoted(word) + " is not KEY=VALUE",
            KEYS + "; several nodes are gpu[1-4,7], or further rules");
      }
      if (words.put(key, at < 0 ? "" : word.substring(at + 1).strip()) != null) {
        throw new GresException("the key " + key + " is set twice", "keep one of them");
      }
    }
    return new RuleParser(words);
  }

  private static List<String> split(String text) {
    List<String> words = new ArrayList<>();
    int start = 0;
    int depth = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && (depth == 0 || i == text.length())) {
        words.add(text.substring(start, i));
        start = i + 1;
      }
    }
    return words;
  }

  /** Takes the value of a key; each key can be taken once. */
  Optional<String> take(String key) {
    return Optional.ofNullable(words.remove(key));
  }

  /** Present if the key is given; it takes no value. */
  Optional<Boolean> flag(String key) {
    Optional<String> value = take(key);
    if (value.isPresent() && !value.get().isEmpty()) {
      throw new GresException(key + " has the value " + value.get(), "write " + key + " alone");
    }
    return value.map(v -> true);
  }

  Optional<Integer> number(String key, int min, int max) {
    return take(key)
        .map(
            text -> {
              try {
                return Check.range(key, Integer.parseInt(text), min, max);
              } catch (NumberFormatException e) {
                throw new GresException(
                    key + " " + Check.quoted(text) + " is not a number",
                    "use a number from %d to %d".formatted(min, max),
                    e);
              }
            });
  }

  /**
   * @throws GresException if a key was not taken
   */
  void requireNoMore() {
    for (String key : words.keySet()) {
      throw new GresException("the key " + Check.quoted(key) + " is not known", KEYS);
    }
  }
}
