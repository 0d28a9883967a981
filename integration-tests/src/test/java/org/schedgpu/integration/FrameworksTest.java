package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real frameworks on the emulated GPU; nothing is fetched for it. */
final class FrameworksTest {
  private static final Path FOLDER = Build.root().resolve("lab/frameworks");
  private static final Path EMULATOR = Build.root().resolve("lab/gpu-emulator/target/native");

  @TempDir Path work;

  private record Outcome(int status, String output) {}

  private static Outcome run(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(List.of(command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }

  private String succeed(String... command) throws IOException, InterruptedException {
    Outcome outcome = run(work, command);
    assertEquals(0, outcome.status(), outcome.output());
    return outcome.output();
  }

  /** Something of this name that a program can be linked to, and never runs. */
  private Path named(String library, String source) throws IOException, InterruptedException {
    Files.writeString(work.resolve("versions.map"), library + " { global: *; };");
    String versions =
        library.contains("_") ? "-Wl,--version-script=versions.map" : "-Wl,--no-undefined";
    succeed(
        "cc", "-shared", "-nostdlib", versions, "-Wl,-soname," + library, "-o", library, source);
    return work.resolve(library);
  }

  @Test
  void standInsHaveWhatAProgramImports() throws IOException, InterruptedException {
    Files.writeString(
        work.resolve("names.c"),
        """
        void cublasCreate_v2(void) {} void cublasSgemm_v2(void) {} void cublasDestroy_v2(void) {}
        void cublasLtCreate(void) {} void cufftExecC2C(void) {} void cudnnCreate(void) {}
        void ncclGetVersion(void) {}
        """);
    Files.writeString(work.resolve("ops.c"), "void cudnnSoftmaxForward(void) {}");
    Files.writeString(
        work.resolve("program.c"),
        """
        #include <stddef.h>
        int cublasCreate_v2(void **), cublasSgemm_v2(int), cublasDestroy_v2(void *);
        int cublasLtCreate(void **), cufftExecC2C(int), cudnnCreate(void **), ncclGetVersion(int *);
        int cudaMemGetInfo(size_t *, size_t *), cudnnSoftmaxForward(int);
        int main(void) {
          void *blas, *lt, *dnn;
          int version;
          size_t before, between, after, total;
          if (cudaMemGetInfo(&before, &total) || cublasCreate_v2(&blas) || cublasSgemm_v2(1))
            return 1;
          if (cudaMemGetInfo(&between, &total) || before - between != 32 << 20)
            return 2;
          if (cublasDestroy_v2(blas) || cudaMemGetInfo(&after, &total) || before != after)
            return 3;
          return cublasLtCreate(&lt) || !lt || cudnnCreate(&dnn) || !dnn || cufftExecC2C(1) ||
                 ncclGetVersion(&version) || !version || cudnnSoftmaxForward(1);
        }
        """);
    List<String> link = new ArrayList<>(List.of("cc", "-o", "program", "program.c"));
    List<String> names =
        List.of(
            "libcublas.so.12",
            "libcublasLt.so.12",
            "libcudnn.so.9",
            "libcudnn_ops.so.9",
            "libcufft.so.11",
            "libnccl.so.2");
    link.add("-Wl,--no-as-needed");
    for (String name : names) {
      link.add(named(name, name.contains("_ops") ? "ops.c" : "names.c").toString());
    }
    link.add(EMULATOR.resolve("libcudart.so.12").toString());
    succeed(link.toArray(String[]::new));

    String made =
        succeed(FOLDER.resolve("make-standins").toString(), "made", EMULATOR.toString(), "program");
    String said =
        succeed(
            "env",
            "LD_LIBRARY_PATH=made:" + EMULATOR,
            "EMULATED_GPU_STATE=" + work.resolve("gpu"),
            "./program");

    assertTrue(made.contains("libcublas.so.12: 3 functions\n"), made);
    assertTrue(made.contains("libcudnn.so.9: 1 functions\n"), made);
    assertTrue(made.contains("libcudnn_ops.so.9: 1 functions\n"), made);
    for (String name : names) {
      String line = name + ": emulated mathematics: results are meaningless, memory is real" + "\n";
      assertTrue(said.contains(line), said);
    }
  }

  /** The rows of the first table below a heading of the page, or of all that a run prints. */
  private static List<List<String>> rows(String text) {
    return text.lines()
        .dropWhile(line -> !line.startsWith("| "))
        .takeWhile(line -> line.startsWith("|"))
        .skip(2) // the heading
        .map(line -> Stream.of(line.split("\\|")).map(String::strip).skip(1).toList())
        .toList();
  }

  private static List<List<String>> onThePage(String heading) throws IOException {
    String page = Files.readString(Page.named("explanation/frameworks-tested.md"));
    int start = page.indexOf("\n## " + heading + "\n");
    assertTrue(start >= 0, heading);
    return rows(page.substring(start));
  }

  @ParameterizedTest
  @CsvSource({"llama, llama.cpp", "libtorch, libtorch"})
  void thePageHasEveryCase(String framework, String heading) throws Exception {
    String titles = succeed(FOLDER.resolve(framework + "/cases").toString(), "--titles");

    assertEquals(
        titles.lines().toList(), onThePage(heading).stream().map(row -> row.get(0)).toList());
  }

  /** libtorch takes minutes: only if the environment has FRAMEWORKS=all. */
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  @ParameterizedTest
  @CsvSource({"llama, llama.cpp", "libtorch, libtorch"})
  void whatHappensIsWhatThePageSays(String framework, String heading) throws Exception {
    assumeTrue(
        framework.equals("llama") || "all".equals(System.getenv("FRAMEWORKS")),
        "libtorch takes minutes: FRAMEWORKS=all");
    Outcome cached = run(work, FOLDER.resolve(framework + "/download").toString(), "--cached");
    assumeTrue(cached.status() == 0, cached.output());

    String table = succeed(FOLDER.resolve("run").toString(), framework);

    assertEquals(onThePage(heading), rows(table), table);
  }
}
