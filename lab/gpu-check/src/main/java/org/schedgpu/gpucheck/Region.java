package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/**
 * A region with one device, in its own folders. The shipped command makes it, and the shipped hooks
 * fill it, as Slurm would call them. Removed by {@link #close}.
 */
final class Region implements AutoCloseable {
  private static final String NODE = "gpu-check";

  /** Its own deadline, independent of the section's: every begun job must be ended. */
  private static final Duration HOOK = Duration.ofSeconds(30);

  private static final AtomicInteger JOBS = new AtomicInteger();
  private static final AtomicInteger REGIONS = new AtomicInteger();

  /** More jobs than any check has at a time. */
  private static final int SHARES = 64;

  private final Bundle bundle;
  private final Machine machine;
  private final Path folder;
  private final Object making = new Object();
  private final SchedGpu admin;
  private final Thread atExit = new Thread(this::endAll, "removes a region");

  /**
   * A job as a user asks for it.
   *
   * @param budgetBytes 0: none
   * @param options further ones: names without {@code SCHEDGPU_}, such as OVERFLOW
   */
  record Wish(long budgetBytes, Map<String, String> options) {
    static Wish budget(long bytes) {
      return new Wish(bytes, Map.of());
    }

    static Wish withoutBudget() {
      return new Wish(0, Map.of());
    }

    Wish with(String option, String value) {
      Map<String, String> more = new HashMap<>(options);
      more.put(option, value);
      return new Wish(budgetBytes, more);
    }
  }

  /**
   * Makes a region.
   *
   * @param policy as in schedgpu.conf
   * @param keys further lines of schedgpu.conf
   * @param runFolder parent of its own folder
   */
  Region(Bundle bundle, Machine machine, String policy, String keys, Path runFolder)
      throws InterruptedException {
    this.bundle = bundle;
    this.machine = machine;
    long own = ProcessHandle.current().pid();
    folder =
        runFolder.resolve("schedgpu-gpu-check-%d-%d".formatted(own, REGIONS.incrementAndGet()));
    Runtime.getRuntime().addShutdownHook(atExit);
    synchronized (making) {
      writeFiles(policy, keys);
      schedgpu("setup", "--node", NODE);
      admin = SchedGpu.open(runDir());
    }
  }

  private void writeFiles(String policy, String keys) {
    try {
      Files.createDirectory(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.writeString(conf(), configuration(policy) + keys);
      Files.writeString(folder.resolve("devices.conf"), devices());
    } catch (IOException e) {
      throw new CheckException("cannot make a region", e);
    }
  }

  private String configuration(String policy) {
    return """
    RunDir=%s
    Policy=%s
    PreloadLibrary=%s
    HistoryFile=%s
    ContextFile=%s
    """
        .formatted(
            runDir(),
            policy,
            bundle.preload(),
            folder.resolve("history.db"),
            folder.resolve("contexts.conf"));
  }

  private String devices() {
    return "NodeName=%s Device=%d UUID=%s File=%s TotalBytes=%d ReservedBytes=%d ContextBytes=%d Virtual=0-%d Name=\"%s\"\n"
        .formatted(
            NODE,
            machine.index(),
            machine.uuid(),
            "/dev/nvidia" + machine.index(),
            machine.totalBytes(),
            machine.reservedBytes(),
            machine.contextBytes(),
            SHARES - 1,
            machine.name());
  }

  Path conf() {
    return folder.resolve("schedgpu.conf");
  }

  Path runDir() {
    return folder.resolve("run");
  }

  /** Runs the shipped command with this region's configuration; it must succeed. */
  Command.Result schedgpu(String... arguments) throws InterruptedException {
    Command.Result result =
        within("schedgpu " + arguments[0], schedgpuCommand(arguments), environment());
    if (!result.isSuccess()) {
      throw new CheckException("schedgpu " + arguments[0] + " failed: " + result.lastLine());
    }
    return result;
  }

  /** Starts the shipped agent, and waits until it is ready. */
  Program startAgent(Check check) throws InterruptedException {
    Program agent =
        check.start(schedgpuCommand("agent", "--foreground", "--node", NODE), environment());
    Path socket = runDir().resolve("sight.sock");
    Deadline ready = Deadline.in(HOOK);
    while (!Files.exists(socket)) {
      if (ready.isOver()) {
        agent.close();
        throw new CheckException("schedgpu agent is not ready: " + agent.errors().strip());
      }
      Thread.sleep(20);
    }
    return agent;
  }

  List<String> schedgpuCommand(String... arguments) {
    List<String> command = new ArrayList<>(List.of(bundle.schedgpu().toString(), arguments[0]));
    command.addAll(List.of("--config", conf().toString()));
    command.addAll(List.of(arguments).subList(1, arguments.length));
    return command;
  }

  /** The environment of the shipped command and hooks. */
  Map<String, String> environment() {
    Map<String, String> environment = machine.environment();
    environment.put("SCHEDGPU_JAVA", Bundle.java().toString());
    environment.put("SLURM_CONF", folder.resolve("slurm.conf").toString());
    environment.put("SLURMD_NODENAME", NODE);
    return environment;
  }

  /** Begins a job, as Slurm's prolog does; returns its number. */
  long begin(Wish wish) throws InterruptedException {
    long job = JOBS.incrementAndGet();
    Map<String, String> environment = hookEnvironment(job);
    if (wish.budgetBytes() > 0) {
      environment.put("SPANK_SCHEDGPU_MEM", (wish.budgetBytes() >> 20) + "M");
    }
    wish.options().forEach((name, value) -> environment.put("SPANK_SCHEDGPU_" + name, value));
    hook("schedgpu-prolog", environment);
    if (snapshot().jobs().stream().noneMatch(there -> there.id() == job)) {
      throw new CheckException("schedgpu-prolog began no job");
    }
    return job;
  }

  /** Ends a job, as Slurm's epilog does. */
  void end(long job) throws InterruptedException {
    hook("schedgpu-epilog", hookEnvironment(job));
  }

  private Map<String, String> hookEnvironment(long job) {
    Map<String, String> environment = environment();
    environment.put("SLURM_JOB_ID", Long.toString(job));
    environment.put("SLURM_JOB_UID", "0");
    environment.put("SLURM_JOB_USER", "root");
    environment.put("SLURM_JOB_GPUS", Long.toString(job % SHARES));
    return environment;
  }

  /** That one of ours hangs is a failure, whatever time is left. */
  private static Command.Result within(
      String name, List<String> command, Map<String, String> environment)
      throws InterruptedException {
    try {
      return Command.run(command, environment, Deadline.in(HOOK));
    } catch (OutOfTime hangs) {
      throw new CheckException(name + " does not end within " + HOOK.toSeconds() + " s", hangs);
    }
  }

  private void hook(String name, Map<String, String> environment) throws InterruptedException {
    Command.Result result = within(name, List.of(bundle.hook(name).toString()), environment);
    if (!result.isSuccess() || !result.errors().isBlank()) {
      throw new CheckException(name + " failed: " + result.lastLine());
    }
  }

  /** The environment of a job's programs, as the SPANK plugin makes it. */
  Map<String, String> environmentOf(long job) {
    Map<String, String> environment = machine.environment();
    environment.put("CUDA_VISIBLE_DEVICES", machine.uuid());
    environment.put("SCHEDGPU_DEVICES", machine.uuid());
    environment.put("SCHEDGPU_JOB", "slurm:" + job);
    environment.put("SCHEDGPU_RUN_DIR", runDir().toString());
    environment.put("SCHEDGPU_ON_FAILURE", "refuse");
    environment.put("LD_PRELOAD", bundle.preload().toString());
    return environment;
  }

  RegionSnapshot snapshot() {
    return admin.snapshot();
  }

  /** The memory of the job's processes, without contexts. */
  long inUseBytes(long job) {
    return clients(job).flatMap(c -> c.inUseBytes().values().stream()).mapToLong(b -> b).sum();
  }

  long contextBytes(long job) {
    return clients(job).flatMap(c -> c.contextBytes().values().stream()).mapToLong(b -> b).sum();
  }

  private Stream<RegionSnapshot.Client> clients(long job) {
    RegionSnapshot snapshot = snapshot();
    return snapshot.clients().stream()
        .filter(c -> c.job().flatMap(snapshot::job).filter(j -> j.id() == job).isPresent());
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      return; // the shutdown hook removes it
    }
    admin.close();
    remove();
  }

  /** The check itself must end: no command may still work in the folder. */
  private void endAll() {
    List<ProcessHandle> children = ProcessHandle.current().descendants().toList();
    children.forEach(ProcessHandle::destroyForcibly);
    children.forEach(child -> child.onExit().join());
    synchronized (making) {
      remove();
    }
  }

  private void remove() {
    if (!Files.exists(folder)) {
      return;
    }
    SchedGpu.remove(runDir(), true);
    Run.remove(folder);
  }
}
