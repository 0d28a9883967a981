package org.schedgpu.papers.lane;

/** Small jobs for tests; a memory unit is a byte, a time unit a nanosecond. */
final class Members {
  private static int made;

  private Members() {}

  static Member member(String name, long persistent, long ephemeral) {
    return of(job(name, 0, persistent, ephemeral, 100));
  }

  static Member ofLength(String name, int iterations) {
    return of(job(name, 0, 1, 1, iterations));
  }

  static Member of(LaneJob job) {
    return new Member(made++, job);
  }

  /** Iterations of 10 each, the device busy all the time. */
  static LaneJob job(String name, long arriveNs, long persistent, long ephemeral, int iterations) {
    return LaneJob.of(
        name,
        arriveNs,
        new LaneJob.Memory(persistent, ephemeral),
        LaneJob.Work.training(iterations, 0, 10));
  }
}
