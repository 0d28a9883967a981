package org.schedgpu.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.setup.RegionSetup;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/** A node in a folder: its configuration, its region, and processes of {@code schedgpu} on it. */
public final class TestNode {
  private static final String DEVICE =
      "NodeName=n Device=0 UUID=GPU-0 File=/dev/nvidia0 TotalBytes=17179869184 ReservedBytes=0"
          + " ContextBytes=268435456 Virtual=0-3 Name=\"Emulated GPU\"";
  private static final int PATIENCE = 30_000;

  private final Path folder;
  private final List<Process> processes = new ArrayList<>();

  public TestNode(Path folder) throws IOException {
    this.folder = folder;
    Files.writeString(folder.resolve("devices.conf"), DEVICE + "\n");
    configure("");
  }

  public Path runDir() {
    return folder.resolve("run");
  }

  public Path conf() {
    return folder.resolve("schedgpu.conf");
  }

  /** Writes schedgpu.conf. */
  public void configure(String lines) throws IOException {
    Files.writeString(
        conf(),
        "RunDir=%s\nContextFile=%s\n%s".formatted(runDir(), folder.resolve("contexts"), lines));
  }

  /** Writes devices.conf. */
  public void devices(String lines) throws IOException {
    Files.writeString(folder.resolve("devices.conf"), lines);
  }

  public void makeRegion() {
    SchedGpu.setup(
        runDir(),
        RegionSetup.of(Conf.parse(conf(), Texts.bytes(conf())), java.util.Optional.empty(), "n", 0)
            .setup());
  }

  /** The present schedgpu.conf. */
  public Conf readConf() {
    return Conf.parse(conf(), Texts.bytes(conf()));
  }

  public RegionSnapshot snapshot() {
    try (SchedGpu region = SchedGpu.open(runDir())) {
      return region.snapshot();
    }
  }

  /** A command as a process of its own; stdout and stderr go into {@code log}. */
  public Process start(Path log, String... words) throws IOException {
    return start(log, Map.of(), words);
  }

  private Process start(Path log, Map<String, String> environment, String... words)
      throws IOException {
    List<String> command =
        new ArrayList<>( // the process that runs the tests may ignore it, and children inherit that
            List.of("env", "--default-signal=HUP"));
    command.addAll(words[0].equals("run") ? RunProgram.line(words) : java(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SLURMD_NODENAME", "n");
    builder.environment().remove("SCHEDGPU_RUN_DIR");
    builder.environment().putAll(environment);
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    processes.add(process);
    return process;
  }

  /** The command line of {@code schedgpu} with these words, as a Java process. */
  public static List<String> java(String... words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", // as schedgpu.jar says
                "-Dorg.sqlite.tmpdir="
                    + Path.of("target").toAbsolutePath(), // a killed process leaves it
                "-cp",
                System.getProperty("java.class.path"),
                "-Dschedgpu.library=" + System.getProperty("schedgpu.library"),
                Main.class.getName()));
    command.addAll(List.of(words));
    return command;
  }

  /** The agent, whose log is this file. */
  public Process startAgent(Path log, String... options) throws IOException {
    return startAgent(log, Map.of(), options);
  }

  /** The same with more variables. */
  public Process startAgent(Path log, Map<String, String> environment, String... options)
      throws IOException {
    List<String> words = new ArrayList<>(List.of("agent", "--config", conf().toString()));
    words.addAll(List.of(options));
    return start(log, environment, words.toArray(new String[0]));
  }

  /** A job whose budget is reserved until it is killed, or its stdin ends. */
  public Process startHolder(Path log, String mem) throws IOException {
    Process holder =
        start(
            log,
            "run",
            "--conf",
            conf().toString(),
            "--run-dir",
            runDir().toString(),
            "--mode",
            "gate",
            "--mem",
            mem,
            "--",
            "sh",
            "-c",
            "echo holds; read line");
    return holder;
  }

  /** A process of a job of mode gate, which has its budget and stays until it is killed. */
  public Process passGate(Path log, String job) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                "python3",
                "-uc",
                """
                import ctypes, sys
                l = ctypes.CDLL('%s')
                l.schedgpu_gate.argtypes = [ctypes.c_int64]
                print('gate', l.schedgpu_gate(-1))
                sys.stdin.read()
                """
                    .formatted(System.getProperty("schedgpu.library")))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("SCHEDGPU_RUN_DIR", runDir().toString());
    builder.environment().put("SCHEDGPU_JOB", job);
    builder.environment().remove("SCHEDGPU_DEVICES");
    Process process = builder.start();
    processes.add(process);
    await(log, "gate 0", 1, process);
    return process;
  }

  /** Waits for the n-th line with these words, and returns it. */
  public static String await(Path log, String words, int n, Process writer) throws Exception {
    for (int i = 0; i < PATIENCE; i++) {
      List<String> lines =
          Files.exists(log)
              ? Files.readAllLines(log).stream().filter(line -> line.contains(words)).toList()
              : List.of();
      if (lines.size() >= n) {
        return lines.get(n - 1);
      }
      if (!writer.isAlive()) {
        throw new AssertionError("ended without '" + words + "':\n" + Files.readString(log));
      }
      Thread.sleep(10);
    }
    throw new AssertionError("no '" + words + "' in:\n" + Files.readString(log));
  }

  /** Waits until it is so. */
  public static void await(String what, Callable<Boolean> isSo) throws Exception {
    for (int i = 0; !isSo.call(); i++) {
      if (i == PATIENCE) {
        throw new AssertionError("never: " + what);
      }
      Thread.sleep(10);
    }
  }

  /** Ends its processes, and removes the region. */
  public void close() throws InterruptedException {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      process.waitFor();
    }
    if (Files.exists(runDir())) {
      SchedGpu.remove(runDir(), true);
    }
  }
}
