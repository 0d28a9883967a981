package org.schedgpu.minicluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports on which nobody listens. They are below Linux's usual ephemeral range (32768 and up),
 * where an outgoing connection could take one before the daemon binds it. A port is free again
 * while its daemon is not there, so whoever has it holds a lock on the byte of that number in a
 * file, which keeps other JVMs from it. Thread-safe.
 */
final class FreePorts {
  private static final int FIRST = 18_000;
  private static final int LAST = 31_999;
  private static final int ATTEMPTS = 10_000;
  private static final Path LOCKS = Path.of("/tmp/mini-cluster-ports");
  private static final Map<Integer, FileLock> GIVEN = new HashMap<>();

  /** Stays open: its locks would end with it, and with every other channel of this JVM to it. */
  private static FileChannel locks;

  private FreePorts() {}

  /**
   * Ports that no other cluster of this host has.
   *
   * @throws MiniClusterException if there are not enough, or none can be locked
   */
  static List<Integer> take(int count) {
    return take(count, FIRST, LAST);
  }

  /** {@link #take(int)} of these alone. */
  static List<Integer> take(int count, int first, int last) {
    synchronized (GIVEN) {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < ATTEMPTS && ports.size() < count; i++) {
        int port = ThreadLocalRandom.current().nextInt(first, last + 1);
        if (!GIVEN.containsKey(port) && isTaken(port)) {
          ports.add(port);
        }
      }
      if (ports.size() < count) {
        giveBack(ports);
        throw new MiniClusterException(
            "no %d free TCP ports in %d-%d: end what listens there".formatted(count, first, last));
      }
      return ports;
    }
  }

  static void giveBack(List<Integer> ports) {
    synchronized (GIVEN) {
      for (int port : ports) {
        release(GIVEN.remove(port));
      }
    }
  }

  /** True if it is ours now. */
  private static boolean isTaken(int port) {
    Optional<FileLock> lock = lock(port);
    if (lock.isPresent() && canListen(port)) {
      GIVEN.put(port, lock.get());
      return true;
    }
    lock.ifPresent(FreePorts::release);
    return false;
  }

  /** Empty if another JVM has it. */
  private static Optional<FileLock> lock(int port) {
    try {
      if (locks == null || !locks.isOpen()) {
        locks =
            FileChannel.open(
                LOCKS,
                LinkOption.NOFOLLOW_LINKS,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
      }
      return Optional.ofNullable(locks.tryLock(port, 1, false));
    } catch (IOException e) {
      throw new MiniClusterException("cannot lock a port in " + LOCKS, e);
    }
  }

  private static void release(FileLock lock) {
    try {
      lock.release();
    } catch (IOException e) {
      throw new MiniClusterException("cannot unlock a port in " + LOCKS, e);
    }
  }

  private static boolean canListen(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress((InetAddress) null, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
