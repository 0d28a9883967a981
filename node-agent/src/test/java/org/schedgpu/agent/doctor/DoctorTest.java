package org.schedgpu.agent.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.device.DeviceProblems;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.wait.StoppedHolders;
import org.schedgpu.jna.ErrorCode;

class DoctorTest {
  @TempDir Path folder;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void whatHappenedToADeviceIsReported() {
    DeviceProblems.Note note =
        new DeviceProblems.Note(
            Instant.ofEpochSecond(1_700_000_000L), 2, "xid=79 uuid=GPU-2: fell off the bus: drain");
    assertEquals(
        Finding.problem(
            "health",
            "device 2 at 2023-11-14T22:13:20Z: xid=79 uuid=GPU-2",
            "fell off the bus: drain"),
        Doctor.noteFinding(note));
    assertEquals(
        "a device at 2023-11-14T22:13:20Z: ",
        Doctor.noteFinding(new DeviceProblems.Note(note.time(), -1, "xid")).text());
  }

  @Test
  void withoutNvmlItSaysWhatToInstall() {
    assertEquals(
        Finding.problem("nvml", "x.so cannot be loaded", "install NVIDIA's driver"),
        Doctor.nvmlMissing("x.so cannot be loaded: install NVIDIA's driver"));
  }

  @Test
  void aTurnThatNobodyGetsIsAProblem() {
    assertEquals(List.of(), RegionDoctor.lanes(Snapshots.withLanes(), Snapshots.NOW));
    assertEquals(
        List.of(
            Finding.problem(
                "lane",
                "slurm:4711 keeps more memory between iterations than is free, so the turn of lane"
                    + " 0 has been idle for 1m05s while others wait",
                "declare what it keeps with --schedgpu-persistent, or let it free more at the end"
                    + " of an iteration; the turn goes on when the job ends")),
        RegionDoctor.lanes(Snapshots.withKeptTurn(), Snapshots.NOW));
  }

  @Test
  void aStoppedJobInFrontOfOthersIsAProblem() {
    assertEquals(List.of(), RegionDoctor.stopped(Snapshots.busy(), Set.of()));
    assertEquals(
        List.of(
            Finding.problem(
                "stopped",
                "slurm:4711 is stopped and holds 9.3 GiB of device 0, for which 3 other jobs wait",
                StoppedHolders.ADVICE)),
        RegionDoctor.stopped(Snapshots.busy(), Set.of(0)));
  }

  @Test
  void theLibrarysAdviceIsTheTodo() {
    assertEquals(
        Finding.problem("region", "there is none", "run `schedgpu setup`"),
        RegionDoctor.regionProblem(
            ErrorCode.ENOREGION, "cannot open /run/x: there is none: run `schedgpu setup`"));
    assertEquals(
        Finding.problem("region", "not yours", "EUSER: see schedgpu(1)"),
        RegionDoctor.regionProblem(ErrorCode.EUSER, "cannot open /run/x: not yours"));
  }

  @Test
  void theRunDirBelongsOnTmpfs() {
    Path dir = Path.of("/run/schedgpu");
    assertEquals(
        Finding.ok("run-dir", "/run/schedgpu is on tmpfs"), Doctor.runDirFinding(dir, "tmpfs"));
    assertEquals(
        Finding.problem(
            "run-dir",
            "/run/schedgpu is on ext4, not on tmpfs",
            "set RunDir to a folder below /run"),
        Doctor.runDirFinding(dir, "ext4"));
  }

  @Test
  void aNodeMayHaveAnAgentOrNot() {
    assertEquals(
        Finding.ok("agent", "runs, pid 4711"), Doctor.agentFinding(OptionalLong.of(4711), false));
    assertEquals(
        Finding.ok("agent", "no agent runs: deaths are repaired when the next waits"),
        Doctor.agentFinding(OptionalLong.empty(), false));
  }

  @Test
  void aBrokeredNodeNeedsAnAgent() {
    assertTrue(Doctor.agentFinding(OptionalLong.of(4711), true).ok());
    assertEquals(
        Finding.problem(
            "agent",
            "no agent runs, and with Mode=brokered programs reserve through it",
            "systemctl start schedgpu-agent"),
        Doctor.agentFinding(OptionalLong.empty(), true));
  }

  @Test
  void aMissingPreloadLibraryIsNamed() throws IOException {
    Path there = write("p.so", "");
    assertEquals(Finding.ok("preload", there.toString()), Doctor.preloadFinding(there));
    assertEquals(
        Finding.problem(
            "preload",
            "/no/p.so is not there or not readable",
            "install libschedgpu, or set PreloadLibrary"),
        Doctor.preloadFinding(Path.of("/no/p.so")));
  }

  @Test
  void enrootNeedsOurHook(@TempDir Path hooks) throws IOException {
    assertEquals(Optional.empty(), Doctor.enrootFinding(hooks.resolve("nothing")));
    Path ours = hooks.resolve("50-schedgpu.sh");
    assertEquals(
        Optional.of(
            Finding.problem(
                "enroot",
                ours + " is not there or not executable: containers do not see the library",
                "install the example enroot/50-schedgpu.sh of schedgpu there, mode 755")),
        Doctor.enrootFinding(hooks));
    Files.createFile(
        ours, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    assertEquals(Optional.of(Finding.ok("enroot", ours.toString())), Doctor.enrootFinding(hooks));
  }

  @Test
  void aRegionOfOtherDevicesIsWrong() {
    var devices = Snapshots.busy().devices();
    assertTrue(RegionDoctor.devicesFinding(devices, List.of()).ok());
    assertEquals(
        Finding.problem(
            "region",
            "NVML does not see its GPU-5e3ad0d5-1111-2222-3333-444444444444",
            "if devices.conf names the GPUs of now, drain the node and make a new region; else"
                + " first run schedgpu gres facts on this node, then plan and apply again"),
        RegionDoctor.devicesFinding(devices, List.of("GPU-1", "GPU-2")));
    assertEquals("it has no device", RegionDoctor.devicesFinding(List.of(), List.of()).text());
  }

  @Test
  void aDeviceForOneProcessIsWrong() {
    assertEquals(Optional.empty(), Doctor.computeModeFinding(1, OptionalInt.empty()));
    assertEquals(Optional.empty(), Doctor.computeModeFinding(1, OptionalInt.of(0)));
    assertEquals(
        "device 1 is in compute mode PROHIBITED: no program can use it",
        Doctor.computeModeFinding(1, OptionalInt.of(2)).orElseThrow().text());
    assertEquals(
        Finding.problem(
            "nvml",
            "device 1 is in compute mode EXCLUSIVE_PROCESS: one process at a time can use it",
            "nvidia-smi -i 1 -c DEFAULT"),
        Doctor.computeModeFinding(1, OptionalInt.of(3)).orElseThrow());
  }
}
