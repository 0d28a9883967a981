package org.schedgpu.demo;

import java.util.Optional;

/** A row of the paper's Table 3. */
record PaperRow(double totalSeconds, double gpuUtilisationPercent, double memoryUsedPercent) {

  /** What the paper measured; it did not run the jobs unsafely, nor with policies of others. */
  static Optional<PaperRow> of(RunKind kind) {
    return switch (kind) {
      case EXCLUSIVE -> Optional.of(new PaperRow(2485.20, 9.24, 3.79));
      case FIFO -> Optional.of(new PaperRow(542.51, 43.09, 42.65));
      case MMU -> Optional.of(new PaperRow(527.22, 43.74, 43.25));
      case PRIORITY_FIFO -> Optional.of(new PaperRow(515.57, 45.59, 46.59));
      case PRIORITY_MMU -> Optional.of(new PaperRow(512.53, 45.75, 47.15));
      default -> Optional.empty();
    };
  }
}
