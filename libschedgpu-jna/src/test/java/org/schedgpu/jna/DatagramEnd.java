package org.schedgpu.jna;

import com.sun.jna.Native;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The service manager's side of NOTIFY_SOCKET, which Java cannot create. */
final class DatagramEnd implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;

  private final int socket;

  private DatagramEnd(int socket) {
    this.socket = socket;
  }

  /** libc's. */
  private static final class Libc {
    static {
      Native.register(Libc.class, "c");
    }

    static native int bind(int fd, byte[] address, int length);
  }

  /**
   * @param name a path, or an abstract name with a leading @
   */
  static DatagramEnd bind(String name) {
    byte[] text = name.replace('@', '\0').getBytes(StandardCharsets.UTF_8);
    byte[] address =
        ByteBuffer.allocate(2 + text.length + (name.startsWith("/") ? 1 : 0))
            .order(ByteOrder.nativeOrder())
            .putShort((short) AF_UNIX)
            .put(text)
            .array();
    int socket = Linux.socket(AF_UNIX, SOCK_DGRAM | Linux.CLOEXEC, 0);
    if (Libc.bind(socket, address, address.length) != 0) {
      throw new IllegalStateException("cannot bind " + name);
    }
    return new DatagramEnd(socket);
  }

  /** Waits for a datagram. */
  String receive() {
    byte[] buffer = new byte[4096];
    int size = (int) Linux.read(socket, buffer, buffer.length);
    return new String(buffer, 0, size, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    Linux.close(socket);
  }
}
