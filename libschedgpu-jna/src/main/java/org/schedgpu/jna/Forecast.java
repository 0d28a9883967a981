package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Runs the queues of a region ahead of time: the core works on a copy, with a clock that the caller
 * sets ({@code schedgpu/forecast.h}). Used by one thread.
 */
public final class Forecast implements AutoCloseable {
  /** As {@code struct schedgpu_reason}. */
  private static final int REASON_SIZE = 16;

  private static final int MAX_WAITERS = 1088;
  private static final long[] NOBODY = {};

  private final Memory tickets = new Memory((long) MAX_WAITERS * Long.BYTES);
  private Pointer forecast;

  /** Why a request waits; the numbers are those of {@code enum schedgpu_why}. */
  public enum Why {
    /** It fits and is next: the core grants it in a moment. */
    NEXT(0),
    /** More memory is needed than is free. */
    MEMORY(1),
    /** The contexts of its job do not fit yet beside the largest budget. */
    NOT_ADMITTED(2),
    /** One more context does not fit yet. */
    CONTEXT(3),
    /** It fits, but could lead to a deadlock. */
    UNSAFE(4),
    /** It fits, but an older request blocks the queue. */
    OLDER(5),
    /** It fits, but a request with a higher priority blocks the queue. */
    PRIORITY(6),
    /** It fits, but memory is reserved for a request that was overtaken too often. */
    KEPT(7),
    /** The request does not wait any more. */
    GONE(8),
    /** It fits, but a smaller request with the same priority blocks the queue. */
    SMALLER(9);

    private final int number;

    Why(int number) {
      this.number = number;
    }

    private static Why of(int number) {
      return Arrays.stream(values()).filter(why -> why.number == number).findFirst().orElse(GONE);
    }
  }

  /**
   * Why a request waits now.
   *
   * @param device where
   * @param ticket of the request ahead, if there is one
   */
  public record Reason(Why why, int device, OptionalLong ticket) {}

  private Forecast(Pointer forecast) {
    this.forecast = forecast;
  }

  /** Starts from the bytes of a {@link RegionCopy}, which it copies. */
  static Forecast of(Memory picture) {
    CLibrary.load();
    PointerByReference opened = new PointerByReference();
    SchedGpu.check(
        CApi.schedgpu_forecast_open(picture, picture.size(), opened), "forecast the queues");
    return new Forecast(opened.getValue());
  }

  @Override
  public void close() {
    if (forecast != null) {
      CApi.schedgpu_forecast_close(forecast);
      forecast = null;
    }
  }

  private Pointer handle() {
    if (forecast == null) {
      throw new IllegalStateException("the forecast has been closed");
    }
    return forecast;
  }

  /** Why the request with this ticket waits. */
  public Reason reason(long ticket) {
    Memory reason = new Memory(REASON_SIZE);
    CApi.schedgpu_forecast_reason(handle(), ticket, reason);
    long other = reason.getLong(8);
    return new Reason(
        Why.of(reason.getInt(0)),
        reason.getInt(4),
        other == 0 ? OptionalLong.empty() : OptionalLong.of(other));
  }

  /** Ends a job and serves the waiters; does nothing if the job does not exist. */
  public void end(JobKind kind, long jobId, long nowNs) {
    CApi.schedgpu_forecast_end(handle(), kind.number(), jobId, nowNs);
  }

  /** Removes a request from its queue; does nothing if it does not wait. */
  public void giveUp(long ticket, long nowNs) {
    CApi.schedgpu_forecast_give_up(handle(), ticket, nowNs);
  }

  /** Lets time pass, after which budgets may be idle. */
  public void pass(long nowNs) {
    CApi.schedgpu_forecast_pass(handle(), nowNs);
  }

  /**
   * The tickets of requests that stopped waiting since the last call: granted, given up, or ended
   * with their job.
   */
  public long[] left() {
    int n = CApi.schedgpu_forecast_left(handle(), tickets, MAX_WAITERS);
    return n == 0 ? NOBODY : tickets.getLongArray(0, n);
  }

  /**
   * True if the request waits. A request for a context counts until its job also has its budget.
   */
  public boolean waits(long ticket) {
    return CApi.schedgpu_forecast_waits(handle(), ticket) != 0;
  }
}
