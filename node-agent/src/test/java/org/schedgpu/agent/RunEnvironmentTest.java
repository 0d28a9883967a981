package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunEnvironmentTest {
  private static Map<String, String> environment(Map<String, String> users) {
    return RunEnvironment.of(
        users,
        "run:7",
        Path.of("/run/x"),
        List.of("GPU-1", "GPU-0"),
        Optional.of(Path.of("/l/p.so")),
        "refuse");
  }

  @Test
  void addsOursAndKeepsTheUsers() {
    assertEquals(
        Map.of(
            "HOME", "/root",
            "CUDA_VISIBLE_DEVICES", "GPU-1,GPU-0",
            "SCHEDGPU_DEVICES", "GPU-1,GPU-0",
            "SCHEDGPU_JOB", "run:7",
            "SCHEDGPU_RUN_DIR", "/run/x",
            "SCHEDGPU_ON_FAILURE", "refuse",
            "LD_PRELOAD", "/l/p.so"),
        environment(Map.of("HOME", "/root", "CUDA_VISIBLE_DEVICES", "3")));
  }

  @Test
  void withoutALibraryTheUsersPreloadIsAsItWas() {
    for (Map<String, String> users : List.of(Map.of("LD_PRELOAD", "/u.so"), Map.of("A", "b"))) {
      Map<String, String> result =
          RunEnvironment.of(
              users, "run:7", Path.of("/run/x"), List.of("GPU-1"), Optional.empty(), "run");
      assertEquals(users.get("LD_PRELOAD"), result.get("LD_PRELOAD"));
      assertEquals("run:7", result.get("SCHEDGPU_JOB"));
    }
  }

  @Test
  void ourPreloadIsFirst() {
    assertEquals("/l/p.so:/u.so", environment(Map.of("LD_PRELOAD", "/u.so")).get("LD_PRELOAD"));
  }

  @Test
  void theForegroundIsReadFromStat() {
    assertTrue(Signals.isInForeground("12 (a) b) S 1 30 30 34816 30 4194304 1"));
    assertFalse(Signals.isInForeground("12 (java) S 1 31 30 34816 30 4194304 1"));
    assertFalse(Signals.isInForeground("12 (java) S 1 31 30 0 -1 4194304 1"));
  }
}
