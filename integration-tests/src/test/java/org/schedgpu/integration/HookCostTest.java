package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Prints the report; asserts no time. */
final class HookCostTest {
  private static final int ROUNDS = 5;

  @Test
  void reportsWhatTheHooksCost() {
    List<String> missing = SchedGpuCluster.missing(ClusterSetup.oneDevice());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    HookCost.report(ROUNDS, new PrintStream(bytes, true, StandardCharsets.UTF_8));

    String report = bytes.toString(StandardCharsets.UTF_8);
    System.out.println(report);
    assertTrue(report.contains("prolog, epilog, plugin"), report);
  }
}
