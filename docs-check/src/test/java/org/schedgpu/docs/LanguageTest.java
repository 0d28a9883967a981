package org.schedgpu.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Checks that pages, man pages and messages are written in English, with the words of words.txt.
 */
class LanguageTest {
  private static final String ADVICE = ": correct it, or add a word of ours to words.txt";

  private static final String C_SOURCES =
      "(libschedgpu/(?!tests/).*|spank-plugin-c|slurm-(pro|epi)log)/[^/]*\\.[ch]";
  private static final String JAVA_SOURCES =
      "(node-agent|gres-config-generator|libschedgpu-jna)/src/main/.*\\.java";

  private static void check(Checker checker, List<Path> files, Function<String, Prose> prose)
      throws IOException {
    assertTrue(!files.isEmpty(), "no file is checked");
    List<String> wrong = new ArrayList<>();
    for (Path file : files) {
      wrong.addAll(checker.check(Tree.name(file), prose.apply(Files.readString(file))));
    }
    assertTrue(wrong.isEmpty(), () -> String.join("\n", wrong) + ADVICE);
  }

  @Test
  void pagesAreEnglish() throws IOException {
    check(Checker.all(), Tree.pages(), Prose::ofMarkdown);
  }

  @Test
  void manPagesAreEnglish() throws IOException {
    check(Checker.all(), Tree.files(n -> n.matches(".*\\.[1-8]")), Prose::ofManPage);
  }

  @Test
  void messagesAreSpeltRight() throws IOException {
    List<Path> sources = Tree.files(n -> n.matches(C_SOURCES) || n.matches(JAVA_SOURCES));
    check(Checker.spelling(), sources, Prose::ofMessages);
  }

  @Test
  void aMistakeIsFound() throws IOException {
    Checker checker = Checker.all();
    assertEquals(
        List.of("p.md:3: MORFOLOGIK_RULE_EN_GB: 'rezerves'"),
        places(checker, Prose.ofMarkdown("# Head\n\nA job rezerves `memry` of it.\n")));
    assertEquals(
        List.of("p.md:1: PRP_VBG: 'It waiting'"),
        places(checker, Prose.ofMarkdown("It waiting for memory.\n\n```\nIt waiting\n```\n")));
    assertEquals(
        List.of("p.md:2: MORFOLOGIK_RULE_EN_GB: 'memmory'"),
        places(checker, Prose.ofManPage(".TP\nmuch memmory of \\fBmemry\\fR\n")));
    assertEquals(
        List.of("p.md:1: MORFOLOGIK_RULE_EN_GB: 'memmory'"),
        places(checker, Prose.ofMessages("say(\"not enough memmory for %s\");")));
  }

  private static List<String> places(Checker checker, Prose prose) throws IOException {
    return checker.check("p.md", prose).stream().map(s -> s.replaceAll(" in: .*", "")).toList();
  }
}
