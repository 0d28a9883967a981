package org.schedgpu.jna;

import com.sun.jna.Memory;
import java.nio.ByteBuffer;

/**
 * A consistent picture of the region: what is in it, and what its queues will do. Its bytes are
 * megabytes outside the heap, so it is to be closed. Used by one thread.
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
   * What is in it. The jobs that ended are read when they are first asked for; if that is after the
   * picture was closed, an {@link IllegalStateException} is thrown.
   */
  public RegionSnapshot snapshot() {
    return snapshot;
  }

  /** What its queues will do, played on a copy of its own. */
  public Forecast forecast() {
    return Forecast.of(bytes);
  }

  @Override
  public void close() {
    ended.forget();
    bytes.close();
  }
}
