package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Makes every measurement with a few samples; asserts no time. */
class WholeBenchTest {
  private static final Path ROOT =
      Path.of(System.getProperty("bench.root")).toAbsolutePath().normalize();

  @TempDir Path folder;

  private static Set<String> expectedNames() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "reserve-release",
                "life-cycle",
                "life-cycle-again",
                "hand-off",
                "hand-off-same-cpu",
                "turn",
                "turn-switch",
                "turn-switch-same-cpu",
                "shared-lane-switch",
                "shared-lane-switch-same-cpu",
                "launch",
                "shares-1-2-4",
                "kill-to-waiter",
                "kill-to-waiter-agent",
                "agent-ready",
                "in-budget-alloc",
                "in-budget-alloc-bare",
                "in-budget-alloc-emulated",
                "shared-memory",
                "hooks",
                "hooks-prolog",
                "hooks-epilog",
                "run-command",
                "start-status",
                "start-jobs",
                "start-top",
                "start-history",
                "start-help",
                "start-status-agent",
                "status-snapshot",
                "jna-call",
                "plan-10000-nodes",
                "plan-growth",
                "simulate-million-jobs",
                "simulate-million-memory",
                "simulate-event-40-jobs",
                "simulate-event-60-jobs",
                "simulate-sweep-16"));
    IntStream.of(2, 8, 32).forEach(n -> names.add("reserve-release-" + n + "-processes"));
    IntStream.of(16, 64, 256)
        .forEach(
            n -> {
              names.add("reserve-release-" + n + "-attached");
              names.add("life-cycle-" + n + "-attached");
            });
    for (String policy : List.of("fifo", "mmu", "priority-fifo", "priority-mmu")) {
      IntStream.of(1, 16, 256, 1024)
          .forEach(
              n -> {
                names.add("queue-pass-" + policy + "-" + n);
                names.add("queue-grant-" + policy + "-" + n);
              });
    }
    return Set.copyOf(names);
  }

  private static boolean root() {
    return "root".equals(System.getProperty("user.name"));
  }

  @Test
  void everythingIsMeasuredAndWritten() throws IOException, InterruptedException {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    Findings findings = new Bench(new Settings(ROOT, folder, true), out).run();

    Set<String> names =
        findings.measurements().stream().map(Measurement::name).collect(Collectors.toSet());
    if (Runtime.getRuntime().availableProcessors() == 1) {
      names.addAll(
          List.of(
              "hand-off",
              "turn-switch",
              "shared-lane-switch")); /* needs two CPUs: reported as not measured */
    }
    if (!root()) {
      names.add("shared-memory"); /* needs other users: reported as not measured */
    }
    names.retainAll(expectedNames()); /* a new policy brings more */
    assertEquals(expectedNames(), names);
    assertEquals(root() ? 27 : 15, findings.stages().size());
    assertTrue(printed.toString(StandardCharsets.UTF_8).contains("kill-to-waiter-agent"));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(
          Set.of("result.json", "machine.json", "bench.txt", "figure-9.svg", "figure-9.png"),
          files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
    }
  }
}
