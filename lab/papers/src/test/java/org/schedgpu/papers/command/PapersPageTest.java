package org.schedgpu.papers.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.common.MarkdownText;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.paper001.Paper001;
import org.schedgpu.papers.paper002.Paper002;
import org.schedgpu.papers.paper003.Paper003;
import org.schedgpu.papers.paper004.Paper004;

/** docs/explanation/papers.md shows what the program prints: the same seeds, the same bytes. */
class PapersPageTest {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.root")).toAbsolutePath().normalize();

  private final Page page = new Page(ROOT);

  /** Where a difference is found, the block is kept for the page. */
  private void check(String paper, List<Part> parts) throws IOException {
    String block = Page.block(parts);
    Files.writeString(Path.of("target", "papers-" + paper + ".md"), block);
    assertEquals(block, page.shown(paper), "the page is out of date: run make papers-page");
  }

  @Test
  void paper001IsWhatThePageShows() throws IOException {
    check("001", Paper001.parts(ROOT, begins -> {}));
  }

  @Test
  void paper002IsWhatThePageShows() throws IOException {
    check("002", Paper002.parts(begins -> {}));
  }

  /** What takes a minute or more is played for its first seed alone. */
  private void check(String paper, List<Part> small, List<String> firstSeed) throws IOException {
    String shown = page.shown(paper);
    String text = MarkdownText.of(small);
    Files.writeString(Path.of("target", "papers-" + paper + ".md"), text);
    assertTrue(shown.contains(text), "the page is out of date: run make papers-page");
    String seed = "| " + String.join(" | ", firstSeed) + " |\n";
    assertTrue(shown.contains(seed), () -> "run make papers-page: no " + seed);
  }

  @Test
  void paper003IsWhatThePageShows() throws IOException {
    check("003", Paper003.small(begins -> {}), Paper003.firstSeed());
  }

  @Test
  void paper004IsWhatThePageShows() throws IOException {
    check("004", Paper004.small(ROOT, begins -> {}), Paper004.firstSeed());
  }
}
