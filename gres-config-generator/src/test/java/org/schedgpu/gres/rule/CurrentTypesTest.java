package org.schedgpu.gres.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.plan.Order;

class CurrentTypesTest {
  private static final PlanRule.Defaults TWELVE =
      new PlanRule.Defaults(Optional.of(ShareRule.perGpu(12)), Order.SPREAD, 1, "full");

  @TempDir private Path folder;

  private static NodeFacts node(String... names) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      devices.add(new Device(i, "GPU-" + i, "/dev/nvidia" + i, 1L << 34, 0, 0, names[i]));
    }
    return new NodeFacts("gpu1", null, devices);
  }

  private Map<Integer, String> types(String gresConf, String gres, NodeFacts node)
      throws IOException {
    Path file = Files.writeString(folder.resolve("gres.conf"), gresConf);
    return new CurrentTypes(
            Optional.of(CurrentGresConf.read(file, Optional.empty())),
            name -> gres,
            List.of(TWELVE.asRule().orElseThrow()))
        .of(node);
  }

  @Test
  void aDeviceKeepsTheTypeOfItsLine() throws IOException {
    String lines =
        "NodeName=gpu1 Name=gpu Type=a100 File=/dev/nvidia0\n"
            + "NodeName=gpu1 Name=gpu Type=big File=/dev/nvidia1\n";

    assertEquals(Map.of(0, "a100", 1, "big"), types(lines, "", node("A100", "A100")));
    assertEquals(Map.of(), types(lines.replace("gpu1", "gpu2"), "", node("A100", "A100")));
  }

  /** slurmd counts a100 as A100; slurmctld gives jobs what Gres= says. */
  @Test
  void theSpellingOfSlurmConfIsTheUsers() throws IOException {
    String lines = "Name=gpu Type=a100 File=/dev/nvidia0\nName=gpu Type=t4 File=/dev/nvidia1\n";

    assertEquals(
        Map.of(0, "A100", 1, "t4"), types(lines, "gpu:A100:1,gpu:t4:1", node("A100", "T4")));
    assertEquals(
        Map.of(0, "a100", 1, "t4"),
        types(lines, "gpu:A100:1,gpu:a100:1,gpu:t4:1", node("A100", "T4")));
  }

  @Test
  void aNewDeviceGetsTheTypeOfThoseOfItsName() throws IOException {
    String line = "Name=gpu Type=a100 File=/dev/nvidia0\n";

    assertEquals(Map.of(0, "a100", 1, "a100"), types(line, "", node("A100", "A100", "T4")));
  }

  @Test
  void withoutATypeInGresConfTheOnlyOneOfSlurmConfCounts() throws IOException {
    assertEquals(Map.of(0, "a100"), types("AutoDetect=nvml\n", "gpu:a100:1,nic:2", node("A100")));
    assertEquals(Map.of(), types("", "gpu:a100:1,gpu:t4:1", node("A100")));
    assertEquals(Map.of(), types("", "gpu:a100:2", node("A100", "T4")));
    assertEquals(Map.of(), types("AutoDetect=nvml\n", "gpu:2", node("A100", "A100")));
  }

  @Test
  void ofSeveralTypesADetectorsDeviceHasTheOneInItsName() throws IOException {
    NodeFacts node = node("NVIDIA A100-SXM4-40GB", "Tesla T4", "NVIDIA H100");

    assertEquals(
        Map.of(0, "a100", 1, "Tesla_T4"),
        types("AutoDetect=nvml\n", "gpu:a100:1,gpu:Tesla_T4:1", node));
    assertEquals(
        Map.of(1, "t4", 2, "nvidia"),
        types("AutoDetect=nvml\n", "gpu:a100:1,gpu:t4:1,gpu:nvidia:1", node),
        "the first could be two");
    assertEquals(Map.of(), types("", "gpu:a100:1,gpu:t4:1", node));
  }

  @Test
  void theTypeOfWholeDevicesAndThoseOfInstancesAreNoNames() throws IOException {
    String shared =
        "Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl\n"
            + "Name=gpu Type=full MultipleFiles=/dev/nvidia1,/dev/nvidiactl\n";

    assertEquals(Map.of(0, "a100", 1, "a100"), types(shared, "", node("A100", "A100")));
    assertEquals(Map.of(), types("", "gpu:full:1,gpu:1g.5gb:7", node("A100")));
    assertEquals(Map.of(0, "a100"), types("", "gpu:a100:1,gpu:full:1", node("A100")));
  }

  @Test
  void whatTheAdministratorSaysGoesFirst() {
    Device device = node("NVIDIA A100").devices().get(0);
    Optional<String> now = Optional.of("a100");

    assertEquals("x", TypeNames.of(List.of("x")).of(device, now));
    assertEquals("y", TypeNames.of(List.of("NVIDIA A100=y")).of(device, now));
    assertEquals("a100", TypeNames.of(List.of()).of(device, now));
    assertEquals("nvidia_a100", TypeNames.of(List.of()).of(device, Optional.empty()));
  }
}
