package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.util.Optional;

/**
 * One certain process, even if another process gets its number later. Linux 5.3 and newer. Used by
 * one thread.
 */
public final class PidFd implements AutoCloseable {
  private final Poll poll;
  private final int descriptor;

  private PidFd(int descriptor) {
    this.descriptor = descriptor;
    this.poll = new Poll();
  }

  /** The process that has the number now; empty if there is none, or if the kernel is too old. */
  public static Optional<PidFd> open(int pid) {
    try {
      return Optional.of(new PidFd((int) Linux.syscall(Linux.SYS_PIDFD_OPEN, pid, 0, 0, 0)));
    } catch (LastErrorException gone) {
      return Optional.empty();
    }
  }

  /** True if the process has ended, even if its parent has not yet waited for it. */
  public boolean ended() {
    return poll.await(0, descriptor)[0];
  }

  /** Sends a signal; false if the process has ended, or if this user may not. */
  public boolean kill(int signal) {
    try {
      return Linux.syscall(Linux.SYS_PIDFD_SEND_SIGNAL, descriptor, signal, 0, 0) == 0;
    } catch (LastErrorException gone) {
      return false;
    }
  }

  @Override
  public void close() {
    poll.close();
    Linux.close(descriptor);
  }
}
