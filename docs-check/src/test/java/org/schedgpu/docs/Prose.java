package org.schedgpu.docs;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sentences of a file without its markup, and from which line each comes. Code, names and
 * values are replaced by one placeholder, because they are not English.
 */
final class Prose {
  static final String PLACEHOLDER = "X";

  private static final Pattern FENCE = Pattern.compile(" *```.*");
  private static final Pattern CODE = Pattern.compile("`[^`]*`|<[^<>]*>|https?://\\S+");
  private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Pattern NEW_BLOCK = Pattern.compile(" *(?:[-*] |\\d+\\. |#+ |\\|).*");
  private static final Pattern RULE = Pattern.compile("\\|[-| ]+\\|");
  private static final Pattern FONT = Pattern.compile("\\\\f[BI].*?\\\\f[RP]");
  private static final Pattern MACRO = Pattern.compile("\\.(?:B|I|BR|BI|IR|RB|RI) .*");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern VALUE = Pattern.compile("%[-+0-9.*l]*[a-zA-Z]|\\\\.|\\{\\}|%n");
  private static final int FEWEST_WORDS = 4;

  /** Names of code, keys and abbreviations: CamelCase, capitals, digits, underscores. */
  private static final Pattern NAME =
      Pattern.compile(
          "[-\\w./%]*(?:[a-z][A-Z]|[A-Z][A-Z]|_|=|\\d[a-z]|[a-z]\\d)[-\\w./%=]*\\w"
              + "|(?<!\\w)--?[a-z][-a-z]+|\\$+\\w+|[-\\w./]*/[-\\w./]*");

  private final StringBuilder text = new StringBuilder();
  private final TreeMap<Integer, Integer> lines = new TreeMap<>();

  private Prose() {}

  String text() {
    return text.toString();
  }

  /** The line of the file, from 1, for a place of the text. */
  int line(int offset) {
    Map.Entry<Integer, Integer> entry = lines.floorEntry(offset);
    return entry == null ? 1 : entry.getValue();
  }

  private void add(int line, String words, boolean newBlock) {
    text.append(newBlock ? "\n\n" : "\n");
    lines.put(text.length(), line);
    text.append(NAME.matcher(words).replaceAll(PLACEHOLDER));
  }

  /** A page: paragraphs, items and cells of tables are blocks of their own. */
  static Prose ofMarkdown(String page) {
    Prose prose = new Prose();
    boolean inCode = false;
    int number = 0;
    for (String raw : withoutMarkup(page).split("\n", -1)) {
      number++;
      if (FENCE.matcher(raw).matches()) {
        inCode = !inCode;
      } else if (!inCode && !raw.startsWith("    ") && !RULE.matcher(raw).matches()) {
        for (String cell : raw.startsWith("|") ? raw.split("\\|") : new String[] {raw}) {
          prose.add(number, cell, raw.isBlank() || NEW_BLOCK.matcher(raw).matches());
        }
      }
    }
    return prose;
  }

  /** Code and links may continue over the end of a line, and line numbers stay right. */
  private static String withoutMarkup(String page) {
    String fences =
        Pattern.compile("(?ms)^ *```.*?^ *```").matcher(page).replaceAll(Prose::emptied);
    String plain = CODE.matcher(fences).replaceAll(m -> PLACEHOLDER + newlines(m.group()));
    return LINK.matcher(plain)
        .replaceAll(m -> Matcher.quoteReplacement(m.group(1)) + newlines(after(m)))
        .replace("*", "");
  }

  private static String after(java.util.regex.MatchResult link) {
    return link.group().substring(link.group(1).length());
  }

  private static String emptied(java.util.regex.MatchResult block) {
    return newlines(block.group());
  }

  private static String newlines(String text) {
    return text.replaceAll("[^\n]", "");
  }

  /** A man page: bold and italic texts are names. */
  static Prose ofManPage(String page) {
    Prose prose = new Prose();
    int number = 0;
    for (String raw : page.split("\n", -1)) {
      number++;
      boolean macro = raw.startsWith(".");
      String line = MACRO.matcher(raw).matches() ? PLACEHOLDER : macro ? "" : raw;
      prose.add(
          number,
          FONT.matcher(line).replaceAll(PLACEHOLDER).replace("\\-", "-").replace("\\(aq", "'"),
          macro && line.isEmpty());
    }
    return prose;
  }

  /** Strings of a program with several words, most of which are messages. */
  static Prose ofMessages(String source) {
    Prose prose = new Prose();
    int number = 0;
    for (String line : source.split("\n", -1)) {
      number++;
      for (Matcher m = LITERAL.matcher(line); m.find(); ) {
        String words = VALUE.matcher(m.group(1)).replaceAll(" " + PLACEHOLDER + " ");
        if (words.strip().split(" +").length >= FEWEST_WORDS && !words.matches(".*[<>{};|*].*")) {
          prose.add(number, words, true);
        }
      }
    }
    return prose;
  }
}
