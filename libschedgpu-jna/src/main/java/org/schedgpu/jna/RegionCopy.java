package org.schedgpu.jna;

import com.sun.jna.Memory;
import java.nio.ByteBuffer;

/**
 * A consistent copy of the region, for snapshots and forecasts. It has megabytes outside the heap,
 * so callers must close it. Used by one thread.
 */
public final class RegionCopy implements AutoCloseable {
  private final Memory bytes;
  private final EndedJobs ended;
  private final RegionSnapshot snapshot;

  RegionCopy(Memory bytes, RegionLayout layout) {
    this.bytes = bytes;
    ByteBuffer buffer = bytes.getByteBuffer(0, bytes.size());
    ended = new EndedJobs(new RegionBytes(buffer, layout), 0);
    snapshot = new SnapshotParser(buffer, layout, RegionSnapshot.nowNs()).parse(region -> ended);
  }

  /**
   * The content as records. The ended jobs are read when first asked for; after {@link #close} that
   * throws an {@link IllegalStateException}.
   */
  public RegionSnapshot snapshot() {
    return snapshot;
  }

  /** A forecast of its queues, on a copy of its own. */
  public Forecast forecast() {
    return Forecast.of(bytes);
  }

  @Override
  public void close() {
    ended.forget();
    bytes.close();
  }
}
