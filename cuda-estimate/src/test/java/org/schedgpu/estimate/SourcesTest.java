package org.schedgpu.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.estimate.Sources.answer;
import static org.schedgpu.estimate.Sources.ask;
import static org.schedgpu.estimate.Sources.only;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read, and what is refused. */
class SourcesTest {
  @TempDir Path folder;

  @Test
  void launchesAreNoPartOfTheLanguage() {
    assertEquals(
        "k             (a); // <<<x>>>",
        SourceText.withoutLaunches("k<<<1, 2, 3>>>(a); // <<<x>>>"));
    assertEquals("a <<< b; c >>> d", SourceText.withoutLaunches("a <<< b; c >>> d"));
    assertEquals("\"<<<x>>>\"", SourceText.withoutLaunches("\"<<<x>>>\""));
    assertEquals("/*<<<x>>>*/", SourceText.withoutLaunches("/*<<<x>>>*/"));
    assertEquals(
        1024L,
        only("int main() { k<<<dim3(1, 2),\n N / 2>>>(a, n); int x = 1'024; cudaMalloc(&p, x); }"));
  }

  @Test
  void linesAreThoseOfTheSource() {
    Map<String, Object> answer = answer("int main() {\nk<<<1,\n2>>>(a);\ncudaMalloc(&p, 1);\n}");
    assertEquals(4, ((Map<?, ?>) ((List<?>) answer.get("allocations")).get(0)).get("line"));
  }

  @Test
  void aDefinedNameIsAMacroOrTheValueOfAVariable() {
    Map<String, String> defined = Map.of("N", "1024", "n", "2048");
    String source = "int main(int c, char **v) { int n = atoi(v[1]); cudaMalloc(&p, n + N); }";
    assertEquals(3072L, only(answer(source, defined, List.of())));
  }

  @Test
  void includedFilesAreFoundBesideTheSourceAndInFolders() throws IOException {
    Files.createDirectory(folder.resolve("include"));
    Files.writeString(folder.resolve("size.h"), "#define N 512\n");
    Files.writeString(folder.resolve("include/more.h"), "#define M 2\n");
    Path source = folder.resolve("a.cu");
    Files.writeString(
        source, "#include \"size.h\"\n#include <more.h>\nint main() { cudaMalloc(&p, N * M); }");
    assertEquals(1024L, only(ask(source, Map.of(), List.of(folder.resolve("include")))));
    assertEquals("M is not declared in the files given", only(ask(source, Map.of(), List.of())));
  }

  @Test
  void aFileThatIncludesItselfEnds() throws IOException {
    Path source = folder.resolve("a.cu");
    Files.writeString(source, "#include \"a.cu\"\nint main() { cudaMalloc(&p, 512); }");
    assertTrue(ask(source, Map.of(), List.of()).toString().contains("bytes=512"));
  }

  @Test
  void filesThatCannotBeReadAreProblems() throws IOException {
    assertProblem(folder.resolve("none.cu"), "no such file");
    assertProblem(folder, "not a file");
    Path binary = folder.resolve("binary.cu");
    Files.write(binary, new byte[] {1, 0, 2});
    assertProblem(binary, "contains a zero byte: it is not a source file");
    Path large = folder.resolve("large.cu");
    Files.write(large, new byte[50 << 20]);
    assertProblem(large, "larger than 2 MiB: name only files that allocate");
  }

  private static void assertProblem(Path file, String expected) {
    assertEquals(List.of(file + ": " + expected), ask(file, Map.of(), List.of()).get("problems"));
  }

  @Test
  void aProblemOfOneFileLeavesTheOthers() throws IOException {
    Path good = folder.resolve("good.cu");
    Files.writeString(good, "int main() { cudaMalloc(&p, 512); }");
    Map<String, Object> answer =
        new Estimator()
            .apply(
                Map.of(
                    "files", List.of("none.cu", good.toString()),
                    "folders", List.of(),
                    "defined", Map.of()));
    assertEquals(512L, answer.get("knownBytes"));
    assertEquals(List.of("none.cu: no such file"), answer.get("problems"));
  }

  @Test
  void deepNestingIsAProblem() throws IOException {
    for (int depth : List.of(101, 1_000_000)) {
      Path deep = folder.resolve("deep.cu");
      Files.writeString(deep, "int x = " + "(".repeat(depth) + "1" + ")".repeat(depth) + ";");
      assertProblem(deep, "brackets are nested deeper than 100");
    }
    assertEquals(2, SourceText.depth("({}) [/* ((( */] \"(((\" '('"));
    assertEquals(512L, only("int main() { cudaMalloc(&p, " + nested(12) + "); }"));
  }

  private static String nested(int depth) {
    return "(".repeat(depth) + "1" + ")".repeat(depth);
  }

  @Test
  void unbalancedCodeHidesNoCall() {
    Map<String, Object> answer = answer("int main() { { { cudaMalloc(&p, 512);\n");
    assertEquals(1, ((List<?>) answer.get("allocations")).size(), answer::toString);
    Map<String, Object> stray = answer("int f( { ] cudaMalloc(&p, 512); } }\n");
    assertEquals(1, ((List<?>) stray.get("allocations")).size(), stray::toString);
  }

  @Test
  void macrosThatNameThemselvesEnd() {
    String source = "#define A B\n#define B A\nint main() { cudaMalloc(&p, A); }";
    assertEquals("A is not declared in the files given", only(source));
  }

  @Test
  void theSumIsOfWhatIsKnown() {
    Map<String, Object> answer =
        answer("int main() { cudaMalloc(&p, 512); cudaMalloc(&p, 100); cudaMalloc(&p, n); }");
    assertEquals(1024L, answer.get("knownBytes"));
    assertEquals(1L, answer.get("unknown"));
  }
}
