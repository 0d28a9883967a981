package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.DeviceSpec;

class DevicesConfTest {
  private static final String REST =
      " UUID=GPU-1 File=/dev/nvidia0 TotalBytes=5032116224 ReservedBytes=1 ContextBytes=67108864"
          + " Virtual=0-11 Name=\"Tesla K20m\"";

  private static List<DeviceSpec> parse(String... lines) {
    return DevicesConf.parse("d.conf", List.of(lines), "gpu1");
  }

  @Test
  void readsTheDevicesOfTheNodeByIndex() {
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
  void gpusThatAreNotOursAreNoDevices() {
    assertEquals(1, parse("NodeName=gpu1 NotOurs=24-30", "NodeName=gpu1 Device=0" + REST).size());
    AgentException problem =
        assertThrows(AgentException.class, () -> parse("NodeName=gpu1 NotOurs=1 Device=0" + REST));
    assertTrue(problem.getMessage().contains("NotOurs stands beside NodeName only"));
  }

  @Test
  void everyProblemIsReportedAtOnce() {
    AgentException problem =
        assertThrows(
            AgentException.class,
            () ->
                parse(
                    "NodeName=gpu1 Device=16" + REST,
                    "NodeName=gpu1 Device=1" + REST.replace("5032116224", "5G"),
                    "NodeName=gpu1 Devise=1" + REST,
                    "NodeName=gpu2 Device=1" + REST,
                    "NodeName=gpu2 Device=1" + REST,
                    "NodeName=gpu1 NodeName=gpu1 Device=2" + REST));
    assertEquals(
        List.of(
            "d.conf:1: Device=16: must be 0 to 15",
            "d.conf:2: TotalBytes=5G: must be a number of bytes above 0",
            "d.conf:3: unknown key 'Devise': did you mean Device?",
            "d.conf:3: Device is missing: write the file with schedgpu gres plan",
            "d.conf:6: NodeName is there twice: keep one"),
        problem.getMessage().lines().toList());
  }

  @Test
  void aDeviceAUuidAndAVirtualGpuBelongToOneLine() {
    AgentException problem =
        assertThrows(
            AgentException.class,
            () ->
                parse(
                    "NodeName=gpu1 Device=1" + REST,
                    "NodeName=gpu1 Device=1" + REST.replace("0-11", "11-13"),
                    "NodeName=gpu2 Device=1" + REST,
                    "NodeName=gpu1 NotOurs=13,14",
                    "NodeName=gpu1 NotOurs=12"));
    assertEquals(
        List.of(
            "d.conf:2: Device=1 of this node is there twice",
            "d.conf:2: UUID=GPU-1 is there twice",
            "d.conf:2: virtual GPU 11 is of device 1 already",
            "d.conf:5: NotOurs of this node is there twice: keep one",
            "d.conf: virtual GPU 12 is of device 1, and NotOurs"),
        problem.getMessage().lines().toList());
  }

  @Test
  void whatIsKeptFreeFitsIntoTheDevice() {
    AgentException problem =
        assertThrows(
            AgentException.class,
            () -> parse("NodeName=gpu1 Device=1" + REST.replace("Bytes=1 ", "Bytes=5032116224 ")));
    assertEquals(
        "d.conf:1: Device=1: ReservedBytes and ContextBytes are more than TotalBytes",
        problem.getMessage().strip());
  }

  @Test
  void aNameMayBeMissing() {
    assertEquals(
        "", parse("NodeName=gpu1 Device=0" + REST.replaceAll(" Name=.*", "")).get(0).name());
  }
}
