package org.schedgpu.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.estimate.Sources.size;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionsTest {
  /** Sizes are multiples of 512, as the preload library charges. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      value = {
        "1 @ 512",
        "512 @ 512",
        "513 @ 1024",
        "1 << 20 @ 1048576",
        "0x400UL @ 1024",
        "02000 @ 1024",
        "0b10000000000 @ 1024",
        "1'024 @ 1024",
        "1e3 @ 1024",
        "(size_t)(1.9 * 1024) @ 2048",
        "(10 + 2 * 1024 - 10) / 2 @ 1024",
        "1024 % 1000 * 100 @ 2560",
        "(1024 >> 1) * 4 @ 2048",
        "(4096 & 1024 | 1024) + (5 ^ 5) @ 1024",
        "(3 < 4 && 4 > 3) * 1024 @ 1024",
        "(3 > 4 || 4 <= 3) * 1024 @ its size is 0 in the files given: code elsewhere must set it",
        "(3 == 4 ? 1 : 2) * 1024 @ 2048",
        "(!0 + ~-2) * 1024 @ 2048",
        "std::max(3, 4) * 1024 @ 4096",
        "min(3, 4) * 1024 @ 3072",
        "(size_t)ceil(3.1) * 1024 @ 4096",
        "(int)pow(2, 4) * 1024 @ 16384",
        "size_t(2) * 1024 @ 2048",
        "static_cast<size_t>(2) * 1024 @ 2048",
        "1024 / (4 - 4) @ 1024 / (4 - 4): division by zero",
        "1024 % 0 @ 1024 % 0: division by zero",
        "(size_t)1 << 62 << 2 @ (size_t)1 << 62 << 2: a result is larger than 2^63",
        "4000000000 * 4000000000 @ 4000000000 * 4000000000: a result is larger than 2^63",
        "1 << 70 @ 1 << 70: a shift by 70 bits",
        "-5 @ the size is negative: -5",
        "atoi(argv[1]) @ atoi(argv[1]) is known only when the program runs",
        "n * 4 @ n is not declared in the files given"
      })
  void constantExpressions(String expression, String expected) {
    assertEquals(expected, String.valueOf(size("", "", expression)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#define N 1024 | | N * 4 | 4096",
        "#define SQUARE(x) ((x) * (x)) | | SQUARE(64) | 4096",
        "const int n = 1024; | | n * 4 | 4096",
        "constexpr int n = 1024; | | n * 4 | 4096",
        "static int n = 1024; | | n * 4 | 4096",
        "enum { A, B = 4 }; | | B * 1024 | 4096",
        "int twice(int x) { return 2 * x; } | | twice(2) * 1024 | 4096",
        "| int n; n = 1024; | n * 4 | 4096",
        "| int n(1024); | n * 4 | 4096",
        "| int n{1024}; | n * 4 | 4096",
        "| int n = 1024.9; | n * 4 | 4096",
        "| float half = 1; half = 1; | half / 2 * 2048 | 1024",
        "| int n[] = {1, 4}; | n[1] * 1024 | 4096",
        "| int n = 1; n = 2; | n | n gets several values: line 2",
        "| int n = 1; n *= 2; | n | n changes in line 2 (n begins as 1)",
        "| int n = 1; n++; | n | n changes in line 2 (n begins as 1)",
        "| int n; scanf(\"%d\", &n); | n | n changes in line 2",
        "| int n; std::cin >> n; | n | n changes in line 2",
        "| int n = n; | n | n depends on itself",
        "extern int n; | | n | n gets no value in the files given",
        "void read(int &n); | int n = 1; read(n); | n | n changes in line 2 (n begins as 1)",
        "| int n = 9; if (argc > 1) n = atoi(argv[1]); | n | atoi(argv[1]) is known only when the"
            + " program runs (n begins as 9)",
        "| int n[] = {1, 4}; n[1] = 2; | n[1] | n[1] is known only when the program runs",
        "int f(int x) { return f(x); } | | f(1) | f calls itself",
        "| | argc | argc is a parameter, and no call here gives its value"
      })
  void namesWithOneValue(String before, String inMain, String expression, String expected) {
    String prefix = before == null ? "" : before;
    assertEquals(expected, String.valueOf(size(prefix, inMain == null ? "" : inMain, expression)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "char | 1",
        "short | 2",
        "unsigned | 4",
        "float | 4",
        "long | 8",
        "long long | 8",
        "size_t | 8",
        "uint64_t | 8",
        "double | 8",
        "bool | 1",
        "void * | 8",
        "float3 | 12",
        "float4 | 16",
        "double2 | 16",
        "struct A | 32",
        "B | 32",
        "C | 4",
        "D | 16",
        "E | 40",
        "V | 16",
        "int[10] | 40",
        "cufftComplex | 8",
        "half | 2",
        "curandState | 48"
      })
  void typesHaveTheSizesOfTheCompiler(String type, long bytes) {
    String types =
        "struct A { char c; double d; float3 f; };\n"
            + "typedef struct { float4 v; char c; } B;\n"
            + "enum C { RED };\n"
            + "union D { char c; long l[2]; };\n"
            + "struct E : A { static int shared; char c; };\n"
            + "struct V { virtual void run(); char c; };\n";
    assertEquals(bytes * 512, size(types, "", "512 * sizeof(" + type + ")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "| sizeof *p * 512 | 2048",
        "double a[4]; | sizeof(a) * 512 | 16384",
        "| sizeof(struct Unknown) | the members of Unknown",
        "| sizeof(Missing) | the size of a type"
      })
  void sizesOfExpressions(String inMain, String expression, String expected) {
    String found = String.valueOf(size("", inMain == null ? "" : inMain, expression));
    assertTrue(found.startsWith(expected) || found.contains(expected), found);
  }
}
