package org.schedgpu.papers.paper004;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A model with a batch size, alone on a P100. The table workloads.tsv says of each value whether it
 * is the paper's, its authors' or ours.
 *
 * @param training or inference
 * @param name model and batch size: {@code resnet50 25}
 * @param persistentMib kept between iterations
 * @param peakMib inside an iteration, with what is kept
 * @param iterationMs of one iteration
 * @param startupS before the first one
 * @param busyPercent the part of an iteration in which the device computes
 * @param ours how many of the five values are neither the paper's nor its authors'
 */
record Workload(
    boolean training,
    String name,
    double persistentMib,
    double peakMib,
    double iterationMs,
    double startupS,
    double busyPercent,
    int ours) {
  /** What a P100 of 16 GB has, less 300 MiB that the authors' program leaves. */
  static final long DEVICE_BYTES = 15_980L << 20;

  private static final String TABLE = "workloads.tsv";
  private static final double MIB = 1 << 20;
  private static final double MS = 1e6;
  private static final int PERCENT = 100;

  /** All of the table. */
  static List<Workload> all() {
    try (InputStream in = Workload.class.getResourceAsStream(TABLE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("training") || line.startsWith("inference"))
          .map(Workload::parse)
          .toList();
    } catch (IOException problem) {
      throw new UncheckedIOException("papers: cannot read " + TABLE, problem);
    }
  }

  /** The 45 of Table 3. */
  static List<Workload> ofTableThree() {
    return all().stream().filter(Workload::training).toList();
  }

  /** The one of this name. */
  static Workload named(String name) {
    return ofTableThree().stream()
        .filter(workload -> workload.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("papers: no workload " + name));
  }

  private static Workload parse(String line) {
    String[] words = line.split("\t", -1);
    return new Workload(
        words[0].equals("training"),
        words[1] + " " + words[2],
        Double.parseDouble(words[3]),
        Double.parseDouble(words[5]),
        Double.parseDouble(words[7]),
        Double.parseDouble(words[9]),
        Double.parseDouble(words[11]),
        (int)
            Arrays.stream(new int[] {4, 6, 8, 10, 12})
                .filter(column -> words[column].equals("O"))
                .count());
  }

  LaneJob.Memory memory() {
    long persistent = Math.round(persistentMib * MIB);
    return new LaneJob.Memory(persistent, Math.round(peakMib * MIB) - persistent);
  }

  long gpuNs() {
    return Math.round(iterationMs * MS * busyPercent / PERCENT);
  }

  long cpuNs() {
    return Math.round(iterationMs * MS) - gpuNs();
  }

  /** Some iterations, the first of them after no start-up. */
  LaneJob job(long arriveNs, int iterations) {
    return LaneJob.of(
        name, arriveNs, memory(), LaneJob.Work.training(iterations, cpuNs(), gpuNs()));
  }
}
