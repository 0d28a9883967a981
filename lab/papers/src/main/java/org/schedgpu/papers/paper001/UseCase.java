package org.schedgpu.papers.paper001;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.papers.phases.PhasedJob;
import org.schedgpu.papers.phases.Step;

/**
 * A program as the paper measured it: equal cycles of a CPU part and a GPU part. The same numbers
 * as in {@code lab/demo/src/main/c/program.c}; a test compares them.
 *
 * @param name of the program
 * @param aloneS how long it takes with the GPU for itself (Table 2)
 * @param peakPercent of the device's memory while it uses it, its context included (section 6)
 * @param averagePercent of the device's memory over its whole run (Table 1)
 * @param busyPercent of its run in which a kernel runs (Table 1)
 * @param cycles how often it uses the device (Figure 8)
 */
public record UseCase(
    String name,
    double aloneS,
    double peakPercent,
    double averagePercent,
    double busyPercent,
    int cycles) {
  static final long MIB = 1L << 20;

  /** The Tesla K20m of the paper, and a context of the emulated device of the demo. */
  static final long DEVICE_MIB = 4799;

  static final long CONTEXT_MIB = 64;

  /** In the order in which the demo submits them. */
  static final List<UseCase> ALL =
      List.of(
          new UseCase("ara", 226.847, 16, 0.37, 0.51, 1),
          new UseCase("mummergpu", 322.799, 15, 4.04, 2.46, 10),
          new UseCase("gpu-blast", 69.144, 36, 33.73, 69.48, 1));

  private static final double NS = 1e9;

  /** As the paper writes it. */
  String title() {
    return switch (name) {
      case "ara" -> "ARA";
      case "mummergpu" -> "MUMmerGPU";
      case "gpu-blast" -> "GPU-BLAST";
      default -> name;
    };
  }

  /** What it allocates, its context apart. */
  long allocationMiB() {
    return (long) (peakPercent * DEVICE_MIB / 100) - CONTEXT_MIB;
  }

  /**
   * How long it holds memory, over all cycles, when it is alone: so that the average of Table 1
   * comes out, its context included, which is there from the first GPU part on.
   */
  double heldS() {
    double late = 100.0 * CONTEXT_MIB / DEVICE_MIB * (1 - 1.0 / cycles);
    return (averagePercent - late) / (peakPercent - late) * aloneS;
  }

  /** How long its kernels run, over all cycles, when it is alone. */
  double busyS() {
    return busyPercent / 100 * aloneS;
  }

  /** How many instances the device's memory has room for. */
  int fit() {
    return (int) (100 / peakPercent);
  }

  /**
   * An instance.
   *
   * @param kernelS about how long a kernel takes: a GPU part has as many as make up its time
   */
  PhasedJob job(int instance, long submitNs, int priority, double kernelS) {
    return new PhasedJob(
        name + "-" + instance, submitNs, allocationMiB() * MIB, priority, steps(kernelS));
  }

  private List<Step> steps(double kernelS) {
    long bytes = allocationMiB() * MIB;
    long smaller = bytes / 4;
    int kernels = (int) Math.max(1, Math.rint(busyS() / cycles / kernelS));
    Step cpu = new Step.Cpu((long) ((aloneS - heldS()) / cycles * NS));
    Step between = new Step.Cpu((long) ((heldS() - busyS()) / cycles / kernels * NS));
    Step kernel = new Step.Kernel((long) (busyS() / cycles / kernels * NS));
    List<Step> steps = new ArrayList<>();
    for (int cycle = 0; cycle < cycles; cycle++) {
      steps.add(cpu);
      if (cycle == 0) {
        steps.add(new Step.Context());
      }
      steps.add(new Step.Allocate(bytes - smaller));
      steps.add(new Step.Allocate(smaller));
      for (int i = 0; i < kernels; i++) {
        steps.add(between);
        steps.add(kernel);
      }
      steps.add(new Step.Free(bytes - smaller));
      steps.add(new Step.Free(smaller));
    }
    return steps;
  }
}
