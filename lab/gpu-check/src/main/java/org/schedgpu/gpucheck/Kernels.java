package org.schedgpu.gpucheck;

import java.util.Map;

/**
 * How long the programs' kernel runs on this device when it is alone.
 *
 * @param unitsPerNs units of work per ns, with {@code blocks} blocks
 * @param blocks that fill the device: one for each processor
 */
record Kernels(double unitsPerNs, int blocks) {
  private static final long FIRST_UNITS = 10_000_000;
  private static final double PROBE_NS = 200e6;

  /** Measures it. The device must be idle. */
  static Kernels measure(Check check) throws InterruptedException {
    int blocks = check.machine().processors();
    try (Program program = check.start(check.deviceProgram())) {
      program.must("begin 0");
      program.must(work(FIRST_UNITS, blocks, 1));
      double rough = FIRST_UNITS / (double) program.must(work(FIRST_UNITS, blocks, 1));
      long units = Math.max(1, (long) (rough * PROBE_NS));
      return new Kernels(units / (double) program.must(work(units, blocks, 1)), blocks);
    }
  }

  private static String work(long units, int blocks, int kernels) {
    return "work %d %d %d".formatted(units, blocks, kernels);
  }

  /** The line for this number of kernels that fill the device, each of this length when alone. */
  String line(double kernelMs, int kernels) {
    return work(units(kernelMs), blocks, kernels);
  }

  /** The same with one block, which leaves most of the device idle. */
  String smallLine(double kernelMs, int kernels) {
    return work(units(kernelMs), 1, kernels);
  }

  /** What a program that does not obey lines needs to run kernels that fill the device. */
  Map<String, String> environment() {
    return Map.of(
        "DEMO_WORK_PER_NS", Double.toString(unitsPerNs), "DEMO_BLOCKS", Integer.toString(blocks));
  }

  /** The line that starts a kernel and does not wait for it. */
  String startLine(double kernelMs) {
    return "start %d %d".formatted(units(kernelMs), blocks);
  }

  private long units(double ms) {
    return Math.max(1, (long) (ms * 1e6 * unitsPerNs));
  }
}
