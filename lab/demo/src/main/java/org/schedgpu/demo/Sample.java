package org.schedgpu.demo;

/**
 * NVML's values at one moment.
 *
 * @param ns CLOCK_MONOTONIC
 * @param usedBytes of the device's memory, by all processes
 * @param utilisationPercent of NVML's last sample period
 * @param busyNs exact time for which the device has been busy so far; -1 if it is not reported
 */
record Sample(long ns, long usedBytes, int utilisationPercent, long busyNs) {
  /**
   * Reads a line of gpu-sampler.
   *
   * @throws DemoException if it is not one
   */
  static Sample parse(String line) {
    String[] words = line.split(" ", -1);
    try {
      return new Sample(
          Long.parseLong(words[0]),
          Long.parseLong(words[1]),
          Integer.parseInt(words[2]),
          Long.parseLong(words[3]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new DemoException("gpu-sampler printed '" + line + "', which is not a sample", e);
    }
  }
}
