package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  private static final Path ROOT = Path.of("/project");

  @Test
  void nothingSaidIsEverything() {
    Settings settings = Settings.of(Map.of("DEMO_SCALE", ""), ROOT);
    assertEquals(Settings.DEFAULT_SCALE, settings.scale());
    assertEquals(List.of(RunKind.values()), settings.runs());
    assertEquals(Path.of("/project/target/demo"), settings.output());
  }

  @Test
  void variablesWin() {
    Settings settings =
        Settings.of(
            Map.of("DEMO_SCALE", "100", "DEMO_RUNS", "mmu, fifo,mmu", "DEMO_OUTPUT", "/x"), ROOT);
    assertEquals(100, settings.scale());
    assertEquals(List.of(RunKind.MMU, RunKind.FIFO), settings.runs());
    assertEquals(Path.of("/x"), settings.output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0.5", "1001", "-3", "NaN", "fast"})
  void badScaleIsNamed(String scale) {
    DemoException e =
        assertThrows(DemoException.class, () -> Settings.of(Map.of("DEMO_SCALE", scale), ROOT));
    assertEquals("demo: DEMO_SCALE='" + scale + "': use a number from 1 to 1000", e.getMessage());
  }

  @Test
  void unknownRunIsNamedWithTheKnownOnes() {
    DemoException e =
        assertThrows(DemoException.class, () -> Settings.of(Map.of("DEMO_RUNS", "lifo"), ROOT));
    assertTrue(
        e.getMessage()
            .endsWith("'lifo': use some of exclusive,unsafe,fifo,mmu,priority-fifo,priority-mmu"),
        e.getMessage());
  }
}
