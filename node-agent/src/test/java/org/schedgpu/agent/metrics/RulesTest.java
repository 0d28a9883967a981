package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alert rules, by promtool. */
class RulesTest {
  private static final Path RULES =
      Path.of(System.getProperty("schedgpu.root"), "etc/prometheus/schedgpu.rules.yml");
  private static final String CASES = "/prometheus/schedgpu.rules.test.yml";

  @TempDir private Path folder;

  @BeforeAll
  static void promtool() {
    PrometheusServer.require("promtool");
  }

  /** The names of all alerts. */
  static Set<String> alerts(Path rules) throws IOException {
    return Pattern.compile("- alert: (\\w+)")
        .matcher(Files.readString(rules))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private String cases() throws IOException {
    try (var in = RulesTest.class.getResourceAsStream(CASES)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
  }

  @Test
  void theRulesAreRight() throws Exception {
    run("promtool", "check", "rules", RULES.toAbsolutePath().toString());
  }

  @Test
  void eachAlertFiresAndDoesNotFire() throws Exception {
    Files.copy(RULES, folder.resolve(RULES.getFileName()));
    Files.writeString(folder.resolve("cases.yml"), cases());
    run("promtool", "test", "rules", "cases.yml");
    for (String alert : alerts(RULES)) {
      assertTrue(cases().contains("name: " + alert + " fires"), alert);
      assertTrue(cases().contains("name: " + alert + " does not fire"), alert);
    }
  }
}
