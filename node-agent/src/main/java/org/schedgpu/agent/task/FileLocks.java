package org.schedgpu.agent.task;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Finds the owners of POSIX locks in {@code /proc/locks}, without asking for a lock. */
final class FileLocks {
  private static final Path LOCKS = Path.of("/proc/locks");

  private FileLocks() {}

  /**
   * The process that holds a write lock on a file; empty if there is none, or none in this
   * process's PID namespace.
   */
  static OptionalLong writer(Path file) throws IOException {
    long device = (Long) Files.getAttribute(file, "unix:dev");
    long inode = (Long) Files.getAttribute(file, "unix:ino");
    return writer(Files.readAllLines(LOCKS), name(device, inode));
  }

  /** {@code 00:1a:4711}: device in hexadecimal, inode. The device is split as Linux does. */
  static String name(long device, long inode) {
    long major = (device >>> 8) & 0xfff;
    long minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
    return "%02x:%02x:%d".formatted(major, minor, inode);
  }

  /**
   * Lines are {@code 1: POSIX ADVISORY WRITE 812 00:1a:4711 0 EOF}; those of waiters contain ->.
   */
  static OptionalLong writer(List<String> locks, String name) {
    return locks.stream()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(w -> w.length >= 6 && w[1].equals("POSIX") && w[3].equals("WRITE"))
        .filter(words -> words[5].equals(name))
        .mapToLong(words -> Long.parseLong(words[4]))
        .filter(pid -> pid > 0)
        .findFirst();
  }
}
