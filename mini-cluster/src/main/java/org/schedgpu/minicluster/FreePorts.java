package org.schedgpu.minicluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports on which nobody listens. They are below Linux's usual ephemeral range (32768 and up),
 * where an outgoing connection could take one before the daemon binds it. Thread-safe.
 */
final class FreePorts {
  private static final int FIRST = 18_000;
  private static final int LAST = 31_999;
  private static final int ATTEMPTS = 10_000;
  private static final Set<Integer> GIVEN = new HashSet<>();

  private FreePorts() {}

  /**
   * Ports that no other cluster of this JVM has.
   *
   * @throws MiniClusterException if there are not enough
   */
  static List<Integer> take(int count) {
    synchronized (GIVEN) {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < ATTEMPTS && ports.size() < count; i++) {
        int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
        if (!GIVEN.contains(port) && canListen(port)) {
          GIVEN.add(port);
          ports.add(port);
        }
      }
      if (ports.size() < count) {
        throw new MiniClusterException(
            "no %d free TCP ports in %d-%d: end what listens there".formatted(count, FIRST, LAST));
      }
      return ports;
    }
  }

  static void giveBack(List<Integer> ports) {
    synchronized (GIVEN) {
      GIVEN.removeAll(ports);
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
