package org.schedgpu.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.VirtualGpu;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.Requirements;
import org.schedgpu.minicluster.SlurmCommands;

/**
 * A real Slurm with one node and emulated GPUs. schedGPU is installed as on a site: its binaries,
 * the generated configuration, schedgpu.conf beside slurm.conf.
 */
final class SchedGpuCluster implements AutoCloseable {
  private final ClusterSetup setup;
  private final MiniCluster slurm;
  private final Path sharedMemory;
  private final NodePlan plan;
  private final Installation installation;
  private final Map<String, String> jobEnvironment;
  private final AtomicInteger files = new AtomicInteger();

  SchedGpuCluster(
      ClusterSetup setup,
      MiniCluster slurm,
      Path sharedMemory,
      NodePlan plan,
      Installation installation,
      Map<String, String> jobEnvironment) {
    this.setup = setup;
    this.slurm = slurm;
    this.sharedMemory = sharedMemory;
    this.plan = plan;
    this.installation = installation;
    this.jobEnvironment = Map.copyOf(jobEnvironment);
  }

  /** What this host lacks, in plain words. */
  static List<String> missing(ClusterSetup setup) {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (missing.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    if (missing.isEmpty() && setup.rest) {
      missing.addAll(Requirements.missingForRest());
    }
    if (missing.isEmpty() && setup.accounting) {
      missing.addAll(Requirements.missingForAccounting());
    }
    if (missing.isEmpty() && setup.restJwt) {
      missing.addAll(Requirements.missingForRestJwt());
    }
    return missing;
  }

  /** Starts one. */
  static SchedGpuCluster start(ClusterSetup setup) {
    try {
      return ClusterStart.run(setup);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  MiniCluster slurm() {
    return slurm;
  }

  Installation installation() {
    return installation;
  }

  /** The variables that a job needs to find the emulated devices. */
  Map<String, String> jobEnvironment() {
    return jobEnvironment;
  }

  /** The name of its node. */
  String node() {
    return plan.nodeName();
  }

  /** A folder in memory that only root may write. */
  Path sharedMemory() {
    return sharedMemory;
  }

  Path runDir() {
    return sharedMemory.resolve("run");
  }

  /** Replaces schedgpu.conf; every hook reads it again. RunDir may be among the lines. */
  void configure(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    if (all.stream().noneMatch(line -> line.startsWith("RunDir="))) {
      all.add("RunDir=" + runDir());
    }
    all.add("PreloadLibrary=" + installation.preloadLibrary());
    if (all.stream().noneMatch(line -> line.startsWith("ContextFile="))) {
      all.add("ContextFile=" + sharedMemory().resolve("contexts.conf"));
    }
    try {
      replace(installation.schedgpuConf(), String.join("\n", all) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Atomically: the epilog of the last job may be reading it. With half a file it would use the
   * defaults, look in another run directory, and leave what the job holds.
   */
  private static void replace(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Restores the original schedgpu.conf. */
  void configureAsAtStart() {
    configure(setup.conf.toArray(new String[0]));
  }

  /** The command line of a gpu-user that does this: see src/test/c/gpu_user.c. */
  String gpuUser(Object... actions) {
    return String.join(" ", gpuUserWords(actions));
  }

  /** As {@link #gpuUser}, word by word. */
  List<String> gpuUserWords(Object... actions) {
    List<String> words = new ArrayList<>(List.of(installation.gpuUser().toString()));
    Stream.of(actions).map(Object::toString).forEach(words::add);
    return words;
  }

  /** The command line of a static-program that does this: see src/test/c/static_program.c. */
  String staticProgram(Object... actions) {
    return Stream.concat(Stream.of(installation.staticProgram()), Stream.of(actions))
        .map(Object::toString)
        .collect(Collectors.joining(" "));
  }

  /** {@code srun <options> gpu-user <actions>}. */
  CommandResult srun(SlurmCommands as, List<String> options, Object... actions) {
    List<String> words = new ArrayList<>(List.of("srun"));
    words.addAll(options);
    words.addAll(gpuUserWords(actions));
    return as.run(words);
  }

  /** As above, as root. */
  CommandResult srun(List<String> options, Object... actions) {
    return srun(slurm.commands(), options, actions);
  }

  /** {@code sbatch <options> --wrap "gpu-user <actions>"}. */
  long sbatch(List<String> options, Object... actions) {
    return sbatch(slurm.commands(), options, gpuUser(actions));
  }

  /** {@code sbatch <options> --wrap <script>}. */
  long sbatch(SlurmCommands as, List<String> options, String script) {
    List<String> words = new ArrayList<>(options);
    words.add("--wrap");
    words.add(script);
    return as.sbatch(words.toArray(new String[0]));
  }

  /** The name of a file that does not exist yet and that every user's job may make. */
  Path barrier(String name) {
    return slurm.paths().jobs().resolve(name + "-" + files.incrementAndGet());
  }

  /** Makes a {@link #barrier} that programs wait for. */
  void open(Path barrier) {
    try {
      Files.createFile(barrier);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a program has touched the file. */
  void await(Path barrier) {
    Eventually.exists(barrier, this::situation);
  }

  /** Waits until a batch job has printed this. */
  void awaitOutput(long job, String text) {
    Eventually.that(
        "'%s' in the output of job %d".formatted(text, job),
        () -> output(job).contains(text),
        () -> output(job) + situation());
  }

  /** What a batch job printed so far, on both streams. */
  String output(long job) {
    return read("slurm-" + job + ".out");
  }

  /** What a job wrote so far to a file in its working folder. */
  String read(String name) {
    Path file = slurm.paths().jobs().resolve(name);
    try {
      return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for the end of a job, its Epilog included. */
  JobState end(long job) {
    return slurm.awaitJobs(List.of(job), Eventually.LIMIT).get(job);
  }

  /** {@code schedgpu status --json}. */
  JsonNode status() {
    return status(runDir());
  }

  /** The same of another RunDir. */
  JsonNode status(Path folder) {
    List<String> command =
        List.of(Build.command().toString(), "status", "--json", "--run-dir", folder.toString());
    return Json.parse(slurm.run(command, Map.of(), null).orThrow().stdout());
  }

  /** A job of the status; a missing node if the region has no such job. */
  JsonNode statusOf(long job) {
    for (JsonNode entry : status().get("jobs")) {
      if (entry.get("id").asLong() == job) {
        return entry;
      }
    }
    return Json.MISSING;
  }

  /** UUIDs of all devices, in physical order. */
  List<String> uuids() {
    return plan.devices().stream().map(Device::uuid).toList();
  }

  /** The device behind a virtual GPU, as SLURM_JOB_GPUS numbers it. */
  Device deviceBehind(int virtualGpu) {
    VirtualGpu virtual = plan.virtualGpus().get(virtualGpu);
    return virtual.device();
  }

  /** The devices behind {@code 0,3-5}, each once, in the order in which they are named. */
  List<Device> devicesBehind(String virtualGpus) {
    return Stream.of(virtualGpus.split(",", -1))
        .flatMap(SchedGpuCluster::range)
        .map(this::deviceBehind)
        .distinct()
        .toList();
  }

  private static Stream<Integer> range(String text) {
    String[] ends = text.split("-", -1);
    int last = Integer.parseInt(ends[ends.length - 1]);
    return Stream.iterate(Integer.parseInt(ends[0]), i -> i <= last, i -> i + 1);
  }

  /** Kills all jobs by SIGKILL, because that is fast, and waits for their Epilogs. */
  void cancelAll() {
    List<String> ids = slurm.squeue("-h", "-o", "%A").stdout().lines().distinct().toList();
    if (ids.isEmpty()) {
      return;
    }
    String[] words = ids.toArray(new String[0]);
    slurm
        .commands()
        .scancel(
            Stream.concat(Stream.of("--full", "-s", "KILL"), ids.stream()).toArray(String[]::new));
    slurm.commands().scancel(words);
    slurm.awaitJobs(ids.stream().map(Long::valueOf).toList(), Eventually.LIMIT);
  }

  /** For errors: the queue and the end of the logs. */
  String situation() {
    return slurm.squeue("-o", "%i %T %R").stdout() + slurm.logTails();
  }

  @Override
  public void close() {
    try {
      slurm.close();
    } finally {
      EmulatedDevices.remove(sharedMemory);
    }
  }
}
