package org.schedgpu.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.languagetool.JLanguageTool;
import org.languagetool.Language;
import org.languagetool.Languages;
import org.languagetool.rules.Rule;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

/**
 * LanguageTool with the project's words. Uses its rules about spelling, grammar and confused words,
 * without the chunker, which takes most of the time. Words that are not English are in words.txt.
 * Not thread-safe.
 */
final class Checker {
  private static final Set<String> CATEGORIES = Set.of("TYPOS", "GRAMMAR", "CONFUSED_WORDS");
  private static final Path WORDS = Path.of("src/test/resources/words.txt");
  private static final int CONTEXT = 30;

  /** Rules that are more often wrong than right about names and fragments. */
  private static final Set<String> OFF =
      Set.of(
          "PREPOSITION_VERB",
          "A_INFINITIVE",
          "A_ATTACH",
          "THE_SUPERLATIVE",
          "STARS_AND_STEPS",
          "IT_IS",
          "IT_IS_2",
          "IT_VBZ",
          "FEWER_LESS",
          "AUXILIARY_DO_WITH_INCORRECT_VERB_FORM",
          "LESS_MORE_THEN",
          "AGREEMENT_SENT_START",
          "NNS_THAT_AGREEMENT",
          "NEITHER_NOR",
          "MUCH_COUNTABLE",
          "BESIDES_BESIDE",
          "HE_VERB_AGR",
          "APOSTROPHE_PLURAL_",
          "REPEATED_VERBS");

  private final JLanguageTool tool;

  private Checker(boolean spellingOnly) throws IOException {
    Language english = Languages.getLanguageForShortCode("en-GB");
    english.setChunker(tokens -> {});
    tool = new JLanguageTool(english);
    List<String> words = Files.readAllLines(WORDS);
    for (Rule rule : tool.getAllRules()) {
      if (rule instanceof SpellingCheckRule spelling) {
        spelling.addIgnoreTokens(words);
      } else if (spellingOnly
          || OFF.contains(rule.getId())
          || !CATEGORIES.contains(rule.getCategory().getId().toString())) {
        tool.disableRule(rule.getId());
      }
    }
  }

  static Checker all() throws IOException {
    return new Checker(false);
  }

  static Checker spelling() throws IOException {
    return new Checker(true);
  }

  /** What is wrong: file, line, rule, and the words around it. */
  List<String> check(String file, Prose prose) throws IOException {
    List<String> wrong = new ArrayList<>();
    String text = prose.text();
    for (RuleMatch match : tool.check(text)) {
      if (!isAboutPlaceholder(text, match)) {
        int from = Math.max(0, match.getFromPos() - CONTEXT);
        int to = Math.min(text.length(), match.getToPos() + CONTEXT);
        wrong.add(
            "%s:%d: %s: '%s' in: ...%s..."
                .formatted(
                    file,
                    prose.line(match.getFromPos()),
                    match.getRule().getId(),
                    text.substring(match.getFromPos(), match.getToPos()),
                    text.substring(from, to).replace('\n', ' ')));
      }
    }
    return wrong;
  }

  /** The placeholder hides whether the name needs "a" or "an". */
  private static boolean isAboutPlaceholder(String text, RuleMatch match) {
    if (match.getRule() instanceof SpellingCheckRule) {
      return false;
    }
    int to = Math.min(text.length(), match.getToPos() + 1 + Prose.PLACEHOLDER.length());
    return text.substring(match.getFromPos(), to).contains(Prose.PLACEHOLDER);
  }
}
