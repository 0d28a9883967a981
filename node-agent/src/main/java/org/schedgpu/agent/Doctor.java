package org.schedgpu.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.LibraryFinder;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** Looks at everything that must be there for jobs of this node to be scheduled. */
final class Doctor {
  private static final String LIVENESS_FILE = "live";

  private static final String MEND = "run schedgpu reap as root, which mends it";

  private final List<Finding> findings = new ArrayList<>();

  private Doctor() {}

  /** Examines the node; nothing that is missing stops it. */
  static List<Finding> examine(
      Supplier<Conf> conf, Supplier<Path> runDir, Map<String, String> environment) {
    return new Doctor().run(conf, runDir, environment);
  }

  private List<Finding> run(
      Supplier<Conf> confReader, Supplier<Path> runDirReader, Map<String, String> environment) {
    boolean library = library(LibraryFinder.find());
    List<String> uuids = nvml(Nvml.open());
    Optional<Conf> conf = library ? conf(confReader) : Optional.empty();
    conf.ifPresent(
        c -> {
          preload(PreloadLibrary.candidate(c));
          devices(c, environment);
        });
    if (conf.isPresent()) {
      Path runDir = runDirReader.get();
      runDir(runDir);
      new DeviceNotes(runDir).read().forEach(note -> add(noteFinding(note)));
      region(runDir, uuids);
      agent(runDir, conf.get().brokered());
    }
    SlurmSetup.find(environment)
        .ifPresentOrElse(
            path -> findings.addAll(SlurmSetup.check(path)),
            () -> add(Finding.ok("slurm", "no slurm.conf here: jobs start with schedgpu run")));
    return findings;
  }

  private void add(Finding finding) {
    findings.add(finding);
  }

  private boolean library(Optional<Path> library) {
    if (library.isEmpty()) {
      add(
          Finding.problem(
              "library",
              "no libschedgpu.so in " + LibraryFinder.candidates(),
              "install libschedgpu, or set " + LibraryFinder.VARIABLE));
      return false;
    }
    add(Finding.ok("library", library.get().toString()));
    return true;
  }

  private List<String> nvml(Nvml.Attempt attempt) {
    if (attempt.nvml().isEmpty()) {
      add(nvmlMissing(attempt.reason()));
      return List.of();
    }
    List<String> uuids = new ArrayList<>();
    try (Nvml nvml = attempt.nvml().get()) {
      for (Nvml.Device device : nvml.devices()) {
        uuids.add(device.uuid());
        add(
            Finding.ok(
                "nvml",
                "device %d: %s, %s GiB"
                    .formatted(
                        device.index(), device.name(), Texts.gib(device.memory().totalBytes()))));
      }
    } catch (Nvml.NvmlException problem) {
      add(Finding.problem("nvml", problem.getMessage(), "see nvidia-smi"));
      return uuids;
    }
    if (uuids.isEmpty()) {
      add(Finding.problem("nvml", "NVML sees no device", "see nvidia-smi"));
    }
    return uuids;
  }

  static Finding nvmlMissing(String reason) {
    int end = reason.lastIndexOf(": ");
    return Finding.problem("nvml", reason.substring(0, end), reason.substring(end + 2));
  }

  private Optional<Conf> conf(Supplier<Conf> reader) {
    try {
      Conf conf = reader.get();
      boolean there = Files.exists(conf.file());
      add(Finding.ok("conf", there ? conf.file().toString() : "no " + conf.file() + ": defaults"));
      return Optional.of(conf);
    } catch (AgentException problem) {
      problem
          .getMessage()
          .lines()
          .forEach(line -> add(Finding.problem("conf", line, "correct the line")));
    } catch (LibraryNotFoundException problem) {
      add(Finding.problem("library", problem.getMessage(), "install libschedgpu again"));
    }
    return Optional.empty();
  }

  private void preload(Optional<Path> library) {
    add(preloadFinding(library.orElse(Path.of("libschedgpu-preload.so"))));
  }

  static Finding preloadFinding(Path library) {
    return Files.isReadable(library)
        ? Finding.ok("preload", library.toString())
        : Finding.problem(
            "preload",
            library + " is not there or not readable",
            "install libschedgpu, or set PreloadLibrary");
  }

  private void devices(Conf conf, Map<String, String> environment) {
    Path file = conf.devicesFile();
    if (!Files.exists(file)) {
      add(Finding.ok("devices", "no " + file + ": NVML is asked"));
      return;
    }
    try {
      String node = NodeFactsReader.nodeName(environment);
      int count = DevicesConf.read(file, node).size();
      add(
          count > 0
              ? Finding.ok("devices", file + ": " + Texts.count(count, "device", "devices"))
              : Finding.problem(
                  "devices",
                  file + " has no device of node " + node,
                  "write it again with schedgpu gres plan"));
    } catch (AgentException problem) {
      problem
          .getMessage()
          .lines()
          .forEach(line -> add(Finding.problem("devices", line, "correct the line")));
    }
  }

  private void runDir(Path runDir) {
    if (!Files.isDirectory(runDir)) {
      add(Finding.problem("run-dir", runDir + " is not there", "run schedgpu setup as root"));
      return;
    }
    try {
      add(runDirFinding(runDir, Files.getFileStore(runDir).type()));
    } catch (IOException problem) {
      add(
          Finding.problem(
              "run-dir",
              runDir + " cannot be examined (" + problem.getMessage() + ")",
              "try as root"));
    }
  }

  /** The region must not outlive a boot, and its pages must not go to a disk. */
  static Finding runDirFinding(Path runDir, String fileSystem) {
    return fileSystem.equals("tmpfs")
        ? Finding.ok("run-dir", runDir + " is on tmpfs")
        : Finding.problem(
            "run-dir",
            runDir + " is on " + fileSystem + ", not on tmpfs",
            "set RunDir to a folder below /run");
  }

  private void agent(Path runDir, boolean brokered) {
    try {
      add(agentFinding(AgentLock.holder(runDir), brokered));
    } catch (IOException unknown) {
      add(Finding.ok("agent", "it cannot be told whether one runs (" + unknown + ")"));
    }
  }

  /** A node can do without one, so that is no problem, but where it is the broker. */
  static Finding agentFinding(OptionalLong pid, boolean brokered) {
    if (pid.isPresent()) {
      return Finding.ok("agent", "runs, pid " + pid.getAsLong());
    }
    return brokered
        ? Finding.problem(
            "agent",
            "no agent runs, and with Mode=brokered programs reserve through it",
            "systemctl start schedgpu-agent")
        : Finding.ok("agent", "no agent runs: deaths are repaired when the next waits");
  }

  private void region(Path runDir, List<String> uuids) {
    RegionSnapshot snapshot;
    try (SchedGpu region = SchedGpu.open(runDir)) {
      snapshot = region.snapshot();
      add(Finding.ok("region", regionText(snapshot)));
      check(region).ifPresent(this::add);
      segment(region.info());
      HostProcesses processes = new HostProcesses();
      OverrunFindings.of(GpuLook.ifPossible(region, GpuLook::atWholeDevices), processes::folder)
          .forEach(this::add);
    } catch (SchedGpuException problem) {
      add(regionProblem(problem.code(), problem.getMessage()));
      return;
    }
    for (String what : snapshot.damage()) {
      add(Finding.problem("region", "damaged: " + what, MEND));
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
              "the liveness file is not the one that the region names, so nobody counts as dead",
              "run schedgpu setup as root"));
    }
    for (int device : info.overcommitted()) {
      add(
          Finding.problem(
              "region",
              "more of device " + device + " is in use than it can give: damage was mended",
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
            : "damage was mended " + Texts.count(info.repairs(), "time", "times");
    return info.checkpointAgeNs().isEmpty()
        ? Finding.ok("repair", repaired + ", no checkpoint to be seen")
        : Finding.ok(
            "repair",
            "%s, checkpoint of %d s ago"
                .formatted(repaired, info.checkpointAgeNs().getAsLong() / 1_000_000_000L));
  }

  private static Optional<Finding> check(SchedGpu region) {
    try {
      return region.check().map(what -> Finding.problem("region", what, MEND));
    } catch (SchedGpuException problem) {
      return Optional.of(
          problem.code() == ErrorCode.EPERM
              ? Finding.ok("region", "not checked in depth: this user may only read it")
              : Finding.problem(
                  "region", problem.getMessage(), "continue (kill -CONT) or kill that process"));
    }
  }

  private static String regionText(RegionSnapshot snapshot) {
    return "version %d, policy %s, %s, %s"
        .formatted(
            snapshot.version(),
            snapshot.policy().map(Policy::text).orElse("damaged"),
            Texts.count(snapshot.devices().size(), "device", "devices"),
            Texts.count(snapshot.jobs().size(), "job", "jobs"));
  }

  /** The library's message says what to do behind its last colon. */
  static Finding regionProblem(ErrorCode code, String message) {
    String text = message.substring(message.indexOf(": ") + 2);
    int end = text.indexOf(": ");
    return end < 0
        ? Finding.problem("region", text, code.name() + ": see schedgpu(1)")
        : Finding.problem("region", text.substring(0, end), text.substring(end + 2));
  }

  /** Its text is {@code what: what to do}. */
  static Finding noteFinding(DeviceNotes.Note note) {
    int end = note.text().indexOf(": ");
    String what = note.text().substring(0, Math.max(0, end));
    String place = note.device() < 0 ? "a device" : "device " + note.device();
    return Finding.problem(
        "health",
        "%s at %s: %s".formatted(place, note.time().truncatedTo(ChronoUnit.SECONDS), what),
        note.text().substring(end < 0 ? 0 : end + 2));
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
            "drain the node and make the region anew");
  }
}
