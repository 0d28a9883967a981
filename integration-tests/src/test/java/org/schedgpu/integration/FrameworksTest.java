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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  private Path named(String library) throws IOException, InterruptedException {
    succeed(
        "cc", "-shared", "-nostdlib", "-Wl,-soname," + library, "-o", library, "-xc", "names.c");
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
    Files.writeString(
        work.resolve("program.c"),
        """
        #include <stddef.h>
        int cublasCreate_v2(void **), cublasSgemm_v2(int), cublasDestroy_v2(void *);
        int cublasLtCreate(void **), cufftExecC2C(int), cudnnCreate(void **), ncclGetVersion(int *);
        int cudaMemGetInfo(size_t *, size_t *);
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
                 ncclGetVersion(&version) || !version;
        }
        """);
    List<String> link = new ArrayList<>(List.of("cc", "-o", "program", "program.c"));
    List<String> names =
        List.of(
            "libcublas.so.12",
            "libcublasLt.so.12",
            "libcudnn.so.9",
            "libcufft.so.11",
            "libnccl.so.2");
    link.add("-Wl,--no-as-needed");
    for (String name : names) {
      link.add(named(name).toString());
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
    for (String name : names) {
      String line = name + ": emulated mathematics: results are meaningless, memory is real" + "\n";
      assertTrue(said.contains(line), said);
    }
  }

  @Test
  void oneOfTwoLlamasWaitsAndBothEnd() throws IOException, InterruptedException {
    Outcome cached = run(work, FOLDER.resolve("llama/download").toString(), "--cached");
    assumeTrue(cached.status() == 0, cached.output());

    String table = succeed(FOLDER.resolve("run").toString(), "llama", "two_with");

    assertTrue(table.contains("both end; the second waited for the first"), table);
  }
}
