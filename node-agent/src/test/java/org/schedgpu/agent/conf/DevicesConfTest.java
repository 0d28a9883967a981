package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.DeviceSpec;

class DevicesConfTest {
  private static final String REST =
      " UUID=GPU-1 File=/dev/nvidia0 TotalBytes=5032116224 ReservedBytes=1 ContextBytes=67108864"
          + " Virtual=0-11 Name=\"Tesla K20m\"";

  @TempDir Path folder;

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private List<DeviceSpec> parse(String... lines) throws IOException {
    Path file = Files.write(folder.resolve("d.conf"), List.of(lines));
    return DevicesConf.read(file, "gpu1");
  }

  @Test
  void readsTheDevicesOfTheNodeByIndex() throws IOException {
    assertEquals(
        List.of(
            new DeviceSpec(0, 5032116224L, 1, 67108864, "GPU-1", "Tesla K20m"),
            new DeviceSpec(3, 5032116224L, 1, 67108864, "GPU-4", "Tesla K20m")),
        parse(
            "# two nodes",
            "NodeName=gpu1 Device=3" + REST.replace("GPU-1", "GPU-4").replace("0-11", "12-23"),
            "NodeName=gpu2 Device=0" + REST,
            "nodename=gpu1 device=0" + REST + " # the first"));
  }

  @Test
  void gpusThatAreNotOursAreNoDevices() throws IOException {
    assertEquals(1, parse("NodeName=gpu1 NotOurs=24-30", "NodeName=gpu1 Device=0" + REST).size());
  }

  /** Tests in libschedgpu/tests/conf check which values are wrong. */
  @Test
  void everyProblemIsReportedAtOnce() {
    AgentException problem =
        assertThrows(
            AgentException.class,
            () ->
                parse(
                    "NodeName=gpu1 Device=16" + REST,
                    "NodeName=gpu1 Devise=1" + REST,
                    "NodeName=gpu2 Device=1" + REST,
                    "NodeName=gpu2 Device=1" + REST));
    Path file = folder.resolve("d.conf");
    assertEquals(
        List.of(
            file + ":1: Device=16: must be 0 to 15",
            file + ":2: unknown key 'Devise': did you mean Device?",
            file + ":2: Device is missing: write the file with schedgpu gres plan"),
        problem.getMessage().lines().toList());
  }

  @Test
  void aNameMayBeMissing() throws IOException {
    assertEquals(
        "", parse("NodeName=gpu1 Device=0" + REST.replaceAll(" Name=.*", "")).get(0).name());
  }

  @Test
  void aFileThatDoesNotNameTheNodeHasNone() throws IOException {
    assertEquals(List.of(), parse("NodeName=gpu2 Device=1" + REST));
    assertEquals(List.of(), parse());
  }
}
