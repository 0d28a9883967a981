package org.schedgpu.demo;

/**
 * The messages of schedGPU on a job's standard error.
 *
 * @param begun waits that began
 * @param ended waits that ended, for any reason
 */
record JobWaits(int begun, int ended) {
  private static final String BEGIN = "schedgpu: waiting for ";
  private static final String GOT = "schedgpu: got ";
  private static final String STOPPED = "schedgpu: stopped waiting ";

  static JobWaits in(String standardError) {
    int begun = 0;
    int ended = 0;
    for (String line : standardError.split("\n", -1)) {
      begun += line.startsWith(BEGIN) ? 1 : 0;
      ended += line.startsWith(GOT) || line.startsWith(STOPPED) ? 1 : 0;
    }
    return new JobWaits(begun, ended);
  }

  /** True if the job waits for memory now. */
  boolean waits() {
    return begun > ended;
  }
}
