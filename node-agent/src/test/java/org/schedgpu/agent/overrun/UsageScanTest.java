package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.jna.GpuProcess;
import org.schedgpu.jna.Nvml.MemoryInfo;
import org.schedgpu.jna.RegionSnapshot;

/** A folder stands in for /proc. */
class UsageScanTest {
  private static final RegionSnapshot BUSY = Snapshots.busy();
  private static final String UUID = BUSY.devices().get(0).uuid();

  @TempDir Path proc;

  private void process(int pid, String status, String cgroup) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(folder.resolve("status"), status);
    Files.writeString(folder.resolve("cgroup"), cgroup);
    Path self = Files.createDirectories(proc.resolve("self/ns"));
    if (Files.notExists(self.resolve("pid"), LinkOption.NOFOLLOW_LINKS)) {
      Files.createSymbolicLink(self.resolve("pid"), Path.of("pid:[4026531836]"));
    }
  }

  private Optional<List<GpuUser>> users(int... pids) {
    return new GpuUsers(BUSY, new HostProcesses(proc))
        .of(
            Optional.of(
                java.util.Arrays.stream(pids)
                    .mapToObj(pid -> new GpuProcess(pid, OptionalLong.of(pid)))
                    .toList()));
  }

  @Test
  void eachProcessHasItsNameAndItsJob() throws IOException {
    process(1, "Name:\tinit\n", "");
    process(500, "Name:\ttrain\nUid:\t1000\n", "3:cpu:/slurm/uid_1000/job_4711/step_0\n");
    process(501, "Name:\tXorg\nUid:\t0\n", "");
    assertEquals(
        Optional.of(
            List.of(
                new GpuUser(
                    500, "train", OptionalLong.of(500), Snapshots.job(BUSY, 4711), false, "0"),
                Snapshots.user(501, "Xorg", 501, Optional.empty(), false))),
        users(500, 501));
  }

  @Test
  void aProcessThatIsGoneIsOfNoJob() throws IOException {
    process(1, "Name:\tinit\n", "");
    assertEquals(
        Optional.of(List.of(Snapshots.user(500, "", 500, Optional.empty(), false))), users(500));
  }

  @Test
  void whereProcessesAreHiddenOneThatIsNotFoundMakesAllUnknown() throws IOException {
    process(500, "Name:\ttrain\nUid:\t1000\n", "");
    assertEquals(1, users(500).orElseThrow().size());
    assertEquals(Optional.empty(), users(500, 501));
  }

  @Test
  void whatNvmlDoesNotListStaysUnknown() {
    assertEquals(
        Optional.empty(), new GpuUsers(BUSY, new HostProcesses(proc)).of(Optional.empty()));
  }

  @Test
  void whatTheDriverKeepsIsNotInUse() {
    MemoryInfo versionTwo = new MemoryInfo(16, 2, 4, 10);
    MemoryInfo versionOne = new MemoryInfo(16, 0, 0, 3 * Snapshots.GIB);
    assertEquals(OptionalLong.of(10), UsageScan.usedBytes(versionTwo, BUSY, UUID));
    assertEquals(OptionalLong.of(2 * Snapshots.GIB), UsageScan.usedBytes(versionOne, BUSY, UUID));
    assertEquals(OptionalLong.empty(), UsageScan.usedBytes(versionOne, BUSY, "GPU-other"));
  }
}
