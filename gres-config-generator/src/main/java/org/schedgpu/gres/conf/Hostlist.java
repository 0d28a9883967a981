package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.schedgpu.gres.common.GresException;

/**
 * Slurm's short form for many names: {@code gpu[01-16,20]-ib[0-1],login1}. Brackets contain numbers
 * and ranges. All numbers of a range are as wide as the first one. Nothing may follow the last
 * bracket of a name.
 */
public final class Hostlist {
  /** Slurm's limit for one range, and for all brackets before the last one together. */
  static final int MAX_RANGE = 64 * 1024;

  private Hostlist() {}

  /**
   * All names in Slurm's order. With several brackets, the last one changes fastest; of the others
   * the first does.
   *
   * @throws GresException if Slurm would reject the text, or read another name than intended
   */
  public static List<String> expand(String text) {
    List<String> names = new ArrayList<>();
    for (String word : words(text)) {
      expandWord(word, names);
    }
    return names;
  }

  /**
   * Writes names in Slurm's short form, in their order: {@code n1,n2,n4} becomes {@code n[1-2,4]}.
   */
  public static String compress(Collection<String> names) {
    return new HostlistWriter().write(names);
  }

  /** Splits at commas and blanks outside brackets. */
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inBrackets = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '[' || c == ']') {
        if (inBrackets == (c == '[')) {
          throw refused(text, "has brackets that do not match", "close each '[' with a ']'");
        }
        inBrackets = c == '[';
      }
      boolean separates = !inBrackets && (c == ',' || c == ' ' || c == '\t' || c == '\n');
      if (!separates) {
        word.append(c);
      } else if (word.length() > 0) {
        words.add(word.toString());
        word.setLength(0);
      }
    }
    if (inBrackets) {
      throw refused(text, "has brackets that do not match", "close each '[' with a ']'");
    }
    if (word.length() > 0) {
      words.add(word.toString());
    }
    return words;
  }

  private static void expandWord(String word, List<String> names) {
    int bracket = word.lastIndexOf('[');
    if (bracket < 0) {
      names.add(word);
      return;
    }
    if (!word.endsWith("]")) {
      throw refused(
          word,
          "continues after its last bracket, which Slurm refuses",
          "name the hosts one by one, or end each name in its number");
    }
    List<String> numbers = numbers(word, word.substring(bracket + 1, word.length() - 1));
    for (String prefix : prefixes(word, word.substring(0, bracket))) {
      numbers.forEach(number -> names.add(prefix + number));
    }
  }

  /**
   * Expands the brackets before the last one. Slurm uses the last bracket of the prefix as the
   * outermost loop.
   */
  private static List<String> prefixes(String word, String prefix) {
    List<String> tails = List.of("");
    String rest = prefix;
    for (int open = rest.lastIndexOf('['); open >= 0; open = rest.lastIndexOf('[')) {
      int close = rest.indexOf(']', open);
      String between = rest.substring(close + 1);
      List<String> more = new ArrayList<>();
      for (String tail : tails) {
        for (String number : numbers(word, rest.substring(open + 1, close))) {
          more.add(number + between + tail);
        }
      }
      if (more.size() > MAX_RANGE) {
        throw refused(word, "is more than %d prefixes".formatted(MAX_RANGE), "use several words");
      }
      tails = more;
      rest = rest.substring(0, open);
    }
    String head = rest;
    return tails.stream().map(tail -> head + tail).toList();
  }

  private static List<String> numbers(String word, String list) {
    List<String> numbers = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      addRange(word, range, numbers);
    }
    return numbers;
  }

  private static void addRange(String word, String range, List<String> numbers) {
    int dash = range.indexOf('-');
    String low = dash < 0 ? range : range.substring(0, dash);
    long first = number(word, low);
    long last = dash < 0 ? first : number(word, range.substring(dash + 1));
    if (first > last) {
      throw refused(word, "has the range " + range, "write the smaller number first");
    }
    if (last - first + 1 > MAX_RANGE) {
      throw refused(
          word, "has more than %d hosts in one range".formatted(MAX_RANGE), "use several ranges");
    }
    for (long number = first; number <= last; number++) {
      numbers.add(padded(number, low.length()));
    }
  }

  private static long number(String word, String digits) {
    if (digits.isEmpty() || digits.length() > 18 || !digits.chars().allMatch(Hostlist::isDigit)) {
      throw refused(
          word,
          "has %s where a number belongs".formatted(Spaces.shown(digits)),
          "write numbers and ranges in brackets, such as [01-16,20]");
    }
    return Long.parseLong(digits);
  }

  static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  static String padded(long number, int width) {
    String digits = Long.toString(number);
    return digits.length() >= width ? digits : "0".repeat(width - digits.length()) + digits;
  }

  private static GresException refused(String text, String problem, String action) {
    return new GresException("hostlist %s %s".formatted(Spaces.shown(text), problem), action);
  }
}
