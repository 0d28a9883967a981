package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListenAddressTest {
  private static final byte[] LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private static ListenAddress of(String text) {
    return ListenAddress.of(text).orElseThrow();
  }

  @Test
  void portsAndPathsAreRead() throws Exception {
    InetAddress four = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    assertEquals(new InetSocketAddress(four, 10835), of("127.0.0.1:10835").address());
    assertEquals(new InetSocketAddress(four, 1), of("localhost:1").address());
    assertEquals(
        new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 65535),
        of("[::1]:65535").address());
    assertEquals(UnixDomainSocketAddress.of("/run/m.sock"), of("/run/m.sock").address());
    assertEquals(Optional.of(Path.of("/run/m.sock")), of("/run/m.sock").socketFile());
    assertEquals(Optional.empty(), of("127.0.0.1:1").socketFile());
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "/run/m.sock"})
  void ofThisHostAlone(String text) {
    assertFalse(of(text).isPublic());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:1", "10.0.0.7:1", "[::]:1", "[fe80::1]:1"})
  void forOthersToo(String text) {
    assertTrue(of(text).isPublic());
  }

  /** No name is looked up: a name server that hangs must not keep the agent from its start. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10835",
        ":10835",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:0",
        "127.0.0.1:65536",
        "127.0.0.1:99999",
        "127.1:80",
        "256.0.0.1:80",
        "1.2.3.4.5:80",
        "::1:80",
        "[zz]:80",
        "[1:2]:80",
        "host.example:80",
        "run/m.sock",
        "127.0.0.1:80 "
      })
  void nothingElse(String text) {
    assertEquals(Optional.empty(), ListenAddress.of(text));
  }

  @Test
  void aPathMustFitIntoTheKernelsField() {
    assertTrue(ListenAddress.of("/" + "x".repeat(106)).isPresent());
    assertEquals(Optional.empty(), ListenAddress.of("/" + "x".repeat(107)));
  }
}
