package org.schedgpu.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code make site}: what the site generator makes of the pages leads somewhere, too. */
class SiteTest {
  private static final Path MAKE_SITE = Tree.ROOT.resolve("packaging/site/make-site");
  private static final Path SITE = Tree.ROOT.resolve("target/site");
  private static final Pattern LINK =
      Pattern.compile(" (?:href|src)=\"(?![a-z]+:|//)([^\"#?]*)(#[^\"]*)?\"");
  private static final Pattern ID = Pattern.compile(" (?:id|name)=\"?([^\" >]*)");

  /** Block elements in a list, as two readers of Markdown see them alike. */
  private static final Pattern SHALLOW = Pattern.compile("(?m)^ {1,3}(?:[-*] |[0-9]+\\. |```).*$");

  private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");

  @Test
  void everyLinkOfTheSiteLeadsSomewhere() throws IOException, InterruptedException {
    for (String tool : List.of("mkdocs", "mandoc")) {
      assumeTrue(
          Stream.of(System.getenv("PATH").split(":"))
              .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool))),
          tool + " is not installed");
    }
    Process made = new ProcessBuilder(MAKE_SITE.toString()).redirectErrorStream(true).start();
    String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, made.waitFor(), said);
    List<Path> pages = pages(SITE);
    assertTrue(pages.size() > 50, said);
    List<String> broken = new ArrayList<>();
    for (Path page : pages) {
      broken.addAll(broken(page));
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void aLinkToNothingIsFound(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("b.html"), "<h2 id=\"two\">Two</h2>");
    Path page = folder.resolve("a.html");
    Files.writeString(
        page,
        "<a href=\"b.html#two\"> <a href=\"b.html#three\"> <img src=\"c.png\"> <a href=\"x:y\">");
    assertEquals(List.of("a.html: b.html#three", "a.html: c.png"), broken(page));
  }

  /** GitHub takes two spaces; the generator of the site makes of them a block outside the list. */
  @Test
  void blocksInAListAreIndentedByFourSpaces() throws IOException {
    List<String> shallow = new ArrayList<>();
    for (Path page : Tree.pages()) {
      SHALLOW
          .matcher(FENCE.matcher(Files.readString(page)).replaceAll(""))
          .results()
          .forEach(m -> shallow.add(Tree.name(page) + ": " + m.group()));
    }
    assertEquals(List.of(), shallow);
  }

  private static List<Path> pages(Path site) throws IOException {
    try (Stream<Path> files = Files.walk(site)) {
      return files
          .filter(f -> f.toString().endsWith(".html") && !f.endsWith("404.html"))
          .sorted()
          .toList();
    }
  }

  private static List<String> broken(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Matcher m = LINK.matcher(Files.readString(page)); m.find(); ) {
      Path target = m.group(1).isEmpty() ? page : page.resolveSibling(m.group(1)).normalize();
      String anchor = m.group(2) == null ? "" : m.group(2);
      boolean led = Files.exists(target) && (anchor.length() < 2 || ids(target).contains(anchor));
      if (!led) {
        broken.add(page.getFileName() + ": " + m.group(1) + anchor);
      }
    }
    return broken;
  }

  private static Set<String> ids(Path page) throws IOException {
    return ID.matcher(Files.readString(page))
        .results()
        .map((MatchResult m) -> "#" + m.group(1))
        .collect(Collectors.toCollection(HashSet::new));
  }
}
