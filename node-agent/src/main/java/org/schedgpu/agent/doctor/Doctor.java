package org.schedgpu.agent.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.agent.broker.BrokerKernel;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.conf.DevicesConf;
import org.schedgpu.agent.device.DeviceProblems;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.setup.PreloadLibrary;
import org.schedgpu.agent.setup.ReplacedGpus;
import org.schedgpu.agent.slurm.GresLinks;
import org.schedgpu.agent.slurm.NodeGresCheck;
import org.schedgpu.agent.slurm.OldCgroupConf;
import org.schedgpu.agent.slurm.PluginReleases;
import org.schedgpu.agent.slurm.PrivateFolders;
import org.schedgpu.agent.slurm.SlurmSetup;
import org.schedgpu.agent.task.AgentLock;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.jna.Broker;
import org.schedgpu.jna.LibraryFinder;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Nvml;

/** Checks everything that jobs of this node need in order to be scheduled. */
public final class Doctor {
  private final List<Finding> findings = new ArrayList<>();

  private Doctor() {}

  /** Examines the node; no missing part stops it. */
  public static List<Finding> examine(
      Supplier<Conf> conf, Supplier<Path> runDir, Map<String, String> environment) {
    return new Doctor().run(conf, runDir, environment);
  }

  private List<Finding> run(
      Supplier<Conf> confReader, Supplier<Path> runDirReader, Map<String, String> environment) {
    boolean library = library(LibraryFinder.find());
    Map<String, String> gpus = nvml(Nvml.open());
    Optional<Conf> conf = library ? conf(confReader) : Optional.empty();
    Optional<Path> slurmConf = SlurmSetup.find(environment);
    String node = NodeFactsReader.nodeName(environment);
    conf.ifPresent(
        c -> {
          preload(PreloadLibrary.candidate(c));
          devices(c, slurmConf, node, gpus);
        });
    if (conf.isPresent()) {
      Path runDir = runDirReader.get();
      runDir(runDir);
      new DeviceProblems(runDir).read().forEach(note -> add(noteFinding(note)));
      findings.addAll(RegionDoctor.examine(runDir, List.copyOf(gpus.keySet())));
      kernelFinding(conf.get().brokered(), Broker.isSupported()).ifPresent(this::add);
      agent(runDir, conf.get().brokered());
    }
    enrootFinding(Path.of("/etc/enroot/hooks.d")).ifPresent(this::add);
    slurmConf.ifPresentOrElse(
        path -> {
          findings.addAll(SlurmSetup.check(path));
          conf.flatMap(c -> PrivateFolders.check(path, runDirReader.get())).ifPresent(this::add);
          findings.addAll(PluginReleases.check(path, SlurmVersion::ofPluginLoader));
          NodeGresCheck.check(path, node).ifPresent(this::add);
          GresLinks.check(path, SlurmVersion::installed).ifPresent(this::add);
          OldCgroupConf.check(path, SlurmVersion::installed).ifPresent(this::add);
        },
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

  /** The device files of the GPUs by UUID. */
  private Map<String, String> nvml(Nvml.Attempt attempt) {
    if (attempt.nvml().isEmpty()) {
      add(nvmlMissing(attempt.reason()));
      return Map.of();
    }
    Map<String, String> gpus = new LinkedHashMap<>();
    try (Nvml nvml = attempt.nvml().get()) {
      for (Nvml.Device device : nvml.devices()) {
        gpus.putAll(ReplacedGpus.files(List.of(device)));
        add(
            Finding.ok(
                "nvml",
                "device %d: %s, %s GiB"
                    .formatted(
                        device.index(), device.name(), Texts.gib(device.memory().totalBytes()))));
        computeModeFinding(device.index(), device.computeMode()).ifPresent(this::add);
      }
    } catch (Nvml.NvmlException problem) {
      add(Finding.problem("nvml", problem.getMessage(), "see nvidia-smi"));
      return gpus;
    }
    if (gpus.isEmpty()) {
      add(Finding.problem("nvml", "NVML sees no device", "see nvidia-smi"));
    }
    return gpus;
  }

  /** Modes in which the processes of several jobs cannot use a device. */
  static Optional<Finding> computeModeFinding(int device, OptionalInt mode) {
    if (mode.isEmpty() || mode.getAsInt() == Nvml.COMPUTE_MODE_DEFAULT) {
      return Optional.empty();
    }
    boolean prohibited = mode.getAsInt() == Nvml.COMPUTE_MODE_PROHIBITED;
    return Optional.of(
        Finding.problem(
            "nvml",
            prohibited
                ? "device %d is in compute mode PROHIBITED: no program can use it".formatted(device)
                : "device %d is in compute mode EXCLUSIVE_PROCESS: one process at a time can use it"
                    .formatted(device),
            "nvidia-smi -i %d -c DEFAULT".formatted(device)));
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

  /**
   * Empty on a node without Enroot.
   *
   * @param hooks the folder of Enroot's hooks
   */
  static Optional<Finding> enrootFinding(Path hooks) {
    if (!Files.isDirectory(hooks)) {
      return Optional.empty();
    }
    Path ours = hooks.resolve("50-schedgpu.sh");
    return Optional.of(
        Files.isExecutable(ours)
            ? Finding.ok("enroot", ours.toString())
            : Finding.problem(
                "enroot",
                ours + " is not there or not executable: containers do not see the library",
                "install the example enroot/50-schedgpu.sh of schedgpu there, mode 755"));
  }

  private void devices(Conf conf, Optional<Path> slurmConf, String node, Map<String, String> gpus) {
    Path file = conf.devicesFile();
    if (!Files.exists(file)) {
      add(
          slurmConf
              .flatMap(path -> NodeGresCheck.withoutDevices(path, file, node))
              .orElse(Finding.ok("devices", "no " + file + ": NVML is asked")));
      return;
    }
    try {
      int count = DevicesConf.read(file, node).size();
      Optional<String> replaced = ReplacedGpus.find(file, node, gpus);
      if (replaced.isPresent()) {
        add(Finding.problem("devices", replaced.get(), ReplacedGpus.TODO));
        return;
      }
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

  /** The region must not survive a boot, and its pages must not go to a disk. */
  static Finding runDirFinding(Path runDir, String fileSystem) {
    return fileSystem.equals("tmpfs")
        ? Finding.ok("run-dir", runDir + " is on tmpfs")
        : Finding.problem(
            "run-dir",
            runDir + " is on " + fileSystem + ", not on tmpfs",
            "set RunDir to a folder below /run");
  }

  /** Empty where it does not matter. */
  static Optional<Finding> kernelFinding(boolean brokered, boolean supported) {
    return brokered && !supported
        ? Optional.of(
            Finding.problem("kernel", "Mode=brokered: " + BrokerKernel.MISSING, BrokerKernel.TODO))
        : Optional.empty();
  }

  private void agent(Path runDir, boolean brokered) {
    try {
      add(agentFinding(AgentLock.holder(runDir), brokered));
    } catch (IOException unknown) {
      add(Finding.ok("agent", "cannot find out whether one runs (" + unknown + ")"));
    }
  }

  /** A missing agent is a problem only with Mode=brokered; other nodes work without it. */
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

  /** The text has the form {@code what: what to do}. */
  static Finding noteFinding(DeviceProblems.Note note) {
    int end = note.text().indexOf(": ");
    String what = note.text().substring(0, Math.max(0, end));
    String place = note.device() < 0 ? "a device" : "device " + note.device();
    return Finding.problem(
        "health",
        "%s at %s: %s".formatted(place, note.time().truncatedTo(ChronoUnit.SECONDS), what),
        note.text().substring(end < 0 ? 0 : end + 2));
  }
}
