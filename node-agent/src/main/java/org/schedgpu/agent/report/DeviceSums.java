package org.schedgpu.agent.report;

import java.util.List;
import org.schedgpu.agent.history.DeviceSample;

/** Gathers the samples of one device. */
final class DeviceSums {
  private final Downsampled<Load> thinned;
  private DeviceSample latest;
  private long samples;
  private double grantedBytes;
  private double inUseBytes;
  private double totalBytes;
  private long peakGrantedBytes;
  private long peakInUseBytes;
  private double utilisation;
  private long looks;

  DeviceSums(Window window, int points) {
    thinned = new Downsampled<>(window, points, Load::and);
  }

  void add(DeviceSample sample) {
    if (latest == null || sample.timeNs() >= latest.timeNs()) {
      latest = sample;
    }
    thinned.add(sample.timeNs(), Load.of(sample));
    samples++;
    totalBytes += sample.totalBytes();
    grantedBytes += sample.reservedBytes();
    inUseBytes += sample.inUseBytes();
    peakGrantedBytes = Math.max(peakGrantedBytes, sample.reservedBytes());
    peakInUseBytes = Math.max(peakInUseBytes, sample.inUseBytes());
    if (sample.utilisationPercent().isPresent()) {
      utilisation += sample.utilisationPercent().getAsInt();
      looks++;
    }
  }

  double totalBytes() {
    return totalBytes;
  }

  double grantedBytes() {
    return grantedBytes;
  }

  double inUseBytes() {
    return inUseBytes;
  }

  double utilisation() {
    return utilisation;
  }

  long looks() {
    return looks;
  }

  DeviceReport report(int jobs, List<DeviceReport.Lane> lanes) {
    return new DeviceReport(
        latest.device(),
        latest.uuid(),
        latest.name(),
        Emulated.says(latest.name()),
        latest.totalBytes(),
        samples,
        Math.round(grantedBytes / samples),
        peakGrantedBytes,
        Math.round(inUseBytes / samples),
        peakInUseBytes,
        looks == 0 ? null : Math.round(utilisation / looks),
        jobs,
        TimeSeries.of(thinned),
        lanes);
  }
}
