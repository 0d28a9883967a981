package org.schedgpu.agent.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.RegionSnapshot;

/**
 * Maps CLOCK_MONOTONIC, which the region uses, to the time of day. Each sample needs a new one,
 * because somebody may have set the clock of the node.
 *
 * @param nowNs since 1970 (UTC)
 * @param monotonicNs the same moment
 */
public record Clock(long nowNs, long monotonicNs) {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Within which boot of the kernel CLOCK_MONOTONIC counts. */
  public static String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException missing) {
      throw new HistoryException(BOOT_ID + ": cannot be read: is /proc mounted?");
    }
  }

  /** The present time of both clocks. */
  public static Clock now() {
    long monotonic = RegionSnapshot.nowNs();
    Instant now = Instant.now();
    return new Clock(TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano(), monotonic);
  }

  /** The time of day at that moment. */
  public long timeOfDayNs(long thenMonotonicNs) {
    return nowNs - (monotonicNs - thenMonotonicNs);
  }
}
