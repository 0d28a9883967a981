package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.jna.RegionSnapshot.Device;

class RunEnvironmentTest {
  private static final RunEnvironment.Terms TERMS =
      new RunEnvironment.Terms(
          Optional.of(Path.of("/l/libschedgpu-preload.so")), "refuse", true, false);

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private static Device device(int index) {
    return new Device(index, "GPU-" + index, "", 1L << 30, 0, 0, 0, 0);
  }

  private static Map<String, String> environment(Map<String, String> users) {
    return environment(users, false, TERMS);
  }

  private static Map<String, String> environment(
      Map<String, String> users, boolean budget, RunEnvironment.Terms terms) {
    return RunEnvironment.of(
        users, "run:7", Path.of("/run/x"), List.of(device(1), device(0)), budget, terms);
  }

  @Test
  void addsOursAndKeepsTheUsers() {
    assertEquals(
        Map.of(
            "HOME", "/root",
            "CUDA_VISIBLE_DEVICES", "GPU-1,GPU-0",
            "GPU_DEVICE_ORDINAL", "1,0",
            "SCHEDGPU_DEVICES", "GPU-1,GPU-0",
            "SCHEDGPU_JOB", "run:7",
            "SCHEDGPU_RUN_DIR", "/run/x",
            "SCHEDGPU_ON_FAILURE", "refuse",
            "SCHEDGPU_MANAGED", "reserve",
            "LD_PRELOAD", "/l/libschedgpu-preload.so"),
        environment(Map.of("HOME", "/root", "CUDA_VISIBLE_DEVICES", "3")));
  }

  @Test
  void withoutALibraryTheUsersPreloadIsAsItWas() {
    for (Map<String, String> users : List.of(Map.of("LD_PRELOAD", "/u.so"), Map.of("A", "b"))) {
      Map<String, String> result =
          environment(users, false, new RunEnvironment.Terms(Optional.empty(), "run", true, false));
      assertEquals(users.get("LD_PRELOAD"), result.get("LD_PRELOAD"));
      assertEquals("run:7", result.get("SCHEDGPU_JOB"));
    }
  }

  @Test
  void withABudgetFrameworksTakeWhatTheyNeedUnlessTheUserSaysOtherwise() {
    Map<String, String> result = environment(Map.of(), true, TERMS);
    assertEquals("true", result.get("TF_FORCE_GPU_ALLOW_GROWTH"));
    assertEquals("false", result.get("XLA_PYTHON_CLIENT_PREALLOCATE"));

    Map<String, String> users =
        Map.of("TF_FORCE_GPU_ALLOW_GROWTH", "false", "XLA_PYTHON_CLIENT_PREALLOCATE", "");
    result = environment(users, true, TERMS);
    assertEquals("false", result.get("TF_FORCE_GPU_ALLOW_GROWTH"));
    assertEquals("", result.get("XLA_PYTHON_CLIENT_PREALLOCATE"));
  }

  @Test
  void theSiteMayLeaveFrameworksAlone() {
    RunEnvironment.Terms terms = new RunEnvironment.Terms(Optional.empty(), "run", false, true);
    assertFalse(environment(Map.of(), true, terms).containsKey("TF_FORCE_GPU_ALLOW_GROWTH"));
    assertFalse(environment(Map.of(), true, terms).containsKey("XLA_PYTHON_CLIENT_PREALLOCATE"));
  }

  @Test
  void theSiteDecidesAboutManagedMemory() {
    RunEnvironment.Terms terms = new RunEnvironment.Terms(Optional.empty(), "run", true, true);
    assertEquals(
        "pass",
        environment(Map.of("SCHEDGPU_MANAGED", "reserve"), false, terms).get("SCHEDGPU_MANAGED"));
  }

  @Test
  void ourPreloadIsFirst() {
    assertEquals(
        "/l/libschedgpu-preload.so:/u.so",
        environment(Map.of("LD_PRELOAD", "/u.so")).get("LD_PRELOAD"));
    String inside = "/u.so:/l/libschedgpu-preload.so /v.so";
    assertEquals(
        "/l/libschedgpu-preload.so:/u.so:/v.so",
        environment(Map.of("LD_PRELOAD", inside)).get("LD_PRELOAD"));
  }

  @Test
  void theForegroundIsReadFromStat() {
    assertTrue(Signals.isInForeground("12 (a) b) S 1 30 30 34816 30 4194304 1"));
    assertFalse(Signals.isInForeground("12 (java) S 1 31 30 34816 30 4194304 1"));
    assertFalse(Signals.isInForeground("12 (java) S 1 31 30 0 -1 4194304 1"));
  }
}
