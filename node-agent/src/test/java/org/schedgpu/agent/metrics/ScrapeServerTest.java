package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.agent.server.SocketServer;

class ScrapeServerTest {
  @TempDir private Path folder;

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final List<SocketServer> servers = new ArrayList<>();

  /**
   * Below the ports that the kernel gives to connections, because a connection could take the port
   * meanwhile.
   */
  static ListenAddress freePort() {
    for (int i = 0; i < 1000; i++) {
      int port = ThreadLocalRandom.current().nextInt(10_000, 18_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return ListenAddress.of("127.0.0.1:" + socket.getLocalPort()).orElseThrow();
      } catch (IOException taken) {
        // by another process: another socket
      }
    }
    throw new AssertionError("no free port");
  }

  private ListenAddress socket() {
    return ListenAddress.of(folder.resolve("m.sock").toString()).orElseThrow();
  }

  private SocketServer start(ListenAddress address) throws IOException {
    SocketServer server = Scrapes.serve(address, registry);
    servers.add(server);
    return server;
  }

  @AfterEach
  void closeAll() {
    servers.forEach(SocketServer::close);
  }

  @Test
  void bothKindsOfSocketsAnswer() throws IOException {
    Counter.builder().name("turns").help("Turns.").register(registry).inc();
    for (ListenAddress address : List.of(freePort(), socket())) {
      SocketServer server = start(address);
      assertEquals(1, Scrape.at(address.address()).value("turns_total"));
      assertEquals(1, Scrape.at(address.address()).value("turns_total"));
      server.close();
      assertThrows(IOException.class, () -> Scrape.at(address.address()), "it is closed");
    }
    assertFalse(Files.exists(folder.resolve("m.sock")));
  }

  /** 0.0.0.0 is every address of the host, those of IPv6 included. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.1",
    "[::1], ::1",
    "0.0.0.0, 127.0.0.1",
    "0.0.0.0, ::1",
    "[::], 127.0.0.1"
  })
  void portsOfAllKindsAnswer(String listen, String host) throws IOException {
    InetAddress to = InetAddress.getByName(host);
    Assumptions.assumeTrue(
        (!listen.contains("[") && to instanceof Inet4Address)
            || Files.exists(Path.of("/proc/net/if_inet6")),
        "the host has no IPv6");
    int port = ((InetSocketAddress) freePort().address()).getPort();
    start(ListenAddress.of(listen + ":" + port).orElseThrow());
    assertEquals("", Scrape.at(new InetSocketAddress(to, port)).text());
  }

  @ParameterizedTest
  @CsvSource({
    "'GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 200 OK'",
    "'HEAD /metrics HTTP/1.1\r\n\r\n', 'HTTP/1.1 200 OK'",
    "'GET /etc/passwd HTTP/1.1\r\n\r\n', 'HTTP/1.1 404 Not Found'",
    "'POST /metrics HTTP/1.1\r\n\r\n', 'HTTP/1.1 405 Method Not Allowed'",
    "'\r\nGET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 200 OK'",
    "'GET / HTTP/1.0\n\n', 'HTTP/1.1 200 OK'",
    "'\n\n\n\n\n\n\n\n\n\n\n\nGET / HTTP/1.1\n\n', 'HTTP/1.1 400 Bad Request'",
    "'wat\r\n\r\n', 'HTTP/1.1 400 Bad Request'"
  })
  void everyRequestIsAnswered(String request, String status) throws IOException {
    ListenAddress address = socket();
    start(address);
    assertEquals(status, Scrape.raw(address.address(), request).lines().findFirst().orElse(""));
  }

  /** As Prometheus asks with native histograms: it got an empty answer, and up was 1. */
  @ParameterizedTest
  @CsvSource({
    "/metrics,"
        + " 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1'",
    "/metrics, application/vnd.google.protobuf",
    "/metrics?debug=prometheus-protobuf, text/plain",
  })
  void whoAsksForProtobufGetsText(String path, String accept) throws IOException {
    Counter.builder().name("turns").help("Turns.").register(registry).inc();
    ListenAddress address = socket();
    start(address);
    String answer =
        Scrape.raw(
            address.address(), "GET " + path + " HTTP/1.1\r\nAccept: " + accept + "\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 200 OK"), answer);
    assertTrue(answer.contains("\nturns_total 1.0\n"), answer);
  }

  @Test
  void otherTypesAndNamesCanBeAskedFor() throws IOException {
    Counter.builder().name("turns").help("Turns.").register(registry).inc();
    ListenAddress address = socket();
    start(address);
    String open = "application/vnd.google.protobuf,application/openmetrics-text;version=1.0.0";
    String answer =
        Scrape.raw(address.address(), "GET /metrics HTTP/1.1\r\nAccept: " + open + "\r\n\r\n");
    assertTrue(answer.contains("\n# EOF\n"), answer);
    String none = Scrape.raw(address.address(), "GET /metrics?name%5B%5D=others HTTP/1.1\r\n\r\n");
    assertTrue(none.startsWith("HTTP/1.1 200 OK") && !none.contains("turns_total"), none);
  }

  @Test
  void everybodyMayConnect() throws IOException {
    start(socket());
    assertEquals(
        "rw-rw-rw-",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("m.sock"))));
  }

  /** Without a limit on the size of a request its sender would decide on our memory. */
  @Test
  void aRequestWithoutAnEndIsRefused() throws IOException {
    ListenAddress address = socket();
    start(address);
    String answer =
        Scrape.raw(address.address(), "GET /metrics HTTP/1.1\r\nX: " + "x".repeat(9000));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
  }

  /** A client that sends nothing does not keep the next one from its answer. */
  @Test
  void theSilentDoNotStandInTheWay() throws IOException {
    manyDoNotStandInTheWay("");
  }

  @Test
  void whoNeverEndsHisRequestDoesNotStandInTheWay() throws IOException {
    manyDoNotStandInTheWay("GET /metrics HTTP/1.1\r\nX: ");
  }

  /** The answer is larger than the kernel's buffer. */
  @Test
  void whoDoesNotTakeHisAnswerDoesNotStandInTheWay() throws IOException {
    Counter turns = Counter.builder().name("turns").help("T").labelNames("of").register(registry);
    for (int i = 0; i < 5_000; i++) {
      turns.labelValues("somebody with a name that is rather long, number " + i).inc();
    }
    manyDoNotStandInTheWay("GET /metrics HTTP/1.1\r\n\r\n");
  }

  private void manyDoNotStandInTheWay(String request) throws IOException {
    ListenAddress address = socket();
    List<SocketChannel> others = new ArrayList<>();
    start(address);
    try {
      for (int i = 0; i < 3 * Scrapes.MAX_CONNECTIONS; i++) {
        SocketChannel other = Scrape.open(address.address());
        others.add(other);
        send(other, request);
      }
      assertNotNull(Scrape.at(address.address()).text());
    } finally {
      for (SocketChannel channel : others) {
        channel.close();
      }
    }
  }

  private static void send(SocketChannel channel, String request) {
    try {
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException closed) {
      // it was closed for another one
    }
  }

  @Test
  void aSocketThatAKilledAgentLeftIsReplaced() throws IOException {
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(folder.resolve("m.sock")));
    }
    start(socket());
    assertEquals("", Scrape.at(socket().address()).text());
  }

  @Test
  void whatIsOfOthersStays() throws IOException {
    Path file = folder.resolve("m.sock");
    Files.writeString(file, "mine");
    assertThrows(IOException.class, () -> start(socket()));
    assertEquals("mine", Files.readString(file));
    Files.delete(file);
    start(socket());
    assertThrows(IOException.class, () -> start(socket()));
    assertEquals("", Scrape.at(socket().address()).text());
  }
}
