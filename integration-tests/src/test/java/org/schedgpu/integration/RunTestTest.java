package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A C test that hangs is ended, and fails by its name. */
class RunTestTest {
  @TempDir Path folder;

  private String run(int status, String limit, String script) throws Exception {
    Path program = folder.resolve("hangs_test");
    Files.writeString(program, "#!/bin/sh\n" + script + "\n");
    assertTrue(program.toFile().setExecutable(true));
    String runTest = Build.root().resolve("build-support/run-test").toString();
    ProcessBuilder builder =
        new ProcessBuilder(runTest, folder.toString(), program.toString())
            .redirectErrorStream(true);
    builder.environment().put("TEST_LIMIT", limit);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(status, process.waitFor(), said);
    return said.replace(program.toString(), "hangs_test");
  }

  private String result() throws Exception {
    try (var files = Files.newDirectoryStream(folder, "*.tsv")) {
      return Files.readString(files.iterator().next()).replaceAll("\t[^\t]*\t[^\t]*\n", "");
    }
  }

  @Test
  void whatDoesNotEndFails() throws Exception {
    assertEquals(
        """
        == hangs_test
        begins
        == hangs_test: did not end in 1s
        == hangs_test: FAILED, exit status 124
        """,
        run(124, "1s", "echo begins; exec sleep 1000"));
    assertEquals("124\t0\t1\t0", result());
  }

  @Test
  void itsOwnStatusRemains() throws Exception {
    assertEquals(
        "== hangs_test\n== hangs_test: FAILED, exit status 3\n", run(3, "1000s", "exit 3"));
    assertEquals("3\t0\t1\t0", result());
  }
}
