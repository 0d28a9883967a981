package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On which nodes an index would mean another device. */
class DeviceOrderTest {
  private static final String SLURM_CONF =
      """
      GresTypes=gpu
      NodeName=a Gres=gpu:x:2,gpu:y:1
      NodeName=b Gres=gpu:x:2,gpu:y:1
      NodeName=cpu
      """;
  private static final String GRES_CONF =
      """
      NodeName=a,b Name=gpu Type=x File=/dev/nvidia0
      NodeName=a,b Name=gpu Type=x File=/dev/nvidia1
      NodeName=a,b Name=gpu Type=y File=/dev/nvidia2
      """;
  private static final String DEVICES_CONF =
      """
      NodeName=a Device=0 UUID=GPU-0 File=/dev/nvidia0 TotalBytes=1 ReservedBytes=2 Virtual=0 Name=K
      NodeName=a Device=1 UUID=GPU-1 File=/dev/nvidia1 TotalBytes=1 ReservedBytes=2 Virtual=1 Name=K
      """;

  @TempDir Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("slurm.conf"), SLURM_CONF);
    Files.writeString(folder.resolve("gres.conf"), GRES_CONF);
    Files.writeString(folder.resolve("devices.conf"), DEVICES_CONF);
  }

  private Set<String> moved(String... namesAndTexts) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      files.put(namesAndTexts[i], namesAndTexts[i + 1].getBytes(StandardCharsets.UTF_8));
    }
    return new TreeSet<>(DeviceOrder.moved(folder, files));
  }

  @Test
  void nothingMovesWithTheSameFiles() {
    assertEquals(Set.of(), moved());
    assertEquals(
        Set.of(),
        moved("slurm.conf", SLURM_CONF, "gres.conf", GRES_CONF, "devices.conf", DEVICES_CONF));
  }

  @Test
  void commentsMemoryAndLinksMoveNothing() {
    assertEquals(
        Set.of(),
        moved(
            "gres.conf",
            "# new\n" + GRES_CONF.replace("nvidia1\n", "nvidia1 Cores=0\n"),
            "devices.conf",
            DEVICES_CONF
                .replace("TotalBytes=1", "TotalBytes=7")
                .replace("Name=K", "Name=\"K 2\"")));
  }

  @Test
  void orderOfTheLinesOfATypeMoves() {
    String swapped = GRES_CONF.replace("0", "9").replace("1", "0").replace("9", "1");
    assertEquals(Set.of("a", "b"), moved("gres.conf", swapped));
  }

  @Test
  void deviceOfALineMovesItsNodeOnly() {
    String split = GRES_CONF.replace("a,b", "a") + GRES_CONF.replace("a,b", "b");
    assertEquals(Set.of(), moved("gres.conf", split));
    assertEquals(
        Set.of("b"),
        moved(
            "gres.conf",
            GRES_CONF.replace("a,b", "a") + GRES_CONF.replace("a,b", "b").replace("a1", "a7")));
  }

  @Test
  void orderOfTheTypesInGresMoves() {
    assertEquals(
        Set.of("a"),
        moved("slurm.conf", SLURM_CONF.replaceFirst("gpu:x:2,gpu:y:1", "gpu:y:1,gpu:x:2")));
  }

  @Test
  void deviceOfDevicesConfMoves() {
    assertEquals(Set.of("a"), moved("devices.conf", DEVICES_CONF.replace("GPU-1", "GPU-7")));
    assertEquals(
        Set.of("a"), moved("devices.conf", DEVICES_CONF.replace("Virtual=1", "Virtual=2")));
  }

  @Test
  void whatCannotBeReadNowMovesAll() throws IOException {
    Files.writeString(folder.resolve("gres.conf"), "nonsense here\n");
    assertEquals(Set.of("a", "b"), moved("gres.conf", GRES_CONF));
  }
}
