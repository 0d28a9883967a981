package org.schedgpu.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.command.SimulateCommand;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.input.Assumptions;
import org.schedgpu.simulator.input.GpuSizes;
import org.schedgpu.simulator.input.NodesReader;
import org.schedgpu.simulator.input.SacctReader;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.result.Sweep;
import picocli.CommandLine;

/**
 * Plays jobs in a JVM of its own and prints what it took, as the harness does. Times are CPU time
 * of the process, which is what the run takes on one core that has nothing else to do; but of the
 * sweep, where it is the time that passes.
 */
final class SimulatorRun {
  private static final double NS_PER_MS = 1e6;
  private static final double TICK_MS = 10;
  private static final double MIB = 1 << 20;
  private static final double NUMBERS_OF_JOB = 16;
  private static final int SWEEP = 16;
  private static final String GPU_MEMORY = "80G";
  private static final long JOB_BYTES = 24L << 30;
  private static final int BUSY_PERCENT = 40;
  private static final Scenario SCENARIO = Scenario.shares(4, Policy.MMU);

  private final Path folder;

  private SimulatorRun(Path folder) {
    this.folder = folder;
  }

  /**
   * Plays one of the measured runs and prints its figures.
   *
   * @param arguments {@code command FOLDER JOBS NODES}; or {@code growth FOLDER NODES JOBS...}, the
   *     last of which is played by the sweep, too
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    SimulatorRun run = new SimulatorRun(Path.of(arguments[1]));
    int second = Integer.parseInt(arguments[2]);
    if (arguments[0].equals("command")) {
      run.command(second, Integer.parseInt(arguments[3]));
    } else {
      List<Integer> counts = new ArrayList<>();
      for (int i = 3; i < arguments.length; i++) {
        counts.add(Integer.parseInt(arguments[i]));
      }
      run.growth(second, counts);
    }
  }

  /** At least a tick of the clock: what took less is as long as that. */
  private static double cpuMsSince(double beforeMs) {
    return Math.max(TICK_MS, cpuMs() - beforeMs);
  }

  private static double cpuMs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / NS_PER_MS;
  }

  /** The whole of schedgpu simulate, from sacct's lines to the table. */
  private void command(int jobs, int nodes) throws IOException {
    BusyCluster cluster = BusyCluster.make(folder, jobs, nodes);
    double beforeMs = cpuMs();
    long fields = fields(cluster.jobs());
    double readMs = cpuMsSince(beforeMs);
    StringWriter text = new StringWriter();
    beforeMs = cpuMs();
    int exitCode =
        new CommandLine(new SimulateCommand())
            .setOut(new PrintWriter(text))
            .execute(
                "--sacct=" + cluster.jobs(),
                "--nodes=" + cluster.nodes(),
                "--gpu-mem=" + GPU_MEMORY,
                "--mem-default=" + (JOB_BYTES >> 30) + "G",
                "--busy=" + BUSY_PERCENT,
                "--per-gpu=" + SCENARIO.perGpu(),
                "--policy=" + SCENARIO.policy().text(),
                "--threads=1");
    double tookMs = cpuMsSince(beforeMs);
    if (exitCode != 0 || fields == 0 || !text.toString().startsWith(jobs + " jobs on ")) {
      throw new BenchException("bench: schedgpu simulate ended with " + exitCode + ": " + text);
    }
    print("simulate-million-jobs", "ms", tookMs, readMs, "reading the fields of sacct's lines");
    print(
        "simulate-million-memory",
        "MB",
        mostKb() * 1024.0 / MIB,
        NUMBERS_OF_JOB * Long.BYTES * jobs / MIB,
        "16 numbers of 8 bytes for each job");
  }

  private static long fields(Path file) throws IOException {
    long fields = 0;
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        fields += line.split("\\|", -1).length;
      }
    }
    return fields;
  }

  /** The most memory that this process had. */
  private static long mostKb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new BenchException("bench: /proc/self/status has no VmHWM");
  }

  /** What an event takes with more jobs, and what a sweep takes with two threads. */
  private void growth(int nodes, List<Integer> counts) throws IOException, InterruptedException {
    int fewest = counts.get(0);
    Simulation.play(jobs(counts.get(1), nodes), settings(), SCENARIO, ended -> {}); // warms up
    double fewNs = 0;
    for (int count : counts) {
      List<Job> jobs = jobs(count, nodes);
      double eventNs = eventNs(jobs);
      if (count == fewest) {
        fewNs = eventNs;
      } else {
        double growth = Math.log(count) / Math.log(fewest);
        String limitIs = "an event with " + fewest + " jobs, times the ratio of log n";
        print("simulate-event-" + count + "-jobs", "ns", eventNs, fewNs * growth, limitIs);
      }
    }
    sweep(jobs(fewest, nodes));
  }

  private double eventNs(List<Job> jobs) throws IOException {
    double beforeMs = cpuMs();
    Outcome outcome = Simulation.play(jobs, settings(), SCENARIO, ended -> {});
    return cpuMsSince(beforeMs) * NS_PER_MS / outcome.events();
  }

  private void sweep(List<Job> jobs) throws IOException {
    List<Scenario> scenarios = new ArrayList<>();
    for (int perGpu = 1; perGpu <= SWEEP / 2; perGpu++) {
      scenarios.add(Scenario.shares(perGpu, Policy.FIFO));
      scenarios.add(Scenario.shares(perGpu, Policy.MMU));
    }
    double oneThreadMs = sweepMs(jobs, scenarios, 1);
    double twoThreadsMs = sweepMs(jobs, scenarios, 2);
    String limitIs = "one of 16 runs: a sixteenth of the same sweep with one thread";
    print("simulate-sweep-16", "ms", twoThreadsMs, oneThreadMs / SWEEP, limitIs);
  }

  private double sweepMs(List<Job> jobs, List<Scenario> scenarios, int threads) throws IOException {
    long beforeNs = System.nanoTime();
    new Sweep(jobs, settings(), 1, threads).play(scenarios, done -> {});
    return (System.nanoTime() - beforeNs) / NS_PER_MS;
  }

  private List<Job> jobs(int count, int nodes) throws IOException {
    BusyCluster cluster = BusyCluster.make(folder, count, nodes);
    try (BufferedReader lines = Files.newBufferedReader(cluster.jobs(), StandardCharsets.UTF_8)) {
      return new SacctReader(ZoneId.of("UTC"), new Assumptions(JOB_BYTES, 10 * BUSY_PERCENT))
          .read(lines, "jobs")
          .jobs();
    }
  }

  private Settings settings() throws IOException {
    Path file = folder.resolve("nodes.txt");
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      List<NodeSpec> nodes =
          NodesReader.read(lines, "nodes", new GpuSizes(List.of(GPU_MEMORY))).nodes();
      return new Settings(nodes, 512L << 20, 64, NodeChoice.TIGHTEST, false);
    }
  }

  private static void print(String name, String unit, double value, double limit, String limitIs)
      throws JsonProcessingException {
    System.out.println(
        new ObjectMapper()
            .writeValueAsString(
                Map.of(
                    "name", name, "unit", unit, "p50", value, "p99", value, "limit", limit,
                    "limitIs", limitIs)));
  }
}
