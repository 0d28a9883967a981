package org.schedgpu.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.rest.SlurmRestException.Kind;

/** HTTP over a UNIX socket: complete answers, truncated answers, and none. */
class UnixSocketTest {
  private static final String SERVED = "{\"paths\":{\"/slurm/v0.0.38/nodes\":{}}}";

  @TempDir Path folder;

  private final Deque<String> answers = new ConcurrentLinkedDeque<>();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private ServerSocketChannel server;
  private Path socket;

  @BeforeEach
  void listen() throws IOException {
    socket = folder.resolve("rest.sock");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread thread = new Thread(this::serve, "fake slurmrestd");
    thread.setDaemon(true);
    thread.start();
    answers.add(whole(SERVED));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private static String whole(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  /** One answer for each connection; after the last one the connection stays open. */
  private void serve() {
    try {
      for (; ; ) {
        SocketChannel client = server.accept();
        ByteBuffer buffer = ByteBuffer.allocate(65536);
        while (!isWhole(StandardCharsets.ISO_8859_1.decode(buffer.duplicate().flip()).toString())
            && client.read(buffer) >= 0) {}
        requests.add(StandardCharsets.UTF_8.decode(buffer.flip()).toString());
        String answer = answers.poll();
        if (answer == null) {
          continue; // open, and silent
        }
        client.write(StandardCharsets.UTF_8.encode(answer));
        client.close();
      }
    } catch (IOException e) {
      // the test has ended
    }
  }

  private static boolean isWhole(String request) {
    int end = request.indexOf("\r\n\r\n");
    if (end < 0) {
      return false;
    }
    int at = request.indexOf("Content-Length: ");
    int length =
        at < 0 ? 0 : Integer.parseInt(request.substring(at + 16, request.indexOf("\r\n", at)));
    return request.length() >= end + 4 + length;
  }

  private SlurmRest connect(Duration timeout) throws SlurmRestException {
    return SlurmRest.connect(SlurmRestAddress.socket(socket).within(timeout), Duration.ZERO);
  }

  private SlurmRest connect() throws SlurmRestException {
    return connect(FakeSlurmrestd.TIMEOUT);
  }

  /**
   * The shortest limit that a busy host still keeps, because the first question must be answered
   * within it.
   */
  private SlurmRest connectWithAShortLimit() throws SlurmRestException {
    for (int seconds = 1; ; seconds *= 10) {
      try {
        return connect(Duration.ofSeconds(seconds));
      } catch (SlurmRestException e) {
        assertTrue(seconds < 100, e.getMessage());
        answers.clear();
        answers.add(whole(SERVED));
      }
    }
  }

  @Test
  void answersByLengthAndInChunks() throws SlurmRestException {
    SlurmRest rest = connect();
    answers.add(whole("{\"nodes\":[{\"name\":\"a\"}]}"));
    answers.add(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "a\r\n{\"nodes\":[\r\nd\r\n{\"name\":\"b\"}\r\n2\r\n]}\r\n0\r\n\r\n");
    answers.add("HTTP/1.1 200 OK\r\n\r\n{\"nodes\":[{\"name\":\"c\"}]}");

    assertEquals("a", rest.nodes().get(0).name());
    assertEquals("b", rest.nodes().get(0).name());
    assertEquals("c", rest.nodes().get(0).name());
    assertTrue(
        requests.get(1).startsWith("GET /slurm/v0.0.38/nodes HTTP/1.1\r\n"), requests.get(1));
  }

  @Test
  void bodiesAreSent() throws SlurmRestException {
    SlurmRest rest = connect();
    answers.add(whole("{\"job_id\":5}"));

    assertEquals(
        5,
        rest.submit(
            new RestSubmission(
                "n", "#!/bin/sh\n", "/tmp", Map.of("A", "ä"), Map.of(), 1, Optional.empty())));
    assertTrue(requests.get(1).contains("\"environment\":{\"A\":\"ä\"}"), requests.get(1));
    assertTrue(requests.get(1).contains("application/json"), requests.get(1));
  }

  @Test
  void aCutOffAnswerIsNoAnswer() throws SlurmRestException {
    SlurmRest rest = connect();
    for (int i = 0; i < 3; i++) {
      answers.add("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"nodes\":[]}");
    }

    SlurmRestException e = assertThrows(SlurmRestException.class, rest::nodes);

    assertEquals(Kind.MALFORMED, e.kind(), e.getMessage());
    assertTrue(e.getMessage().contains("broke off"), e.getMessage());
  }

  @Test
  void whoNeverAnswersIsNotWaitedForForever() throws SlurmRestException {
    SlurmRest rest = connectWithAShortLimit();

    SlurmRestException e = assertThrows(SlurmRestException.class, rest::nodes);

    assertEquals(Kind.TIMED_OUT, e.kind(), e.getMessage());
  }

  @Test
  void errorsAreSaid() throws SlurmRestException {
    SlurmRest rest = connect();
    answers.add(
        "HTTP/1.1 500 INTERNAL ERROR\r\nContent-Length: 44\r\n\r\n"
            + "{\"errors\":[{\"error\":\"so it is\",\"errno\":12}]}");

    SlurmRestException e = assertThrows(SlurmRestException.class, () -> rest.node("n1"));

    assertTrue(e.getMessage().contains("so it is (12)"), e.getMessage());
  }
}
