package org.schedgpu.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each link leads to a file: of a page, with its anchor to a heading, and of the file system. */
class LinksTest {
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\n]*`");
  private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(#[^)\\s]*)?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  @Test
  void everyLinkOfThePagesLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : Tree.pages()) {
      broken.addAll(broken(page));
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void aLinkToNothingIsFound(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("b.md"), "# The `x`: one, two\n");
    Path page = folder.resolve("a.md");
    Files.writeString(
        page, "[r](b.md#the-x-one-two) [n](none.md) [a](b.md#three)\n```\n[c](code.md)\n```\n");
    assertEquals(List.of("a.md: none.md", "a.md: b.md#three"), broken(page));
  }

  /** A folder that moves takes its relative links along, and they break. */
  @Test
  void everySymbolicLinkLeadsSomewhere() throws IOException {
    List<Path> links = Tree.symbolicLinks();
    assertFalse(links.isEmpty(), "the search finds no symbolic link at all");
    assertEquals(List.of(), links.stream().filter(l -> !Files.exists(l)).map(Tree::name).toList());
  }

  private static List<String> broken(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Matcher m = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
        m.find(); ) {
      Path target = m.group(1).isEmpty() ? page : page.resolveSibling(m.group(1));
      if (!Files.exists(target)
          || (m.group(2) != null && !anchors(target).contains(m.group(2).substring(1)))) {
        broken.add(page.getFileName() + ": " + m.group(1) + (m.group(2) == null ? "" : m.group(2)));
      }
    }
    return broken;
  }

  /** The headings of a page as GitHub names them. */
  private static List<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(FENCE.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(m -> m.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1"))
        .map(s -> s.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
        .toList();
  }
}
