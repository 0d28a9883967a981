package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.util.Optional;

/**
 * One process and no other, also when its number is given to another one. Linux 5.3 and newer. Used
 * by one thread.
 */
public final class PidFd implements AutoCloseable {
  private final Poll poll;
  private final int descriptor;

  private PidFd(int descriptor) {
    this.descriptor = descriptor;
    this.poll = new Poll();
  }

  /** The process that has the number now; empty if there is none, or the kernel is too old. */
  public static Optional<PidFd> open(int pid) {
    try {
      return Optional.of(new PidFd((int) Linux.syscall(Linux.SYS_PIDFD_OPEN, pid, 0, 0, 0)));
    } catch (LastErrorException gone) {
      return Optional.empty();
    }
  }

  /** Whether it has ended, though nobody may have waited for it yet. */
  public boolean ended() {
    return poll.await(0, descriptor)[0];
  }

  /** Sends a signal; false if it has ended, or is not ours. */
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
