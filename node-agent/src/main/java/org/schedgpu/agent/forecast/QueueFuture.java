package org.schedgpu.agent.forecast;

import java.util.Optional;
import org.schedgpu.jna.Forecast;
import org.schedgpu.jna.Forecast.Reason;
import org.schedgpu.jna.RegionCopy;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Queues that can be run ahead: {@link Forecast} with the real core, or a test's own. */
public interface QueueFuture extends AutoCloseable {
  /** Why the request with this ticket waits now; empty if that is unknown. */
  Optional<Reason> reason(long ticket);

  /** Ends a job and serves the waiters. */
  void end(Job job, long nowNs);

  /** Removes a request from its queue. */
  void giveUp(long ticket, long nowNs);

  /** Time has passed. */
  void pass(long nowNs);

  /** Tickets of requests that stopped waiting since the last call, for whatever reason. */
  long[] left();

  @Override
  void close();

  /**
   * The core's own transitions on a copy of the region.
   *
   * @param picture copy of the region
   */
  static QueueFuture of(RegionCopy picture) {
    Forecast forecast = picture.forecast();
    return new QueueFuture() {
      @Override
      public Optional<Reason> reason(long ticket) {
        return Optional.of(forecast.reason(ticket));
      }

      @Override
      public void end(Job job, long nowNs) {
        forecast.end(job.kind(), job.id(), nowNs);
      }

      @Override
      public void giveUp(long ticket, long nowNs) {
        forecast.giveUp(ticket, nowNs);
      }

      @Override
      public void pass(long nowNs) {
        forecast.pass(nowNs);
      }

      @Override
      public long[] left() {
        return forecast.left();
      }

      @Override
      public void close() {
        forecast.close();
      }
    };
  }
}
