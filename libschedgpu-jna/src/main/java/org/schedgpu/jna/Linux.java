package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;

/**
 * Linux's calls for waiting, with the names and arguments of their man pages. They throw {@link
 * LastErrorException}.
 */
final class Linux {
  /** The same on every architecture. */
  static final long SYS_PIDFD_SEND_SIGNAL = 424;

  static final long SYS_PIDFD_OPEN = 434;

  static final int EINTR = 4;
  static final int EAGAIN = 11;
  static final int ESRCH = 3;

  static final int NONBLOCK = 0x800;
  static final int CLOEXEC = 0x80000;

  static {
    Native.register(Linux.class, NativeLibrary.getProcess());
  }

  private Linux() {}

  static native int poll(int[] descriptors, long count, int timeoutMs) throws LastErrorException;

  static native int eventfd(int initial, int flags) throws LastErrorException;

  static native int inotify_init1(int flags) throws LastErrorException;

  static native int inotify_add_watch(int fd, String path, int mask) throws LastErrorException;

  static native long read(int fd, byte[] buffer, long size) throws LastErrorException;

  /** As read, but returns -1 on failure instead of throwing: for calls that fail all the time. */
  static final class Quiet {
    static {
      Native.register(Quiet.class, NativeLibrary.getProcess());
    }

    private Quiet() {}

    static native long read(int fd, Pointer buffer, long size);
  }

  static native long write(int fd, byte[] buffer, long size) throws LastErrorException;

  static native int close(int fd) throws LastErrorException;

  static native int socket(int domain, int type, int protocol) throws LastErrorException;

  static native long sendto(int fd, byte[] data, long size, int flags, byte[] address, int length)
      throws LastErrorException;

  static native int bind(int fd, byte[] address, int length) throws LastErrorException;

  static native int open(String path, int flags) throws LastErrorException;

  static native int listen(int fd, int backlog) throws LastErrorException;

  static native int accept4(int fd, Pointer address, Pointer length, int flags)
      throws LastErrorException;

  static native int getsockopt(int fd, int level, int name, int[] value, IntByReference length)
      throws LastErrorException;

  static native int setsockopt(int fd, int level, int name, int[] value, int length)
      throws LastErrorException;

  static native long send(int fd, Pointer data, long size, int flags) throws LastErrorException;

  /** The raw system call: older C libraries have no function for some. */
  static native long syscall(long number, long a, long b, long c, long d) throws LastErrorException;

  /** The meaning of a failed call, as one of this library's exceptions. */
  static SchedGpuException failure(String what, LastErrorException problem) {
    return new SchedGpuException(
        ErrorCode.ESYSTEM,
        "cannot " + what + ": " + Posix.errorText(problem.getErrorCode()) + ": see dmesg");
  }
}
