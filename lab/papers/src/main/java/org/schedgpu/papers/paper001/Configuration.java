package org.schedgpu.papers.paper001;

import org.schedgpu.jna.Policy;

/** The six ways in which the workload of section 7.3.2 runs; the paper's five and one more. */
enum Configuration {
  EXCLUSIVE("Slurm as it is", null),
  UNSAFE("12 shares, unsafe", null),
  FIFO("schedGPU FIFO", Policy.FIFO),
  MMU("schedGPU MMU", Policy.MMU),
  PRIORITY_FIFO("schedGPU Priority FIFO", Policy.PRIORITY_FIFO),
  PRIORITY_MMU("schedGPU Priority MMU", Policy.PRIORITY_MMU);

  /**
   * A row of Table 3.
   *
   * @param totalS total time in seconds
   * @param busyPercent average GPU utilisation
   * @param memoryPercent average GPU memory used
   */
  record Paper(double totalS, double busyPercent, double memoryPercent) {}

  private final String title;
  private final Policy policy;

  Configuration(String title, Policy policy) {
    this.title = title;
    this.policy = policy;
  }

  /** As the demo prints it. */
  String title() {
    return title;
  }

  /** Null without schedGPU. */
  Policy policy() {
    return policy;
  }

  /** Null: the paper did not run this. */
  Paper paper() {
    return switch (this) {
      case EXCLUSIVE -> new Paper(2485.20, 9.24, 3.79);
      case UNSAFE -> null;
      case FIFO -> new Paper(542.51, 43.09, 42.65);
      case MMU -> new Paper(527.22, 43.74, 43.25);
      case PRIORITY_FIFO -> new Paper(515.57, 45.59, 46.59);
      case PRIORITY_MMU -> new Paper(512.53, 45.75, 47.15);
    };
  }
}
