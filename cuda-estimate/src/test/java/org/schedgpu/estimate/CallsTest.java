package org.schedgpu.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.estimate.Sources.only;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cudaMalloc((void **)&p, 1024); | 1024",
        "cudaMalloc<float>(&p, 1024); | 1024",
        "cudaMallocManaged(&p, 1024, cudaMemAttachGlobal); | 1024",
        "cudaMallocAsync(&p, 1024, stream); | 1024",
        "cuMemAlloc(&d, 1024); | 1024",
        "cuMemAlloc_v2(&d, 1024); | 1024",
        "cuMemCreate(&h, 1024, &prop, 0); | 1024",
        "cudaMallocPitch(&p, &pitch, 100, 3); | 1536",
        "cudaMalloc3D(&q, make_cudaExtent(100, 2, 3)); | 3072",
        "cudaExtent e = make_cudaExtent(100, 2, 3); cudaMalloc3D(&q, e); | 3072",
        "cudaMalloc3D(&q, e); | its cudaExtent is not made by one make_cudaExtent",
        "auto d = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &d, 64, 64); | 16384",
        "auto d = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &d, 256); | 1024",
        "auto d = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &d, 256, 0); | 1024",
        "auto d = cudaCreateChannelDesc(8, 8, 0, 0, k); cudaMallocArray(&a, &d, 64, 64); | 8192",
        "auto d = cudaCreateChannelDesc<float>(); cudaMalloc3DArray(&a, &d, make_cudaExtent(8, 8,"
            + " 0)); | 512",
        "cudaMallocArray(&a, desc, 4); | its channel format is not made by one"
            + " cudaCreateChannelDesc",
        "cuArrayCreate(&a, &desc); | its size is in a structure, which is not followed",
        "thrust::device_vector<int> v(256); | 1024",
        "thrust::device_vector<int> v(256, 7); | 1024",
        "thrust::device_vector<int> v; | its size is not where it is declared",
        "cudaMalloc(&p); | an argument is missing",
        "CHECK(cudaMalloc(&p, 1024)); | 1024",
        "if (cudaMalloc(&p, 1024) != 0) { return 1; } | 1024"
      })
  void everyCallThatAllocates(String call, String expected) {
    assertEquals(expected, String.valueOf(only("int main() { float *p; " + call + " }\n")));
  }

  @Test
  void callsThatAllocateOnTheHostAreNotCounted() {
    Map<String, Object> answer =
        Sources.answer("int main() { malloc(9); cudaMallocHost(&p, 9); cudaHostAlloc(&p, 9, 0); }");
    assertEquals(List.of(), answer.get("allocations"));
  }

  @Test
  void freesAreCounted() {
    String source = "int main() { cudaFree(a); cuMemFree_v2(b); cudaFreeArray(c); free(d); }";
    assertEquals(3, Sources.answer(source).get("frees"));
  }

  /** The list has one home: what the preload library handles. */
  @Test
  void everyAllocationThatThePreloadLibraryHandlesIsKnown() throws IOException {
    Path table = Path.of("../libschedgpu/preload/hooks/entry_points.tsv");
    Set<String> kinds =
        Set.of("memory of a context", "physical memory", "stream-ordered memory", "pools");
    List<String> missing =
        Files.readAllLines(table).stream()
            .map(line -> line.split("\t", -1))
            .filter(row -> row[2].equals("handled") && kinds.contains(row[3]))
            .map(row -> row[0])
            .filter(name -> name.matches(".*(Alloc|Create).*"))
            .filter(name -> Allocator.of(name) == null)
            .filter(name -> !name.equals("cuMemRetainAllocationHandle"))
            .toList();
    assertEquals(List.of(), missing);
    assertNotNull(Allocator.of("cuMemAllocAsync_ptsz"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for (int i = 0; i < 3; i++) M(512); | 1536",
        "for (int i = 0; i <= 3; ++i) M(512); | 2048",
        "for (int i = 3; i > 0; i--) M(512); | 1536",
        "for (int i = 3; i >= 0; --i) M(512); | 2048",
        "for (int i = 0; i < 10; i += 4) M(512); | 1536",
        "for (int i = 0; i != 3; i++) M(512); | 1536",
        "int i; for (i = 0; i < 3; i++) M(512); | 1536",
        "for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) M(512); | 3072",
        "for (int i = 0; i < 3; i++) M(i * 512); | 1536",
        "for (int i = 0; i < 3; i++) for (int j = 0; j < i; j++) M(512); | 1536",
        "for (int i = 5; i < 3; i++) M(512); | 0",
        "do { M(512); } while (0); | 512",
        "if (0) M(512); | 0",
        "if (1) M(512); | 512",
        "if (0) ; else M(512); | 512",
        "if (argc > 1) M(512); | 512",
        "for (int i = 0; i < argc; i++) { M(512); cudaFree(p); } | 512",
        "while (true) { M(512); cudaFree(p); } | 512"
      })
  void loopsAndBranches(String statement, long bytes) {
    assertEquals(bytes, only(inMain(statement)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "while (true) M(512); | in a loop of unknown length (line 2)",
        "for (int i = 0; i < 3; i++) { M(512); i++; } | in a loop of unknown length (line 2): i"
            + " changes in line 2",
        "for (int i = 0; i < argc; i++) M(512); | in a loop of unknown length (line 2): argc is a"
            + " parameter, and no call here gives its value",
        "for (int i = 0; i > -1; i++) M(512); | in a loop of unknown length (line 2): its bound is"
            + " never reached",
        "for (auto x : list) M(512); | in a loop of unknown length (line 2)",
        "for (int i = 0; i < 3; i++) { M(512); cudaFree(q); } | 1536"
      })
  void loopsThatCannotBeCounted(String statement, String expected) {
    assertEquals(expected, String.valueOf(only(inMain(statement))));
  }

  private static String inMain(String statement) {
    return "#define M(n) cudaMalloc(&p, (n))\nint main(int argc, char **argv) { float *p, *q; "
        + statement
        + " }\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "void f(int n) { A(n); } int main() { f(512); f(1024); } | 1536",
        "void f(int n = 512) { A(n); } int main() { f(); } | 512",
        "void f(int n) { A(n); } int main() { for (int i = 0; i < 3; i++) f(512); } | 1536",
        "void g(int n) { A(n); } void f(int n) { g(2 * n); } int main() { f(512); f(512); } | 2048",
        "template <typename T> void f(int n) { A(n * sizeof(T)); } int main() { f<double>(64); } |"
            + " 512",
        "template <typename T> void f(T *p, int n) { A(n * sizeof(T)); } int main() { double *d;"
            + " f(d, 128); } | 1024",
        "template <int N> void f() { A(N); } int main() { f<1024>(); } | 1024",
        "struct S { void f(int n) { A(n); } }; int main() { S s; s.f(512); s.f(512); } | 1024",
        "void f(int n) { A(n); } | n is a parameter, and no call here gives its value",
        "void f(int n) { n = 2 * n; A(n); } int main() { f(512); } | n is a parameter, and no call"
            + " here gives its value",
        "void f(int n) { A(n); if (n) f(n); } int main() { f(512); } | 512",
        "template <typename T> void f() { A(512 * sizeof(T)); } | the type T of a template is not"
            + " known where it is used"
      })
  void everyCallOfAFunctionCounts(String source, String expected) {
    String text = "#define A(n) cudaMalloc(&pointer, n)\n" + source;
    String found = String.valueOf(only(text));
    assertTrue(found.equals(expected), found);
  }
}
