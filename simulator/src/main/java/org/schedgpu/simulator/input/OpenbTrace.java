package org.schedgpu.simulator.input;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;

/**
 * The trace {@code openb} of Alibaba's cluster-trace-gpu-v2023: tasks with parts of a GPU. Their
 * {@code gpu_milli} says for which part of its time a task may keep the GPU busy. The trace has no
 * time limits.
 */
public final class OpenbTrace {
  static final String PODS = "openb_pod_list_default.csv";
  static final String NODES = "openb_node_list_gpu_node.csv";

  private static final List<String> POD_HEADS =
      List.of(
          "name",
          "cpu_milli",
          "memory_mib",
          "num_gpu",
          "gpu_milli",
          "gpu_spec",
          "qos",
          "pod_phase",
          "creation_time",
          "deletion_time",
          "scheduled_time");
  private static final List<String> NODE_HEADS =
      List.of("sn", "cpu_milli", "memory_mib", "gpu", "model");
  private static final int[] NUMBERS = {1, 2, 3, 4, 8};
  private static final long NS = TimeUnit.SECONDS.toNanos(1);
  private static final long NO_LIMIT_NS = TimeUnit.DAYS.toNanos(3650);
  private static final long MIB = 1L << 20;
  private static final long DAY_S = TimeUnit.DAYS.toSeconds(1);

  private final Path folder;

  public OpenbTrace(Path folder) {
    this.folder = folder;
  }

  /**
   * Its nodes.
   *
   * @throws SimulatorException if the file is not from the trace
   */
  public List<NodeSpec> nodes(GpuSizes sizes) throws IOException {
    List<NodeSpec> nodes = new ArrayList<>();
    for (String[] row : rows(NODES, NODE_HEADS)) {
      if (row.length != NODE_HEADS.size() || !(row[1] + row[2] + row[3]).matches("[0-9]{3,30}")) {
        throw new SimulatorException(
            NODES + ": " + row[0] + " has a number that cannot be read", "fetch it again");
      }
      nodes.add(
          new NodeSpec(
              row[0],
              Integer.parseInt(row[1]) / 1000,
              Long.parseLong(row[2]) * MIB,
              row[4],
              Integer.parseInt(row[3]),
              sizes.of(row[4])));
    }
    return nodes;
  }

  /**
   * Its tasks.
   *
   * @param deviceBytes memory of a task on each of its devices
   * @throws SimulatorException if the file is not from the trace
   */
  public Jobs jobs(long deviceBytes) throws IOException {
    LeftOut leftOut = new LeftOut();
    List<Job> jobs = new ArrayList<>();
    int number = 1;
    for (String[] row : rows(PODS, POD_HEADS)) {
      number++;
      String why = unplayable(row);
      if (why.isEmpty()) {
        jobs.add(job(number, row, deviceBytes));
      } else {
        leftOut.add(why, "line " + number + " (" + row[0] + ")");
      }
    }
    jobs.sort(Comparator.comparingLong(Job::submitNs).thenComparingLong(Job::id));
    return new Jobs(jobs, number - 1L, leftOut, 0);
  }

  private static String unplayable(String... row) {
    if (row.length != POD_HEADS.size()) {
      return "has not as many fields as the first line";
    }
    for (int column : NUMBERS) {
      if (!row[column].matches("[0-9]{1,12}")) {
        return "has a number that cannot be read";
      }
    }
    if (row[3].equals("0")) {
      return "has no GPU";
    }
    OptionalLong runS = runS(row);
    if (runS.isEmpty()) {
      return "never began";
    }
    return runS.getAsLong() < 1 ? "ran for less than a second" : "";
  }

  private static OptionalLong runS(String... row) {
    return row[10].matches("[0-9]{1,12}") && row[9].matches("[0-9]{1,12}")
        ? OptionalLong.of(Long.parseLong(row[9]) - Long.parseLong(row[10]))
        : OptionalLong.empty();
  }

  private static Job job(int number, String[] row, long deviceBytes) {
    long submitS = Long.parseLong(row[8]) + 1;
    long runNs = runS(row).orElseThrow() * NS;
    return new Job(
        number,
        submitS * NS,
        (int) (submitS / DAY_S),
        runNs,
        NO_LIMIT_NS,
        1,
        Integer.parseInt(row[3]),
        (Integer.parseInt(row[1]) + 999) / 1000,
        Long.parseLong(row[2]) * MIB,
        row[5].isEmpty() ? List.of() : List.of(row[5].split("\\|")),
        deviceBytes,
        Math.max(1, Math.min(Job.FULLY_BUSY, Integer.parseInt(row[4]))),
        0);
  }

  private List<String[]> rows(String name, List<String> heads) throws IOException {
    Path file = folder.resolve(name);
    try (BufferedReader lines = TextFile.open(file)) {
      String first = lines.readLine();
      if (first == null || !Arrays.asList(first.split(",", -1)).equals(heads)) {
        throw new SimulatorException(
            file + ": is not of the trace openb", "its first line is " + String.join(",", heads));
      }
      return lines.lines().map(line -> line.split(",", -1)).toList();
    }
  }
}
