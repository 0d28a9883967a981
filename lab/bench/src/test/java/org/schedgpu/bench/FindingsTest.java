package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FindingsTest {
  @Test
  void linesBecomeWhatTheySay() {
    Findings findings = Fixtures.findings();

    assertEquals(
        new Measurement("hand-off", "us", 22, 90, 20, "less"),
        findings.find("hand-off").orElseThrow());
    assertEquals(
        List.of(new Unmeasured("kill-to-waiter-agent", "ms", "no agent")), findings.unmeasured());
    assertEquals(
        new StageTime("ours", "initialisation", 40, 60), findings.stages().iterator().next());
    assertEquals(7, findings.measurements().size());
    assertTrue(findings.find("something").isEmpty());
  }

  @Test
  void ratioIsOfTheMedians() {
    assertEquals(1.1, Fixtures.findings().find("hand-off").orElseThrow().ratio(), 1e-9);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no JSON",
        "{\"name\":\"x\"}",
        "{\"name\":\"x\",\"unit\":\"us\",\"p50\":0,\"p99\":1,\"limit\":1,\"limitIs\":\"less\"}",
        "{\"name\":\"x\",\"unit\":\"us\",\"p50\":\"1\",\"p99\":1,\"limit\":1,\"limitIs\":\"less\"}"
      })
  void whatIsNoFindingIsRefused(String line) {
    Findings findings = new Findings();
    BenchException refused = assertThrows(BenchException.class, () -> findings.addLine(line));
    assertTrue(refused.getMessage().endsWith(line));
  }
}
