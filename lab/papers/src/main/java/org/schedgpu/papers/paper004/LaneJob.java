package org.schedgpu.papers.paper004;

import java.util.List;

/**
 * A job on one device.
 *
 * @param name for people
 * @param arriveNs when it is submitted, at least 0
 * @param memory what it needs
 * @param work what it does
 * @param priority larger is served first
 * @param share its weight under {@link org.schedgpu.jna.LanePolicy#FAIR}, at least 1
 */
record LaneJob(String name, long arriveNs, Memory memory, Work work, int priority, int share) {

  /**
   * Device memory.
   *
   * @param persistentBytes what it keeps between iterations, with its context
   * @param ephemeralBytes what it needs besides inside an iteration
   */
  record Memory(long persistentBytes, long ephemeralBytes) {}

  /**
   * Iterations, all alike: a part in which the device computes nothing, then one kernel.
   *
   * @param startupNs before the first one; no lane is needed yet
   * @param iterations how many, at least 1
   * @param cpuNs of an iteration, the device idle
   * @param gpuNs of an iteration if no other job computes
   * @param requestsNs when each iteration is asked for at the earliest, as in inference; empty if
   *     each begins when the one before has ended
   * @param lengthKnown whether its length is declared, as {@link org.schedgpu.jna.LanePolicy#SRTF}
   *     needs it
   */
  record Work(
      long startupNs,
      int iterations,
      long cpuNs,
      long gpuNs,
      List<Long> requestsNs,
      boolean lengthKnown) {
    Work {
      requestsNs = List.copyOf(requestsNs);
    }

    /** A training without start-up whose length is known. */
    static Work training(int iterations, long cpuNs, long gpuNs) {
      return new Work(0, iterations, cpuNs, gpuNs, List.of(), true);
    }

    /** The time of all iterations, alone on the device. */
    long lengthNs() {
      return iterations * (cpuNs + gpuNs);
    }
  }

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is outside its range
   */
  LaneJob {
    require(arriveNs >= 0, name, "arrives before 0");
    require(memory.persistentBytes >= 0 && memory.ephemeralBytes >= 0, name, "has memory below 0");
    require(work.iterations >= 1, name, "has no iteration");
    require(work.startupNs >= 0 && work.cpuNs >= 0 && work.gpuNs >= 0, name, "has a time below 0");
    require(work.cpuNs + work.gpuNs > 0, name, "has iterations that take no time");
    require(share >= 1, name, "has a share below 1");
    require(
        work.requestsNs.isEmpty() || work.requestsNs.size() == work.iterations,
        name,
        "needs one request for each iteration");
  }

  /** A job of priority 0 and share 1. */
  static LaneJob of(String name, long arriveNs, Memory memory, Work work) {
    return new LaneJob(name, arriveNs, memory, work, 0, 1);
  }

  private static void require(boolean holds, String name, String problem) {
    if (!holds) {
      throw new IllegalArgumentException("papers: job " + name + " " + problem);
    }
  }
}
