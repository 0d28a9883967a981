package org.schedgpu.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.Optional;
import java.util.OptionalInt;

/** The little of libc that Java does not offer: accounts, signals, its environment. */
public final class Posix {
  /** In what is known of an account: behind its name and its password. */
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

    static native int setenv(String name, String value, int overwrite);

    static native int unsetenv(String name);

    static native String strerror(int error);
  }

  /** The user this process acts for. */
  public static int effectiveUid() {
    return Libc.geteuid();
  }

  /** Login name of a user. One thread at a time: libc answers in a place of its own. */
  public static synchronized Optional<String> userName(int uid) {
    Pointer passwd = Libc.getpwuid(uid);
    return passwd == null ? Optional.empty() : Optional.of(passwd.getPointer(0).getString(0));
  }

  /** Number of a user. */
  public static OptionalInt userId(String name) {
    Pointer passwd = Libc.getpwnam(name);
    return passwd == null ? OptionalInt.empty() : OptionalInt.of(passwd.getInt(ID_OFFSET));
  }

  /** Number of a group. */
  public static OptionalInt groupId(String name) {
    Pointer group = Libc.getgrnam(name);
    return group == null ? OptionalInt.empty() : OptionalInt.of(group.getInt(ID_OFFSET));
  }

  /** Sends a signal; false if there is no such process or it is not ours. */
  public static boolean kill(long pid, int signal) {
    return Libc.kill(Math.toIntExact(pid), signal) == 0;
  }

  /**
   * Sets, or with null removes, what native code of this process sees of its environment. Neither
   * Java's view nor that of processes that Java starts is changed.
   */
  static void nativeEnvironment(String name, String value) {
    if (value == null) {
      Libc.unsetenv(name);
    } else {
      Libc.setenv(name, value, 1);
    }
  }

  static String errorText(int errno) {
    return Libc.strerror(errno);
  }
}
