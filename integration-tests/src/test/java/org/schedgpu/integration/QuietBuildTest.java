package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of a build: its progress, and everything about failures. */
class QuietBuildTest {
  private static final String SAID =
      """
      [INFO] Scanning for projects...
      [INFO] Building schedGPU: slurmrestd client 0.1.0                      [9/10]
      [INFO] --- openapi-generator-maven-plugin:7.25.0:generate (v0.0.38) @ slurm-rest-client ---
      # Thanks for using OpenAPI Generator.                                  #
      [INFO] Building schedGPU: the schedgpu command 0.1.0                  [10/10]
        CC  target/native/core/account.o
        AR  target/native/libschedgpu.a
      [WARNING] a warning
      [INFO] Running org.schedgpu.agent.MainTest
      SLF4J(W): what a test says
      [INFO] Tests run: 47, Failures: 0, Errors: 0, Skipped: 0 -- in org.schedgpu.agent.MainTest
      [INFO] BUILD SUCCESS
      """;
  private static final String PROGRESS =
      "  9 of 10: schedGPU: slurmrestd client\n  10 of 10: schedGPU: the schedgpu command\n";

  @TempDir Path folder;

  /** The output on both streams, and the status. */
  private String quietly(String show, int status) throws IOException, InterruptedException {
    Path output = Files.writeString(folder.resolve("said"), SAID);
    Process process =
        new ProcessBuilder(
                Build.root().resolve("build-support/quietly").toString(),
                show,
                log().toString(),
                "sh",
                "-c",
                "cat " + output + "; exit " + status)
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(status, process.waitFor());
    assertEquals(SAID, Files.readString(log()));
    return printed;
  }

  private Path log() {
    return folder.resolve("target/build.log");
  }

  @Test
  void aBuildSaysHowFarItIs() throws Exception {
    assertEquals(PROGRESS, quietly("progress", 0));
  }

  @Test
  void whatFailedShowsItsLog() throws Exception {
    assertEquals(
        PROGRESS
            + SAID.substring(SAID.indexOf("[INFO] Building schedGPU: the schedgpu command"))
            + "failed with status 3: the whole output is in "
            + log()
            + "\n",
        quietly("progress", 3));
  }

  @Test
  void testsSayWhatTheyFound() throws Exception {
    assertEquals(PROGRESS + SAID.substring(SAID.indexOf("[WARNING]")), quietly("tests", 1));
  }
}
