package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A C test that hangs is ended, and fails by its name; what was skipped is told. */
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

  /** As Surefire 3.5.3 and cmocka write it. */
  @Test
  void theSummaryTellsWhySomethingWasSkipped() throws Exception {
    Path scripts = Files.createDirectory(folder.resolve("build-support"));
    for (String name : List.of("summary", "surefire.py")) {
      Files.copy(
          Build.root().resolve("build-support").resolve(name),
          scripts.resolve(name),
          StandardCopyOption.COPY_ATTRIBUTES);
    }
    Path java = Files.createDirectories(folder.resolve("some/target/surefire-reports"));
    String skipped =
        """
        <testcase name="%s" classname="a.FirstTest">
        <skipped type="org.opentest4j.TestAbortedException"><![CDATA[\
        org.opentest4j.TestAbortedException: Assumption failed: no GPU
        \tat org.junit.jupiter.api.Assumptions.throwAssumptionFailed(Assumptions.java:297)
        ]]></skipped></testcase>
        """;
    String suite =
        "<testsuite name='a.%s' tests='%d' errors='0' skipped='%d' failures='0' time='0'>";
    Files.writeString(
        java.resolve("TEST-a.FirstTest.xml"),
        suite.formatted("FirstTest", 2, 2)
            + skipped.formatted("one")
            + skipped.formatted("other")
            + "</testsuite>");
    Files.writeString(
        java.resolve("TEST-a.NextTest.xml"), suite.formatted("NextTest", 0, 0) + "</testsuite>");
    Path c = Files.createDirectories(folder.resolve("some/target/native/results"));
    Files.writeString(c.resolve("x.tsv"), "0\t1\t0\t1\t0.1\ttarget/native/x_test\n");
    Files.writeString(
        c.resolve("x.log"), "[  SKIPPED ] because ASan is slow\n[  SKIPPED ] case_1\n");

    Process process = new ProcessBuilder(scripts.resolve("summary").toString()).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals(0, process.waitFor(), said);
    assertTrue(
        said.endsWith(
            """
            skipped: some FirstTest: no GPU (2 tests)
            skipped: some NextTest: no test of it ran
            skipped: some x_test: ASan is slow
            C tests: 1 passed, 0 failed, 1 skipped
            Java tests: 0 passed, 0 failed, 2 skipped
            """),
        said);
  }
}
