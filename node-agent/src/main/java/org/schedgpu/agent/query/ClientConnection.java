package org.schedgpu.agent.query;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A connection of a client: it sends one line and receives everything until the agent closes. */
final class ClientConnection implements AutoCloseable {
  private static final int BUFFER_SIZE = 64 << 10;

  private final SocketChannel channel;
  private final Selector selector;
  private final long patienceMs;

  /**
   * Not connected yet.
   *
   * @param patienceMs limit on the time without progress in each step
   */
  ClientConnection(long patienceMs) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    selector = Selector.open();
    this.patienceMs = patienceMs;
  }

  void connect(Path socket) throws IOException {
    channel.configureBlocking(false); // if nobody accepts, connecting would wait forever
    if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
      await(SelectionKey.OP_CONNECT);
      channel.finishConnect();
    }
  }

  void send(String request) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        await(SelectionKey.OP_WRITE);
      }
    }
  }

  byte[] receive() throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_SIZE);
    for (int read = 0; read >= 0; read = channel.read(buffer.clear())) {
      answer.write(buffer.array(), 0, read);
      if (read == 0) {
        await(SelectionKey.OP_READ);
      }
    }
    return answer.toByteArray();
  }

  private void await(int operation) throws IOException {
    channel.register(selector, operation);
    if (selector.select(patienceMs) == 0) {
      throw new IOException("nothing came for " + patienceMs / 1000 + " s");
    }
    selector.selectedKeys().clear();
  }

  @Override
  public void close() throws IOException {
    try (selector) {
      channel.close();
    }
  }
}
