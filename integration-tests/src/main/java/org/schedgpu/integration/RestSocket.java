package org.schedgpu.integration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** HTTP over slurmrestd's UNIX socket, which Java's own client cannot speak to. */
final class RestSocket {
  private RestSocket() {}

  /** POSTs JSON and returns the body of the answer. */
  static String post(Path socket, String path, String json) {
    String request =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, json.getBytes(StandardCharsets.UTF_8).length, json);
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
      return bodyOf(readAll(channel));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String readAll(SocketChannel channel) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(8192);
    while (channel.read(buffer) >= 0) {
      all.write(buffer.array(), 0, buffer.position());
      buffer.clear();
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  private static String bodyOf(String answer) {
    int end = answer.indexOf("\r\n\r\n");
    if (end < 0 || !answer.startsWith("HTTP/1.1 200")) {
      throw new AssertionError("slurmrestd answered: " + answer);
    }
    return answer.substring(end + 4);
  }
}
