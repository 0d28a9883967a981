package org.schedgpu.agent.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;

class EstimateCommandTest {
  private static final Path PAGE = Path.of("../docs/how-to/ask-for-the-right-amount.md");

  @TempDir Path folder;

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private String source(String text) throws IOException {
    return Files.writeString(folder.resolve("a.cu"), text).toString();
  }

  /** The source and the outputs that the page shows. */
  @Test
  void thePageShowsWhatIsPrinted() throws IOException {
    String page = Files.readString(PAGE);
    Matcher example =
        Pattern.compile("```cuda\n(.*?)```.*?```\n(.*?)```.*?```\n(.*?)```", Pattern.DOTALL)
            .matcher(page.substring(page.indexOf("## Before the first run")));
    assertTrue(example.find());
    String file = source(example.group(1));
    Cli partly = Cli.run("estimate", file);
    assertEquals(4, partly.exitCode());
    assertEquals(example.group(2), partly.out().replace(file, "vectors.cu"));
    Cli whole = Cli.run("estimate", file, "-D", "n=268435456");
    assertEquals(0, whole.exitCode());
    assertEquals(example.group(3), whole.out().replace(file, "vectors.cu"));
  }

  @Test
  void theOptionAloneIsPrintedIfAllIsKnown() throws IOException {
    String file = source("int main() { cudaMalloc(&p, n << 20); }");
    Cli unknown = Cli.run("estimate", file, "--option");
    assertEquals(4, unknown.exitCode());
    assertEquals("", unknown.out());
    assertEquals(
        "schedgpu: the sizes of some calls are unknown: see them without --option\n",
        unknown.err());
    Cli known = Cli.run("estimate", file, "--option", "-Dn=1000");
    assertEquals("--schedgpu-mem=1280M\n", known.out());
    assertEquals(0, known.exitCode());
  }

  @Test
  void jsonHasExactBytes() throws IOException {
    String file = source("int main() { cudaMalloc(&p, 5); cudaMalloc(&p, n); }");
    Cli answer = Cli.run("estimate", file, "--json");
    assertEquals(4, answer.exitCode());
    assertTrue(answer.out().contains("\"knownBytes\": 512"), answer::out);
    assertTrue(answer.out().contains("\"unknown\": 1"), answer::out);
    assertTrue(answer.out().contains("\"option\": null"), answer::out);
    assertTrue(answer.out().contains("\"line\": 1"), answer::out);
  }

  @Test
  void aFileThatCannotBeReadIsOneLine() {
    Cli answer = Cli.run("estimate", folder.resolve("none.cu").toString());
    assertEquals(1, answer.exitCode());
    assertEquals("", answer.out());
    assertEquals("schedgpu: " + folder.resolve("none.cu") + ": no such file\n", answer.err());
  }

  @Test
  void aSourceWithoutAllocationsSaysSo() throws IOException {
    Cli answer = Cli.run("estimate", source("int main() { return 0; }"));
    assertEquals("no call allocates device memory\n", answer.out());
    assertEquals(0, answer.exitCode());
  }

  @Test
  void aCommandWithoutFilesIsWrongUsage() {
    assertEquals(2, Cli.run("estimate").exitCode());
  }

  @Test
  void linesFitAScreenAndControlCharactersAreNotPrinted() throws IOException {
    String terms = "number_of_something_long + ".repeat(12);
    Cli answer =
        Cli.run("estimate", source("int main() { cudaMalloc(&p, " + terms + "\"\u001b[2J\"); }"));
    answer.out().lines().skip(1).forEach(line -> assertTrue(line.length() <= 80, line));
    assertTrue(answer.out().indexOf('\u001b') < 0);
  }
}
