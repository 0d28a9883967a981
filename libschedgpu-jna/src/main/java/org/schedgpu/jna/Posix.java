package org.schedgpu.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.Optional;
import java.util.OptionalInt;

/** The few functions of libc that Java lacks: accounts and signals. */
public final class Posix {
  /** The position of the user id in a passwd record: after name and password. */
  private static final int ID_OFFSET = 2 * Native.POINTER_SIZE;

  private Posix() {}

  /** libc's functions; the layouts used are those of glibc and musl on 64-bit Linux. */
  private static final class Libc {
    static {
      Native.register(Libc.class, NativeLibrary.getProcess());
    }

    static native int geteuid();

    static native Pointer getpwuid(int uid);

    static native Pointer getpwnam(String name);

    static native Pointer getgrnam(String name);

    static native int kill(int pid, int signal);

    static native String strerror(int error);
  }

  /** The user this process acts for. */
  public static int effectiveUid() {
    return Libc.geteuid();
  }

  /** The login name of a user. One thread at a time, because libc returns it in a static buffer. */
  public static synchronized Optional<String> userName(int uid) {
    Pointer passwd = Libc.getpwuid(uid);
    return passwd == null ? Optional.empty() : Optional.of(passwd.getPointer(0).getString(0));
  }

  /** The number of a user. */
  public static OptionalInt userId(String name) {
    Pointer passwd = Libc.getpwnam(name);
    return passwd == null ? OptionalInt.empty() : OptionalInt.of(passwd.getInt(ID_OFFSET));
  }

  /** The number of a group. */
  public static OptionalInt groupId(String name) {
    Pointer group = Libc.getgrnam(name);
    return group == null ? OptionalInt.empty() : OptionalInt.of(group.getInt(ID_OFFSET));
  }

  /** Sends a signal; false if the process does not exist or this user may not. */
  public static boolean kill(long pid, int signal) {
    return Libc.kill(Math.toIntExact(pid), signal) == 0;
  }

  static String errorText(int errno) {
    return Libc.strerror(errno);
  }
}
