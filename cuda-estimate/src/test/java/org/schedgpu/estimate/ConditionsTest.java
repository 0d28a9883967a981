package org.schedgpu.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.estimate.Sources.answer;
import static org.schedgpu.estimate.Sources.only;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is compiled only where a macro says so that no file given defines. */
class ConditionsTest {
  private static final String ALLOCATES = "\nint main() { cudaMalloc(&p, N * 1024); }\n";

  private static long unknown(String source) {
    return (long) answer(source.replace("~", "\n")).get("unknown");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#if V >= LIB(2, 19)~ lib(&p);~#else~ cudaMalloc(&p, 1);~#endif | 1",
        "#if V > 2~ cudaMalloc(&p, 1);~#else~ cudaMalloc(&p, 2);~#endif | 1",
        "#ifdef BIG~ cudaMalloc(&p, 1);~#endif | 1",
        "#ifdef BIG~ # if 1~ cudaMalloc(&p, 1);~ # endif~#endif | 1",
        "#if defined(BIG) && !defined(HUGE)~ cudaMalloc(&p, 1);~#endif | 1",
        "#if 0~#elif BIG~ cudaMalloc(&p, 1);~#endif | 1",
        "#ifdef BIG~ // cudaMalloc(&p, 1);~ /* cudaMalloc(&p,~ 1) */~#endif | 0",
        "#ifdef _WIN32~ cudaMalloc(&p, 1);~#endif | 0",
        "#if 0~ cudaMalloc(&p, 1);~#endif | 0",
        "#if 0~#ifdef BIG~ cudaMalloc(&p, 1);~#endif~#endif | 0",
        "#ifdef __CUDACC__~#else~ cudaMalloc(&p, 1);~#endif | 0",
        "#define BIG 0~#if BIG~ cudaMalloc(&p, 1);~#endif | 0",
        "#ifndef GUARD~#define GUARD~ cudaMalloc(&p, 1);~#endif | 0",
      })
  void allocationsThatMayBeCompiled(String code, long expected) {
    assertEquals(expected, unknown("int main() {~" + code + "~}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#ifdef BIG~#define N 4~#else~#define N 1~#endif | N depends on #ifdef BIG in line 1",
        "#ifdef BIG~#define M 4~#else~#define M 1~#endif~#define N M | M depends on #ifdef BIG in"
            + " line 1",
        "#ifdef BIG~const int N = 4;~#else~const int N = 1;~#endif | N depends on #ifdef BIG in"
            + " line 1",
        "static int N = 1;~#if V > 2~void f() { N = 4; }~#endif | N depends on #if V > 2 in line 2",
        "#ifdef BIG~typedef double R;~#else~typedef float R;~#endif~#define N sizeof(R) | R depends"
            + " on #ifdef BIG in line 1",
        "#ifdef BIG~using R = double;~#else~using R = float;~#endif~#define N sizeof(R) | R depends"
            + " on #ifdef BIG in line 1",
      })
  void valuesThatAConditionDecides(String code, String expected) {
    assertEquals(
        expected + ", which no file given decides", only(code.replace("~", "\n") + ALLOCATES));
  }

  /** As the compiler does without -D. */
  @Test
  void aDefaultForDIsKnown() {
    assertEquals(2048L, only("#ifndef N\n#define N 2\n#endif" + ALLOCATES));
  }

  @Test
  void theUserDecides(@TempDir Path folder) throws IOException {
    String code = "#ifdef BIG\n#define N 4\n#else\n#define N 1\n#endif" + ALLOCATES;
    assertEquals(4096L, only(answer(code, Map.of("BIG", "1"), List.of())));
    String source = "#if V > 2\n#define N 4\n#else\n#define N 1\n#endif" + ALLOCATES;
    assertEquals(1024L, only(answer(source, Map.of("V", "0"), List.of())));
    Path file = Files.writeString(folder.resolve("a.cu"), code);
    assertEquals(
        1024L,
        only(
            new Estimator()
                .apply(
                    Map.of(
                        "files", List.of(file),
                        "folders", List.of(),
                        "defined", Map.of(),
                        "undefined", List.of("BIG")))));
  }
}
