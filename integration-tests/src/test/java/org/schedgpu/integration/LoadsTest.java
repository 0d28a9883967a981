package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page's table of what each shipped file needs of glibc, for x86-64. */
class LoadsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** The rows of the table without the column of aarch64, which takes minutes to build. */
  private static List<String> rows(String text) {
    return text.lines()
        .dropWhile(line -> !line.startsWith("| File | Needs, x86-64"))
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.replaceFirst("[^|]*[|]$", ""))
        .toList();
  }

  @Test
  void thePageSaysWhatTheFilesNeed() throws Exception {
    Process process =
        new ProcessBuilder(ROOT.resolve("build-support/loads").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assumeTrue(
        Files.readString(Path.of("/etc/os-release")).contains("VERSION_CODENAME=bookworm"),
        "other compilers call other functions; the page has those of Debian 12");
    List<String> table = rows(said);
    assertTrue(table.size() > 2, said);
    assertEquals(table, rows(Files.readString(ROOT.resolve("docs/how-to/install.md"))), said);
  }
}
