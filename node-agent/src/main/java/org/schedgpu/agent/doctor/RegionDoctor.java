package org.schedgpu.agent.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.overrun.OverrunFindings;
import org.schedgpu.agent.overrun.UsageScan;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.StoppedJobs;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.setup.ReplacedGpus;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.wait.StoppedHolders;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** Checks the region and its files. */
final class RegionDoctor {
  private static final String LIVENESS_FILE = "live";

  private static final String REPAIR = "run schedgpu reap as root, which repairs it";

  private final List<Finding> findings = new ArrayList<>();

  private RegionDoctor() {}

  /**
   * Examines the region of a run directory.
   *
   * @param uuids of the devices that NVML sees; empty without NVML
   */
  static List<Finding> examine(Path runDir, List<String> uuids) {
    RegionDoctor doctor = new RegionDoctor();
    doctor.region(runDir, uuids);
    return doctor.findings;
  }

  private void add(Finding finding) {
    findings.add(finding);
  }

  private void region(Path runDir, List<String> uuids) {
    RegionSnapshot snapshot;
    try (SchedGpu region = SchedGpu.open(runDir)) {
      snapshot = region.snapshot();
      add(Finding.ok("region", regionText(snapshot)));
      check(region).ifPresent(this::add);
      segment(region.info());
      lanes(snapshot, RegionSnapshot.nowNs()).forEach(this::add);
      HostProcesses processes = new HostProcesses();
      stopped(snapshot, StoppedJobs.of(snapshot, processes)).forEach(this::add);
      GpuUse use =
          UsageScan.ifPossible(region, nvml -> UsageScan.atWholeDevices(nvml).ofNode(runDir));
      OverrunFindings.of(use, processes::folder).forEach(this::add);
    } catch (SchedGpuException problem) {
      add(regionProblem(problem.code(), problem.getMessage()));
      return;
    }
    for (String what : snapshot.damage()) {
      add(Finding.problem("region", "damaged: " + what, REPAIR));
    }
    access(runDir.resolve(LIVENESS_FILE));
    add(devicesFinding(snapshot.devices(), uuids));
  }

  private void segment(RegionInfo info) {
    add(segmentFinding(info));
    add(checkpointFinding(info));
    if (!info.livenessRight()) {
      add(
          Finding.problem(
              "liveness",
              "live or live.root is not the file that the region names, so it proves no process"
                  + " dead",
              "run schedgpu setup as root"));
    }
    for (int device : info.overcommitted()) {
      add(
          Finding.problem(
              "region",
              "more of device " + device + " is in use than it can give: damage was repaired",
              "nothing is granted there until enough was given back; see schedgpu status"));
    }
  }

  static Finding segmentFinding(RegionInfo info) {
    String owner = Posix.userName(info.uid()).orElse("uid " + info.uid());
    return Finding.ok(
        "segment",
        "shmid %d %s %s, %s"
            .formatted(
                info.shmid(),
                info.modeText(),
                owner,
                Texts.count(info.attached(), "process", "processes")));
  }

  static Finding checkpointFinding(RegionInfo info) {
    String repaired =
        info.repairs() == 0
            ? "no damage so far"
            : "damage was repaired " + Texts.count(info.repairs(), "time", "times");
    return info.checkpointAgeNs().isEmpty()
        ? Finding.ok("repair", repaired + ", no checkpoint to be seen")
        : Finding.ok(
            "repair",
            "%s, checkpoint of %d s ago"
                .formatted(repaired, info.checkpointAgeNs().getAsLong() / 1_000_000_000L));
  }

  private static Optional<Finding> check(SchedGpu region) {
    try {
      return region.check().map(what -> Finding.problem("region", what, REPAIR));
    } catch (SchedGpuException problem) {
      return Optional.of(
          problem.code() == ErrorCode.EPERM
              ? Finding.ok("region", "not checked in depth: this user may only read it")
              : Finding.problem(
                  "region", problem.getMessage(), "continue (kill -CONT) or kill that process"));
    }
  }

  /** Turns that nobody gets. */
  static List<Finding> lanes(RegionSnapshot snapshot, long nowNs) {
    return new Lanes(snapshot, nowNs)
        .all(uid -> true).stream()
            .flatMap(lane -> lane.kept().stream())
            .map(
                why ->
                    Finding.problem(
                        "lane",
                        why,
                        "declare what it keeps with --schedgpu-persistent, or let it free more at"
                            + " the end of an iteration; the turn goes on when the job ends"))
            .toList();
  }

  /** Jobs that wait behind one that gives nothing back. */
  static List<Finding> stopped(RegionSnapshot snapshot, Set<Integer> stopped) {
    return StoppedHolders.of(snapshot, new Shares(snapshot, stopped)).stream()
        .map(one -> Finding.problem("stopped", one.text(), StoppedHolders.ADVICE))
        .toList();
  }

  private static String regionText(RegionSnapshot snapshot) {
    return "version %d, policy %s, %s, %s"
        .formatted(
            snapshot.version(),
            snapshot.policy().map(Policy::text).orElse("damaged"),
            Texts.count(snapshot.devices().size(), "device", "devices"),
            Texts.count(snapshot.jobs().size(), "job", "jobs"));
  }

  /** In the library's message, the advice follows the last colon. */
  static Finding regionProblem(ErrorCode code, String message) {
    String text = message.substring(message.indexOf(": ") + 2);
    int end = text.indexOf(": ");
    return end < 0
        ? Finding.problem("region", text, code.name() + ": see schedgpu(1)")
        : Finding.problem("region", text.substring(0, end), text.substring(end + 2));
  }

  private void access(Path file) {
    try {
      String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
      String text = file + " " + mode + " " + Files.getOwner(file).getName();
      add(
          Files.isWritable(file)
              ? Finding.ok("access", text)
              : Finding.problem(
                  "access",
                  text + ": this user may not use it",
                  "see RegionGroup, or try as root"));
    } catch (IOException problem) {
      add(Finding.problem("access", file + " is not there", "run schedgpu setup as root"));
    }
  }

  static Finding devicesFinding(List<Device> devices, List<String> uuids) {
    List<String> gone =
        devices.stream()
            .map(Device::uuid)
            .filter(uuid -> !uuids.isEmpty() && !uuids.contains(uuid))
            .toList();
    if (devices.isEmpty()) {
      return Finding.problem("region", "it has no device", "run schedgpu setup as root");
    }
    return gone.isEmpty()
        ? Finding.ok("region", "its devices are those of the node")
        : Finding.problem(
            "region",
            "NVML does not see its " + String.join(", ", gone),
            "if devices.conf names the GPUs of now, drain the node and make a new region; else"
                + " first "
                + ReplacedGpus.TODO);
  }
}
