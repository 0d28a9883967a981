package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.Setup;

/**
 * A region with CUDA programs under the preload library as its jobs, on emulated GPUs. A program
 * makes one step on command: a context of each of its devices, then memory of each. The grants of a
 * transition are read after it has ended, so nothing here depends on time.
 */
final class RealNode implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("schedgpu.root")).toAbsolutePath();
  private static final String EMULATOR = ROOT.resolve("lab/gpu-emulator/target/native").toString();
  private static final String PRELOAD =
      ROOT.resolve("libschedgpu/target/native/libschedgpu-preload.so").toString();
  private static final String PROGRAM = ROOT.resolve("simulator/target/native/device-user") + "";
  private static final String UUID = "GPU-e0e0e0e0-0000-4000-8000-0000000000%02x";
  private static final int PRIORITY = 0;
  private static final long MIB = 1L << 20;

  private final Path folder;
  private final Path runDir;
  private final int devices;
  private final long totalBytes;
  private final long contextBytes;
  private final SchedGpu region;
  private final Map<Long, Program> programs = new TreeMap<>();
  private final Set<Long> waiting = new HashSet<>();

  /** A job's one process. */
  private static final class Program {
    private final long job;
    private final int[] devices;
    private final long bytes;
    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private int step;

    Program(long job, int[] devices, long bytes, Process process) {
      this.job = job;
      this.devices = devices;
      this.bytes = bytes;
      this.process = process;
      this.answers = process.inputReader(StandardCharsets.UTF_8);
      this.commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    boolean isDone() {
      return step == 2 * devices.length;
    }

    void ask() throws IOException {
      int device = devices[step % devices.length];
      commands.write(
          step < devices.length
              ? "context " + device + "\n"
              : "memory " + device + " " + bytes + "\n");
      commands.flush();
    }
  }

  RealNode(int devices, long totalBytes, long contextBytes, Policy policy, int overtakeLimit)
      throws IOException {
    this.devices = devices;
    this.totalBytes = totalBytes;
    this.contextBytes = contextBytes;
    Path shm = Path.of("/dev/shm");
    folder =
        Files.isWritable(shm)
            ? Files.createTempDirectory(shm, "schedgpu-test")
            : Files.createTempDirectory("schedgpu-test");
    runDir = folder.resolve("run");
    List<DeviceSpec> specs =
        IntStream.range(0, devices)
            .mapToObj(
                i -> new DeviceSpec(i, totalBytes, 0, contextBytes, UUID.formatted(i), "Emulated"))
            .toList();
    SchedGpu.setup(
        runDir, new Setup(policy, overtakeLimit, DeadlockRule.AVOID, Setup.EVERYONE, 0, 0, specs));
    region = SchedGpu.open(runDir);
  }

  /**
   * A job starts, and asks until it waits or has everything.
   *
   * @param grants of requests that waited, in the order in which the processes continue
   * @return the jobs that now have all their memory and did not have it before, in that order
   */
  List<Long> enter(long job, int mask, long bytes, Iterator<Long> grants) throws Exception {
    int[] own = IntStream.range(0, devices).filter(d -> (mask >>> d & 1) != 0).toArray();
    TreeMap<Integer, Long> budgets = new TreeMap<>();
    IntStream.of(own).forEach(device -> budgets.put(device, bytes));
    JobSpec spec =
        new JobSpec(
            JobKind.SLURM,
            job,
            Posix.effectiveUid(),
            PRIORITY,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            budgets,
            "job");
    region.jobBegin(spec);
    Program program = new Program(job, own, bytes, start(spec));
    programs.put(job, program);
    ArrayDeque<Long> granted = new ArrayDeque<>();
    boolean atOnce = askForRest(program, granted, grants);
    List<Long> served = goOn(granted, grants);
    if (atOnce) {
      served.add(job);
    }
    return served;
  }

  /** A job ends: its process, and then the job, as the epilog does. */
  List<Long> leave(long job, Iterator<Long> grants) throws Exception {
    Program program = programs.remove(job);
    program.commands.close();
    assertEquals(0, program.process.waitFor(), "job " + job);
    region.reap();
    assertTrue(region.jobEnd(JobKind.SLURM, job));
    ArrayDeque<Long> granted = new ArrayDeque<>();
    noteGranted(granted, grants);
    return goOn(granted, grants);
  }

  /** The broken invariant of the region; "" if none is broken. */
  String check() {
    return region.check().orElse("");
  }

  private Process start(JobSpec job) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(PROGRAM);
    Map<String, String> environment = builder.environment();
    environment.put("LD_PRELOAD", PRELOAD);
    environment.put("LD_LIBRARY_PATH", EMULATOR);
    environment.put("EMULATED_GPU_STATE", folder.resolve("gpu").toString());
    environment.put("EMULATED_GPU_COUNT", Integer.toString(devices));
    environment.put("EMULATED_GPU_MEM", totalBytes / MIB + "M");
    environment.put("EMULATED_GPU_CONTEXT", contextBytes / MIB + "M");
    environment.put("SCHEDGPU_RUN_DIR", runDir.toString());
    environment.put("SCHEDGPU_JOB", job.reference());
    environment.remove("SCHEDGPU_DEVICES");
    return builder.redirectError(ProcessBuilder.Redirect.appendTo(errors().toFile())).start();
  }

  private List<Long> goOn(ArrayDeque<Long> granted, Iterator<Long> grants) throws Exception {
    List<Long> served = new ArrayList<>();
    while (!granted.isEmpty()) {
      Program program = programs.get(granted.remove());
      take(program);
      if (askForRest(program, granted, grants)) {
        served.add(program.job);
      }
    }
    return served;
  }

  private void take(Program program) throws IOException {
    String answer = program.answers.readLine();
    if (!"0".equals(answer)) {
      fail(
          "job %d step %d: %s: %s"
              .formatted(program.job, program.step, answer, Files.readString(errors())));
    }
    program.step++;
  }

  private Path errors() {
    return folder.resolve("errors");
  }

  /** True if it has everything. */
  private boolean askForRest(Program program, ArrayDeque<Long> granted, Iterator<Long> grants)
      throws Exception {
    while (!program.isDone()) {
      program.ask();
      boolean waits = waits(program);
      noteGranted(granted, grants);
      if (waits) {
        waiting.add(program.job);
        return false;
      }
      take(program);
    }
    return true;
  }

  /** Its request is in the queue, or it has answered. */
  private boolean waits(Program program) throws Exception {
    while (!program.answers.ready()) {
      if (ungranted().contains(program.job)) {
        return true;
      }
      if (!program.process.isAlive()) {
        return false;
      }
      Thread.sleep(1);
    }
    return false;
  }

  private Set<Long> ungranted() {
    RegionSnapshot snapshot = region.snapshot();
    return snapshot.waiters().stream()
        .filter(waiter -> !waiter.granted())
        .map(waiter -> snapshot.job(waiter.job()).orElseThrow().id())
        .collect(Collectors.toSet());
  }

  /** A transition has ended: its grants must be the next ones of the other side, in any order. */
  private void noteGranted(ArrayDeque<Long> granted, Iterator<Long> grants) {
    Set<Long> now = new HashSet<>(waiting);
    now.removeAll(ungranted());
    waiting.removeAll(now);
    List<Long> inOrder = new ArrayList<>();
    while (inOrder.size() < now.size() && grants.hasNext()) {
      inOrder.add(grants.next());
    }
    assertEquals(now, Set.copyOf(inOrder), "granted by one transition");
    granted.addAll(inOrder);
  }

  @Override
  public void close() throws IOException {
    for (Program program : programs.values()) {
      program.process.destroyForcibly().onExit().join();
    }
    region.close();
    SchedGpu.remove(runDir, true);
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
