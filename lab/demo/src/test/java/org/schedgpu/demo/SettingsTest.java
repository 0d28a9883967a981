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
  void nothingSaidIsWhatThePaperRan() {
    Settings settings = Settings.of(Map.of("DEMO_SCALE", ""), ROOT);
    assertEquals(Settings.DEFAULT_SCALE, settings.scale());
    assertEquals(RunKind.OF_THE_PAPER, settings.runs());
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

  @Test
  void pytorchHasItsOwnRunsAndFolder() {
    Settings settings = Settings.of(Map.of("DEMO_PROGRAMS", "pytorch"), ROOT);
    assertTrue(settings.pytorch());
    assertEquals(List.of(RunKind.EXCLUSIVE, RunKind.UNSAFE, RunKind.FIFO), settings.runs());
    assertEquals(Path.of("/project/target/demo-pytorch"), settings.output());
    assertEquals(
        "demo: DEMO_PROGRAMS='jax': use paper or pytorch",
        messageFor(Map.of("DEMO_PROGRAMS", "jax")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0.5", "1001", "-3", "NaN", "fast"})
  void badScaleIsNamed(String scale) {
    DemoException e =
        assertThrows(DemoException.class, () -> Settings.of(Map.of("DEMO_SCALE", scale), ROOT));
    assertEquals("demo: DEMO_SCALE='" + scale + "': use a number from 1 to 1000", e.getMessage());
  }

  @Test
  void policiesRunBesideTheRunsWithoutSchedgpu() {
    assertEquals(
        List.of(RunKind.EXCLUSIVE, RunKind.UNSAFE, RunKind.SM_HPFW, RunKind.FIFO),
        Settings.of(Map.of("DEMO_POLICIES", "sm-hpfw, fifo"), ROOT).runs());
    assertEquals(
        List.of(RunKind.values()), Settings.of(Map.of("DEMO_POLICIES", "all"), ROOT).runs());
  }

  @Test
  void unknownRunIsNamedWithTheKnownOnes() {
    String policies =
        "fifo,mmu,priority-fifo,priority-mmu,hpfw,sm-hpfw,rbdm,rbdm-hpfw,rbdm-sm-hpfw";
    assertEquals(
        "demo: DEMO_RUNS has 'lifo': use some of exclusive,unsafe," + policies,
        messageFor(Map.of("DEMO_RUNS", "lifo")));
    assertEquals(
        "demo: DEMO_POLICIES has 'unsafe': use some of " + policies,
        messageFor(Map.of("DEMO_POLICIES", "fifo,unsafe")));
  }

  @Test
  void runsAndPoliciesTogetherAreRefused() {
    assertEquals(
        "demo: DEMO_RUNS and DEMO_POLICIES are set: set one of them",
        messageFor(Map.of("DEMO_RUNS", "fifo", "DEMO_POLICIES", "mmu")));
  }

  private static String messageFor(Map<String, String> environment) {
    return assertThrows(DemoException.class, () -> Settings.of(environment, ROOT)).getMessage();
  }
}
