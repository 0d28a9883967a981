package org.schedgpu.agent.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class StyleTest {
  @Test
  void aTerminalGetsColours() {
    assertEquals("\u001b[1mx\u001b[0m", Style.of(true, Map.of()).bold("x"));
    assertEquals("\u001b[31mx\u001b[0m", Style.of(true, Map.of("NO_COLOR", "")).red("x"));
  }

  @Test
  void nothingElseDoes() {
    assertEquals("x", Style.of(false, Map.of()).bold("x"));
    assertEquals("x", Style.of(true, Map.of("NO_COLOR", "1")).red("x"));
    assertEquals("x", Style.of(true, Map.of("TERM", "dumb")).red("x"));
  }
}
