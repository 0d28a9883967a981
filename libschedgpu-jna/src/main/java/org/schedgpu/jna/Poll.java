package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a descriptor can be read, a time is over, or another thread calls {@link #wake}. One
 * thread uses it; any thread may call {@link #wake}.
 */
public final class Poll implements AutoCloseable {
  private static final short POLLIN = 1;
  private static final short POLLOUT = 4;
  private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int EIGHT = 8;

  private final int waker;
  private int[] entries = new int[2];
  private boolean closed;

  public Poll() {
    try {
      waker = Linux.eventfd(0, Linux.CLOEXEC | Linux.NONBLOCK);
    } catch (LastErrorException problem) {
      throw Linux.failure("make an eventfd", problem);
    }
  }

  /**
   * Returns when one of the descriptors is readable, at the latest after {@code timeoutNs}, rounded
   * up to milliseconds; at once if {@link #wake} was called since the last time.
   *
   * @return for each descriptor whether it is readable
   */
  public boolean[] await(long timeoutNs, int... descriptors) {
    return await(timeoutNs, descriptors, new boolean[descriptors.length]);
  }

  /**
   * As {@link #await(long, int...)}, but can also wait until descriptors are writable.
   *
   * @param forWriting for each descriptor: true to wait until it is writable, false until it is
   *     readable
   * @return for each descriptor whether it is ready, or closed at the other end
   */
  public boolean[] await(long timeoutNs, int[] descriptors, boolean[] forWriting) {
    fill(descriptors, forWriting);
    long ms = timeoutNs <= 0 ? 0 : (timeoutNs + NS_PER_MS - 1) / NS_PER_MS;
    boolean[] readable = new boolean[descriptors.length];
    try {
      Linux.poll(entries, descriptors.length + 1L, (int) Math.min(ms, Integer.MAX_VALUE));
    } catch (LastErrorException problem) {
      if (problem.getErrorCode() != Linux.EINTR) {
        throw Linux.failure("wait for descriptors", problem);
      }
      return readable;
    }
    for (int i = 0; i < readable.length; i++) {
      readable[i] = events(i + 1) != 0;
    }
    if (events(0) != 0) {
      drainWaker();
    }
    return readable;
  }

  /** struct pollfd is an int and two shorts. */
  private void fill(int[] descriptors, boolean[] forWriting) {
    if (entries.length != 2 * (descriptors.length + 1)) {
      entries = new int[2 * (descriptors.length + 1)];
    }
    entries[0] = waker;
    entries[1] = wanted(POLLIN);
    for (int i = 0; i < descriptors.length; i++) {
      entries[2 * (i + 1)] = descriptors[i];
      entries[2 * (i + 1) + 1] = wanted(forWriting[i] ? POLLOUT : POLLIN);
    }
  }

  private static int wanted(short events) {
    return ByteBuffer.allocate(4)
        .order(ByteOrder.nativeOrder())
        .putShort(events)
        .putShort((short) 0)
        .getInt(0);
  }

  private int events(int entry) {
    return ByteBuffer.allocate(4)
        .order(ByteOrder.nativeOrder())
        .putInt(entries[2 * entry + 1])
        .getShort(2);
  }

  private void drainWaker() {
    try {
      Linux.read(waker, new byte[EIGHT], EIGHT);
    } catch (LastErrorException nothingThere) {
      return;
    }
  }

  /** Ends the present wait, or else the next one. Does nothing after {@link #close}. */
  public synchronized void wake() {
    if (closed) {
      return; // by now another descriptor may have the number
    }
    byte[] one = ByteBuffer.allocate(EIGHT).order(ByteOrder.nativeOrder()).putLong(1).array();
    try {
      Linux.write(waker, one, EIGHT);
    } catch (LastErrorException fullAlready) {
      return;
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      Linux.close(waker);
    }
  }
}
