package org.schedgpu.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;

/**
 * The line that a program prints when it ends. Times are ns of CLOCK_MONOTONIC.
 *
 * @param program its name
 * @param scale how many times faster it ran
 * @param outcome {@code completed}, {@code failed} or {@code out of memory}
 * @param fromNs its start
 * @param toNs its end
 * @param busyNs how long its kernels last alone
 * @param kernelNs how long it waited for them
 * @param asking pairs: from wanting the device to having its memory
 * @param holding pairs: from then to having given it back
 */
record ProgramReport(
    String program,
    double scale,
    String outcome,
    long fromNs,
    long toNs,
    long busyNs,
    long kernelNs,
    List<List<Long>> asking,
    List<List<Long>> holding) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Finds the report in what a job wrote to its standard output; a job that was killed has none.
   *
   * @throws DemoException if the line is there but is not a report
   */
  static Optional<ProgramReport> find(String output) {
    return output
        .lines()
        .filter(line -> line.startsWith("{\"program\""))
        .findFirst()
        .map(ProgramReport::parse);
  }

  private static ProgramReport parse(String line) {
    try {
      return JSON.readValue(line, ProgramReport.class);
    } catch (JsonProcessingException e) {
      throw new DemoException("a program printed '" + line + "', which is not its report", e);
    }
  }
}
