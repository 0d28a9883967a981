package org.schedgpu.agent.report;

import java.util.List;

/**
 * A device over the window. Means are over the samples; null: there was no sample, or NVML did not
 * report it.
 *
 * @param samples how many there are
 * @param lanes rows of jobs; empty: none, or too many to draw
 * @param jobs how many were on the device
 */
public record DeviceReport(
    int device,
    String uuid,
    String name,
    boolean emulated,
    long totalBytes,
    long samples,
    Long meanGrantedBytes,
    Long peakGrantedBytes,
    Long meanInUseBytes,
    Long peakInUseBytes,
    Long meanUtilisationPercent,
    int jobs,
    TimeSeries course,
    List<Lane> lanes) {
  /**
   * A row of jobs that do not overlap.
   *
   * @param jobs by their begin
   */
  public record Lane(List<LaneJob> jobs) {}

  /**
   * A job in a row, clipped to the window.
   *
   * @param waitedNs how long it waited over its whole life
   */
  public record LaneJob(
      String job,
      String name,
      String user,
      long begunNs,
      long endNs,
      boolean running,
      long waitedNs,
      long requestedBytes,
      long peakBytes) {}
}
