package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NvmlTest {
  private static final Path EMULATOR =
      Path.of("../lab/gpu-emulator/target/native/libnvidia-ml.so.1").toAbsolutePath().normalize();

  @Test
  void withoutNvmlThereIsAReason() {
    Nvml.Attempt attempt = Nvml.open("libno-such-nvml.so.1");
    assertEquals(Optional.empty(), attempt.nvml());
    assertEquals(
        "libno-such-nvml.so.1 cannot be loaded: install NVIDIA's driver, or start this on a GPU"
            + " node",
        attempt.reason());
  }

  @Test
  void readsTheFactsOfEachDevice() {
    assumeTrue(Files.exists(EMULATOR), "the emulator is not built: no " + EMULATOR);
    Nvml.Attempt attempt = Nvml.open(EMULATOR.toString());
    assertEquals("", attempt.reason());
    try (Nvml nvml = attempt.nvml().orElseThrow()) {
      List<Nvml.Device> devices = nvml.devices();
      assertTrue(devices.size() >= 1);
      Nvml.Device device = devices.get(0);
      assertEquals(0, device.index());
      assertTrue(device.uuid().startsWith("GPU-"), device::uuid);
      assertTrue(device.name().startsWith("Emulated"), device::name);
      assertEquals(0, device.minorNumber());
      Nvml.MemoryInfo memory = device.memory();
      assertTrue(memory.totalBytes() > 0);
      assertTrue(memory.freeBytes() + memory.usedBytes() <= memory.totalBytes());
      assertTrue(device.utilizationPercent().orElse(0) <= 100);
      assertTrue(device.processes().isPresent());
      assertTrue(nvml.hasMemoryLimits());
    }
  }

  /** An agent opens NVML for each answer, so nothing may remain afterwards. */
  @Test
  void itsFunctionsAreRegisteredOnceHoweverOftenItIsOpened() {
    assumeTrue(Files.exists(EMULATOR), "the emulator is not built: no " + EMULATOR);
    Nvml.open(EMULATOR.toString()).nvml().orElseThrow().close();
    int before = Nvml.registrations();
    for (int i = 0; i < 3; i++) {
      System.gc(); // and it does not matter that nobody has it open
      Nvml.open(EMULATOR.toString()).nvml().orElseThrow().close();
    }
    assertEquals(before, Nvml.registrations());
  }

  /** The maths library lacks the function for limits, as the library of an older driver does. */
  @Test
  void aFunctionIsThereOrNot() {
    NativeLibrary older = NativeLibrary.getInstance("m");
    assertFalse(Nvml.has(older, NvmlLimits.SET));
    assertTrue(Nvml.has(older, "cos"));
  }
}
