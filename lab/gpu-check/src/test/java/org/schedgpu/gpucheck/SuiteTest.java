package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SuiteTest {
  private final StringWriter errors = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new Suite(new PrintStream(PrintStream.nullOutputStream())))
        .setErr(new PrintWriter(errors))
        .execute(arguments);
  }

  @Test
  void wrongOptionsAreNamedWithTheirValue() {
    assertEquals(2, run("--budget", "soon"));
    assertTrue(errors.toString().contains("--budget=soon: must be a time as 90s, 8m or 7m30s"));
    assertEquals(2, run("--only", "starts,boks"));
    assertTrue(errors.toString().contains("--only=boks: must be some of starts, pytorch, books"));
  }

  @Test
  void anIncompleteBundleIsNamed() {
    System.setProperty("check.bundle", "/nonexistent");
    try {
      assertEquals(1, run());
    } finally {
      System.clearProperty("check.bundle");
    }
    assertTrue(
        errors
            .toString()
            .contains(
                "gpu-check: /nonexistent/product/bin/schedgpu is missing: make the bundle again"),
        errors::toString);
  }
}
