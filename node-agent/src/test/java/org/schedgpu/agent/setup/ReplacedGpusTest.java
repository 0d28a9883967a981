package org.schedgpu.agent.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A devices.conf that was written for other GPUs than those of now. */
class ReplacedGpusTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void writeDevices() throws IOException {
    file =
        Files.writeString(
            folder.resolve("devices.conf"),
            line("gpu1", 0, "GPU-a") + line("gpu1", 1, "GPU-b") + line("gpu2", 0, "GPU-z"));
  }

  private static String line(String node, int index, String uuid) {
    return "NodeName=%s Device=%d UUID=%s File=/dev/nvidia%d TotalBytes=17179869184 ReservedBytes=0"
            .formatted(node, index, uuid, index)
        + " ContextBytes=268435456 Virtual=%d Name=\"A 100\"%n".formatted(index);
  }

  private Optional<String> find(Map<String, String> seen) {
    return ReplacedGpus.find(file, "gpu1", seen).map(text -> text.replace(file + ": ", ""));
  }

  @Test
  void theGpusOfTheFileAreWell() {
    assertEquals(Optional.empty(), find(Map.of("GPU-a", "/dev/nvidia0", "GPU-b", "/dev/nvidia1")));
    assertEquals(Optional.empty(), find(Map.of()));
  }

  @Test
  void aReplacedGpuIsNamed() {
    assertEquals(
        Optional.of(
            "device 1 is GPU-b, which NVML does not see, and /dev/nvidia1 is GPU-new: a GPU was"
                + " replaced or lost, or this is another machine"),
        find(Map.of("GPU-a", "/dev/nvidia0", "GPU-new", "/dev/nvidia1")));
    assertEquals(
        Optional.of(
            "device 1 is GPU-b, which NVML does not see: a GPU was replaced or lost, or this is"
                + " another machine"),
        find(Map.of("GPU-a", "/dev/nvidia0")));
  }

  @Test
  void gpusThatMovedAreFound() {
    assertEquals(
        Optional.of(
            "device 0 is GPU-a at /dev/nvidia0, which is at /dev/nvidia1 now: a GPU was replaced or"
                + " moved"),
        find(Map.of("GPU-a", "/dev/nvidia1", "GPU-b", "/dev/nvidia0")));
  }
}
