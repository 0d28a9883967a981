package org.schedgpu.papers.phases;

/** What a program does next. Times are nanoseconds, sizes bytes. */
public sealed interface Step {
  /**
   * Computes on its own CPU, or sleeps.
   *
   * @param ns for how long, at least 0
   */
  record Cpu(long ns) implements Step {}

  /** Makes its CUDA context, which stays until the program ends. */
  record Context() implements Step {}

  /**
   * Allocates device memory.
   *
   * @param bytes at least 1
   */
  record Allocate(long bytes) implements Step {}

  /**
   * Frees device memory.
   *
   * @param bytes as allocated
   */
  record Free(long bytes) implements Step {}

  /**
   * Runs a kernel and waits for its end.
   *
   * @param ns how long it takes with the device for itself, at least 1
   */
  record Kernel(long ns) implements Step {}
}
