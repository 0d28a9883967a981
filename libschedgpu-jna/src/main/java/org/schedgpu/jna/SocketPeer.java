package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Platform;
import com.sun.jna.ptr.IntByReference;
import java.util.OptionalInt;

/** A client that has connected to a {@link SocketListener}. Never blocks. Used by one thread. */
public final class SocketPeer implements AutoCloseable {
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = Platform.isPPC() ? 21 : 17;
  private static final int MSG_NOSIGNAL = 0x4000;

  /** struct ucred: pid, uid, gid. */
  private static final int CREDENTIALS = 3;

  private final int descriptor;
  private boolean closed;
  private final int uid;

  private SocketPeer(int descriptor, int uid) {
    this.descriptor = descriptor;
    this.uid = uid;
  }

  static SocketPeer of(int descriptor) {
    int[] credentials = new int[CREDENTIALS];
    try {
      Linux.getsockopt(
          descriptor,
          SOL_SOCKET,
          SO_PEERCRED,
          credentials,
          new IntByReference(CREDENTIALS * Integer.BYTES));
    } catch (LastErrorException unknown) {
      Linux.close(descriptor);
      throw unknown;
    }
    return new SocketPeer(descriptor, credentials[1]);
  }

  /** The user who connected, according to the kernel; -1 at a port. */
  public int uid() {
    return uid;
  }

  public int descriptor() {
    return descriptor;
  }

  /** The number of bytes received: -1 = the client will send no more; empty = none yet. */
  public OptionalInt read(byte[] buffer) {
    if (closed) {
      return OptionalInt.of(-1);
    }
    try {
      long read = Linux.read(descriptor, buffer, buffer.length);
      return OptionalInt.of(read == 0 ? -1 : (int) read);
    } catch (LastErrorException problem) {
      return isForNow(problem) ? OptionalInt.empty() : OptionalInt.of(-1);
    }
  }

  /** The number of bytes sent: -1 = the client accepts no more; empty = none yet. */
  public OptionalInt write(NativeMemory data, long offset) {
    try {
      long size = data.size() - offset;
      return OptionalInt.of((int) Linux.send(descriptor, data.from(offset), size, MSG_NOSIGNAL));
    } catch (LastErrorException problem) {
      return isForNow(problem) ? OptionalInt.empty() : OptionalInt.of(-1);
    }
  }

  private static boolean isForNow(LastErrorException problem) {
    return problem.getErrorCode() == Linux.EAGAIN || problem.getErrorCode() == Linux.EINTR;
  }

  /** Closes once: a second close could hit another file that has the number by then. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Linux.close(descriptor);
    }
  }
}
