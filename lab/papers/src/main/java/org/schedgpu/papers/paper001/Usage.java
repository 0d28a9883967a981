package org.schedgpu.papers.paper001;

import org.schedgpu.papers.phases.PhasedOutcome;

/** Averages over a run, from the first submission to the end of the last job. */
final class Usage {
  private static final double NS = 1e9;

  private Usage() {}

  static double totalS(PhasedOutcome outcome) {
    return outcome.totalNs() / NS;
  }

  /** Time in which a kernel ran. */
  static double busyPercent(PhasedOutcome outcome) {
    return 100.0 * outcome.busyNs() / outcome.totalNs();
  }

  /** Memory in use, of the device's. */
  static double memoryPercent(PhasedOutcome outcome) {
    double deviceBytes = UseCase.DEVICE_MIB * (double) UseCase.MIB;
    return 100 * outcome.memoryByteNs() / outcome.totalNs() / deviceBytes;
  }
}
