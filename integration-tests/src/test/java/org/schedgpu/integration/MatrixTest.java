package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What `make matrix` runs, and how it shows the results; this test makes no roots. */
final class MatrixTest {
  private static final Path MATRIX = Build.root().resolve("build-support/matrix");
  private static final int TERMINAL_COLUMNS = 80;

  @TempDir Path folder;

  /** The classes in the map, in its order. */
  private static List<String> promised() throws IOException {
    List<String> classes = new ArrayList<>();
    for (String line : Files.readAllLines(MATRIX.resolve("promises"))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        List<String> words = List.of(line.split("\\s+", -1));
        assertTrue(Set.of("each", "once").contains(words.get(1)), line);
        classes.addAll(words.subList(2, words.size()));
      }
    }
    return classes;
  }

  /** Test classes by name, without abstract ones. */
  private static Set<String> testClasses(Path sources) throws IOException {
    Set<String> found = new HashSet<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(f -> f.toString().endsWith("Test.java")).toList()) {
        if (!Files.readString(file).contains("\nabstract class ")) {
          found.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    return found;
  }

  @Test
  void eachIntegrationTestBelongsToOnePromise() throws IOException {
    List<String> promised = promised();

    Set<String> missing = testClasses(Path.of("src/test/java"));
    missing.removeAll(promised);
    assertEquals(Set.of(), missing, "add them to " + MATRIX.resolve("promises"));
    assertEquals(promised.size(), new HashSet<>(promised).size(), promised::toString);
  }

  @Test
  void noPromiseIsShownByATestThatIsGone() throws IOException {
    Set<String> gone = new HashSet<>(promised());
    for (String module :
        List.of(
            "integration-tests",
            "lab/mini-cluster",
            "gres-config-generator",
            "slurm-rest-client")) {
      gone.removeAll(testClasses(Build.root().resolve(module + "/src/test/java")));
    }

    assertEquals(Set.of(), gone);
  }

  private record Output(int status, String output) {}

  private Output table() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(MATRIX.resolve("results").toString(), "table", folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), output);
  }

  private void ran(String release, int failed, String... failures) throws IOException {
    String cell =
        "{'passed': 3, 'failed': %d, 'failures': [%s], 'skips': [], 'commit': 'c0ffee00',"
            .concat(" 'date': '2026-11-23 20:00 UTC'}")
            .formatted(failed, String.join(", ", failures));
    String stage = "'v1': {'status': 0, 'cells': {'gate': " + cell + ", 'rollout': " + cell + "}}";
    Files.writeString(
        folder.resolve(release + ".json"),
        "{'release': '%s', 'slurm': '26.05.5', 'jdk': '25', 'stages': {%s}}"
            .formatted(release, stage)
            .replace('\'', '"'));
  }

  @Test
  void theTableHasWhatRanAndSaysWhatDidNot() throws Exception {
    ran("forky", 0);

    Output output = table();

    assertEquals(0, output.status(), output.output());
    assertTrue(output.output().contains("\ngate              3/3    not run\n"), output.output());
    assertTrue(output.output().contains("\nrollout           3/3       once\n"), output.output());
    assertTrue(output.output().contains("\ndemo          not run    not run\n"), output.output());
    assertTrue(output.output().contains("commit c0ffee00; 2026-11-23 to"), output.output());
  }

  @Test
  void aFailureIsNamedAndFailsTheWhole() throws Exception {
    ran("trixie", 1, "'GateTest.opens: expected: <1> but was: <2>'");

    Output output = table();

    assertEquals(1, output.status(), output.output());
    assertTrue(output.output().contains("\ngate              3/4"), output.output());
    String failure = "FAILED: trixie v1 gate: GateTest.opens\n        expected: <1> but was: <2>\n";
    assertTrue(output.output().contains(failure), output.output());
  }

  /** As for a test program that cannot be compiled there. */
  @Test
  void aStageThatFailedWithoutAFailedTestFailsTheWhole() throws Exception {
    ran("forky", 0);
    Path results = folder.resolve("forky.json");
    Files.writeString(results, Files.readString(results).replace("\"status\": 0", "\"status\": 2"));

    Output output = table();

    assertEquals(1, output.status(), output.output());
    assertTrue(output.output().contains("FAILED: forky v1: exit status 2\n"), output.output());
  }

  @Test
  void pyTorchHasARowOnlyIfItsStageRan() throws Exception {
    ran("bookworm", 0);
    assertFalse(table().output().contains("PyTorch"));

    Path results = folder.resolve("bookworm.json");
    String cell =
        "{'passed': 0, 'failed': 0, 'failures': [], 'skips': ['test_real_torch: too old'],"
            + " 'commit': 'c0ffee00', 'date': '2026-11-23 20:00 UTC'}";
    String torch = "'stages': {'torch': {'status': 0, 'cells': {'PyTorch': " + cell + "}}, ";
    Files.writeString(
        results, Files.readString(results).replace("\"stages\": {", torch.replace('\'', '"')));

    String output = table().output();
    assertTrue(output.contains("\nPyTorch           0/0       once\n"), output);
    assertTrue(
        output.contains("skipped: bookworm torch PyTorch: test_real_torch: too old\n"), output);
  }

  @Test
  void threeReleasesFitOnATerminal() throws Exception {
    for (String release : List.of("bookworm", "trixie", "forky")) {
      ran(release, 1, "'" + "x".repeat(TERMINAL_COLUMNS) + "'");
    }

    String output = table().output();

    assertTrue(output.contains("bookworm"), output);
    output.lines().forEach(line -> assertTrue(line.length() <= TERMINAL_COLUMNS, line));
  }

  private Output containerTable(int status) throws IOException, InterruptedException {
    String runs =
        "[['Any', '1.2', '', 'debian-11', 'queue'], ['Any', '1.2', '--x', 'debian-11', 'queue']]";
    String cell =
        "{'failures': [], 'skips': ['PyxisTest.(all): enroot is not installed'], 'commit':"
            + " 'c0ffee00', 'date': '2026-11-28 20:00 UTC'}";
    Files.writeString(
        folder.resolve("sid-containers.json"),
        "{'slurm': '26.05.5', 'runs': %s, 'stages': {'containers': {'status': %d, 'cells': {'c': %s}}}}"
            .formatted(runs, status, cell)
            .replace('\'', '"'));
    Process process =
        new ProcessBuilder(MATRIX.resolve("container-table").toString(), folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), output);
  }

  @Test
  void containersHaveATableOfTheirOwn() throws Exception {
    Output output = containerTable(0);

    assertEquals(0, output.status(), output.output());
    String row = "| Any 1.2 | queue | Debian 11: no options, `--x` |\n";
    assertTrue(output.output().contains(row), output.output());
    String skipped = "not run: PyxisTest.(all): enroot is not installed\n";
    assertTrue(output.output().contains(skipped), output.output());
    assertTrue(output.output().contains("containers.md shows other rows"), output.output());
  }

  @Test
  void aFailedRunOfContainersFailsTheWhole() throws Exception {
    assertEquals(1, containerTable(1).status());
  }

  /** The page's first table is written by hand, its last one by the matrix. */
  @Test
  void thePageNamesTheVersionsThatTheMatrixSaw() throws IOException {
    List<String> lines = Files.readAllLines(Page.named("how-to/containers.md"));
    List<String> seen =
        lines
            .subList(lines.indexOf("| Runtime | Seen | Image: options |") + 2, lines.size())
            .stream()
            .filter(line -> line.startsWith("| "))
            .map(line -> line.split(" \\|", -1)[0].substring(2))
            .distinct()
            .toList();
    assertFalse(seen.isEmpty());
    for (String runtime : seen) {
      int blank = runtime.lastIndexOf(' ');
      String begin = "| [" + runtime.substring(0, blank) + "]";
      String row = lines.stream().filter(line -> line.startsWith(begin)).findFirst().orElse("");
      assertTrue(row.contains(runtime.substring(blank + 1)), runtime + " is not in: " + row);
    }
  }

  @Test
  void nothingThatRanIsNoSuccess() throws Exception {
    assertEquals(1, table().status());
  }
}
