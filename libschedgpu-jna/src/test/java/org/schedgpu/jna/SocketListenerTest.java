package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What root does to the name of a socket, in a folder where users can replace it. */
class SocketListenerTest {
  @TempDir private Path folder;

  private Path listenAt(String name) throws IOException {
    Path socket = folder.resolve(name);
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket))
        .close();
    return Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void everybodyMayConnectToASocket() throws IOException {
    Path socket = listenAt("socket");
    SocketListener.openToAll(socket);
    assertEquals("rw-rw-rw-", mode(socket));
  }

  @Test
  void whatReplacedTheSocketKeepsItsMode() throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), "");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    for (Path target : new Path[] {file, listenAt("other")}) {
      Path link = Files.createSymbolicLink(folder.resolve("socket"), target);
      IOException told = assertThrows(IOException.class, () -> SocketListener.openToAll(link));
      assertTrue(told.getMessage().startsWith(link + ": somebody replaced the socket"));
      assertEquals("rw-------", mode(target));
      Files.delete(link);
    }
    assertThrows(IOException.class, () -> SocketListener.openToAll(file));
    assertEquals("rw-------", mode(file));
  }
}
