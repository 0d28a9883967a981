package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Reports the state of this service to the service manager by sd_notify(3): a datagram to
 * NOTIFY_SOCKET. Does nothing if the variable is not set or nobody listens. May be called from any
 * thread.
 */
public final class ServiceNotice {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int PATH_SIZE = 108;

  private final byte[] address;
  private final OptionalLong watchdogNs;

  private ServiceNotice(byte[] address, OptionalLong watchdogNs) {
    this.address = address;
    this.watchdogNs = watchdogNs;
  }

  /** A notice with the settings in the environment of a service. */
  public static ServiceNotice of(Map<String, String> environment) {
    String path = environment.getOrDefault("NOTIFY_SOCKET", "");
    String pid = environment.getOrDefault("WATCHDOG_PID", "");
    boolean ours = pid.isEmpty() || pid.equals(Long.toString(ProcessHandle.current().pid()));
    return new ServiceNotice(
        address(path), ours ? ns(environment.get("WATCHDOG_USEC")) : OptionalLong.empty());
  }

  /** struct sockaddr_un; an abstract name is written with an @. Empty: there is none. */
  private static byte[] address(String path) {
    byte[] name = path.getBytes(StandardCharsets.UTF_8);
    if (name.length == 0 || name.length >= PATH_SIZE || (name[0] != '/' && name[0] != '@')) {
      return new byte[0];
    }
    boolean named = name[0] == '/';
    if (!named) {
      name[0] = 0;
    }
    return ByteBuffer.allocate(2 + name.length + (named ? 1 : 0))
        .order(ByteOrder.nativeOrder())
        .putShort((short) AF_UNIX)
        .put(name)
        .array();
  }

  private static OptionalLong ns(String usec) {
    return usec != null && usec.matches("[1-9][0-9]{0,12}")
        ? OptionalLong.of(TimeUnit.MICROSECONDS.toNanos(Long.parseLong(usec)))
        : OptionalLong.empty();
  }

  /** How long the manager waits for {@code WATCHDOG=1}; empty if it does not. */
  public OptionalLong watchdogNs() {
    return watchdogNs;
  }

  /** Sends assignments, one per line: {@code READY=1}, {@code STATUS=...}. */
  public void send(String text) {
    if (address.length == 0) {
      return;
    }
    byte[] data = text.getBytes(StandardCharsets.UTF_8);
    try {
      int socket = Linux.socket(AF_UNIX, SOCK_DGRAM | Linux.CLOEXEC, 0);
      try {
        Linux.sendto(socket, data, data.length, MSG_NOSIGNAL, address, address.length);
      } finally {
        Linux.close(socket);
      }
    } catch (LastErrorException nobodyListens) {
      return;
    }
  }
}
