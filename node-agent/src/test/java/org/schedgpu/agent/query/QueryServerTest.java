package org.schedgpu.agent.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.server.SocketServer;
import org.schedgpu.agent.text.JsonValues;
import org.schedgpu.jna.Posix;

/** The socket, with clients of all kinds. */
class QueryServerTest {
  private static final int USER = 54322;

  /** A user id of a rootless container of that user. */
  private static final int SUBORDINATE = 54323;

  private static final int OTHER_USER = 54324;
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int LARGE = 1 << 20;
  private static final int REQUESTS = 300;
  private static final String SOUND = "{\"version\":1,\"sound\":true}\n";

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private Path socket;
  private SocketServer server;
  private final AtomicInteger sleeps = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  @BeforeEach
  void openFolder() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    socket = QueryClient.socket(folder);
  }

  @AfterEach
  void end() {
    over.countDown();
    if (server != null) {
      server.close();
    }
  }

  private static Question longOne(Question question) {
    return new Question() {
      @Override
      public Object answer(Map<String, Object> arguments, Principal viewer) {
        return question.answer(arguments, viewer);
      }

      @Override
      public boolean isLong() {
        return true;
      }
    };
  }

  private Object sleep(Map<String, Object> arguments, Principal viewer) {
    sleeps.incrementAndGet();
    try {
      begun.countDown();
      over.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    return Map.of();
  }

  private void serve(int connections, long patienceNs) {
    Map<String, Question> questions = new LinkedHashMap<>();
    questions.put("who", (arguments, viewer) -> Map.of("uid", viewer.uid()));
    questions.put("echo", (arguments, viewer) -> arguments);
    questions.put(
        "text",
        (arguments, viewer) ->
            Map.of("text", "x".repeat((int) new Arguments(arguments).number("n", 1, 0, 1 << 24))));
    questions.put(
        "print",
        (arguments, viewer) ->
            new PrintedAnswer(
                new Arguments(arguments).flag("sound"),
                out -> out.write("{\n  \"user\": " + viewer.uid() + "\n}\u20ac\n")));
    questions.put("sleep", longOne(this::sleep));
    questions.put("turn", longOne((arguments, viewer) -> Map.of("before", sleeps.get())));
    questions.put(
        "fail",
        (arguments, viewer) -> {
          throw new IllegalStateException("a defect of the test");
        });
    server =
        QueryTask.serve(
            socket,
            questions,
            uid -> new Principal(uid, true),
            uid -> uid == SUBORDINATE ? USER : uid,
            new SocketServer.Limits(connections, 3, patienceNs, 4 << 20));
  }

  private void serve() {
    serve(64, LONG_NS);
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(socket));
  }

  private static void send(SocketChannel channel, String text) throws IOException {
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String receive(SocketChannel channel) throws IOException {
    return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
  }

  /** The answer to arbitrary bytes. */
  private String exchange(String request) throws IOException {
    try (SocketChannel channel = connect()) {
      send(channel, request);
      channel.shutdownOutput();
      return receive(channel);
    }
  }

  private static String error(String answer) throws IOException {
    return (String) JsonValues.object(answer).get("error");
  }

  /** A Python program of another user, with a {@code connect()}. */
  private Process asUser(String script) throws IOException {
    return asUser(USER, script);
  }

  private Process asUser(int uid, String script) throws IOException {
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "other users are needed");
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "Python is needed");
    String connect =
        """
        import socket
        def connect():
          s = socket.socket(socket.AF_UNIX)
          s.connect('%s')
          return s
        """
            .formatted(socket);
    return new ProcessBuilder(
            "setpriv",
            "--reuid=" + uid,
            "--regid=" + uid,
            "--clear-groups",
            "/usr/bin/python3",
            "-c",
            connect + script)
        .redirectErrorStream(true)
        .start();
  }

  @Test
  void whoAsksIsReportedByTheKernel() {
    serve();
    assertEquals(
        Optional.of(Map.of("uid", (long) Posix.effectiveUid())),
        QueryClient.ask(folder, "who", Map.of("uid", 4711)));
  }

  @Test
  void everybodyMayConnect() throws IOException {
    serve();
    assertEquals("rw-rw-rw-", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
  }

  @Test
  void anAnswerHasWhatWasSaid() {
    serve();
    Map<String, Object> said = new LinkedHashMap<>();
    said.put("text", "a \"quoted\" \u00e4\u20ac \n line");
    said.put("number", Long.MIN_VALUE);
    said.put("fraction", 0.5);
    said.put("list", List.of(1L, List.of(), Map.of("a", true)));
    said.put("nothing", null);
    Map<String, Object> heard = QueryClient.ask(folder, "echo", said).orElseThrow();
    assertEquals(1L, heard.remove("version"));
    assertEquals("echo", heard.remove("ask"));
    assertEquals(said, heard);
  }

  private static String text(PrintedAnswer printed) throws IOException {
    StringWriter text = new StringWriter();
    printed.text().writeTo(text);
    return text.toString();
  }

  @Test
  void whatIsPrintedComesAsItIs() throws IOException {
    serve();
    String text = "{\n  \"user\": " + Posix.effectiveUid() + "\n}\u20ac\n";
    PrintedAnswer sound =
        QueryClient.askPrinted(folder, "print", Map.of("sound", true)).orElseThrow();
    assertEquals(text, text(sound));
    assertTrue(sound.sound());
    PrintedAnswer damaged = QueryClient.askPrinted(folder, "print", Map.of()).orElseThrow();
    assertEquals(text, text(damaged));
    assertFalse(damaged.sound());
    assertEquals(
        "{\"version\":1,\"sound\":false}\n" + text + "\0",
        exchange("{\"version\":1,\"ask\":\"print\"}\n"));
  }

  @Test
  void anAnswerThatIsCutOffIsNotPrinted() throws Exception {
    try (ServerSocketChannel agent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      agent.bind(UnixDomainSocketAddress.of(socket));
      for (String cut :
          List.of("", "{\"version\":1", "{\"version\":1,\"sound\":true}\n", SOUND + "half")) {
        Thread answers = new Thread(() -> answer(agent, cut));
        answers.start();
        assertThrows(
            AgentException.class, () -> QueryClient.askPrinted(folder, "print", Map.of()), cut);
        answers.join();
      }
      Thread answers = new Thread(() -> answer(agent, SOUND + "all\0"));
      answers.start();
      assertEquals("all", text(QueryClient.askPrinted(folder, "print", Map.of()).orElseThrow()));
      answers.join();
    }
  }

  private static void answer(ServerSocketChannel agent, String text) {
    try (SocketChannel asked = agent.accept()) {
      asked.read(ByteBuffer.allocate(4096));
      send(asked, text);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Prepared by the thread that answers; a question that cannot be prepared is answered all the
   * same.
   */
  @Test
  void questionsArePreparedBeforeTheyAreAsked() {
    List<String> events = Collections.synchronizedList(new ArrayList<>());
    server =
        QueryTask.serve(
            socket,
            Map.of(
                "once",
                new Question() {
                  @Override
                  public Object answer(Map<String, Object> arguments, Principal viewer) {
                    events.add("answer " + Thread.currentThread().getName());
                    return Map.of();
                  }

                  @Override
                  public void prepare() {
                    events.add("prepare " + Thread.currentThread().getName());
                    throw new IllegalStateException("there is no region yet");
                  }
                }),
            uid -> new Principal(uid, true));
    assertTrue(QueryClient.ask(folder, "once", Map.of()).isPresent());
    assertTrue(QueryClient.ask(folder, "once", Map.of()).isPresent());
    assertEquals(
        List.of("prepare query-short", "answer query-short", "answer query-short"), events);
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    serve();
    assertEquals("the request is no JSON object in one line", error(exchange("hello\n")));
    assertEquals("the request is no JSON object in one line", error(exchange("[1]\n")));
    assertEquals(
        "the request is of version 7, the agent of 1: install schedgpu and the agent of one"
            + " version",
        error(exchange("{\"version\":7,\"ask\":\"who\"}\n")));
    assertEquals(
        "there is no question 'why': ask one of echo, fail, print, sleep, text, turn, who",
        error(exchange("{\"version\":1,\"ask\":\"why\"}\n")));
    assertEquals(
        "the argument n=-1: must be a number of 0 to 16777216",
        error(exchange("{\"version\":1,\"ask\":\"text\",\"n\":-1}\n")));
    assertEquals(
        "the argument n=x: must be a whole number",
        error(exchange("{\"version\":1,\"ask\":\"text\",\"n\":\"x\"}\n")));
    assertEquals(
        "the answer has more than 2097152 bytes: ask for less at once",
        error(exchange("{\"version\":1,\"ask\":\"text\",\"n\":5000000}\n")));
    assertEquals(
        "the request has more than 4096 bytes",
        error(exchange("{\"version\":1,\"ask\":\"" + "x".repeat(9000))));
    assertEquals(
        "the agent failed: its log says how",
        error(exchange("{\"version\":1,\"ask\":\"fail\"}\n")));
    assertEquals("", exchange("{\"version\":1,"), "half a line");
    AgentException told =
        assertThrows(AgentException.class, () -> QueryClient.ask(folder, "why", Map.of()));
    assertTrue(told.getMessage().startsWith("the agent: there is no question"));
  }

  @Test
  void deepNestingIsRefused() throws IOException {
    serve();
    assertEquals(
        "the request is no JSON object in one line",
        error(exchange("{\"a\":" + "[".repeat(3000) + "\n")));
  }

  @Test
  void aRequestMayComeInPieces() throws IOException {
    serve();
    try (SocketChannel channel = connect()) {
      for (char letter : "{\"version\":1,\"ask\":\"who\"}".toCharArray()) {
        send(channel, String.valueOf(letter));
      }
      send(
          channel,
          "\nmore"); // in one write: after the end of the line the server may answer and close
      assertTrue(receive(channel).contains("\"uid\""));
    }
  }

  /** On a busy host the client may need more time to ask than the server allows. */
  private Optional<Map<String, Object>> askAgainWhereCutOff() {
    for (int i = 0; ; i++) {
      try {
        return QueryClient.ask(folder, "who", Map.of());
      } catch (AgentException cutOff) {
        assertTrue(i < 100, cutOff.getMessage());
      }
    }
  }

  /** Clients that never ask, or never read, are cut off; meanwhile others are served. */
  @Test
  void theSlowAreCutOffAndKeepNobodyWaiting() throws IOException {
    serve(64, SHORT_NS);
    try (SocketChannel mute = connect();
        SocketChannel half = connect();
        SocketChannel deaf = connect()) {
      send(half, "{\"version\":1");
      send(deaf, "{\"version\":1,\"ask\":\"text\",\"n\":" + LARGE + "}\n");
      assertTrue(askAgainWhereCutOff().isPresent());
      assertEquals("", receive(mute));
      assertEquals("", receive(half));
      try (SocketChannel later =
          connect()) { // the time limit of the client that does not read ends after that
        assertEquals("", receive(later));
      }
      // what the kernel buffered still arrives; the rest is lost
      assertTrue(receive(deaf).length() < LARGE);
    }
  }

  @Test
  void aLongQuestionKeepsNoShortOneWaiting() throws Exception {
    serve();
    try (SocketChannel asker = connect()) {
      send(asker, "{\"version\":1,\"ask\":\"sleep\"}\n");
      begun.await();
      assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
      over.countDown();
      assertEquals("{\"version\":1,\"answer\":{}}\n", receive(asker));
    }
  }

  @Test
  void whoWaitsForOthersTooLongGetsAMessage() throws Exception {
    serve(64, SECOND_NS);
    try (SocketChannel first = connect()) {
      send(first, "{\"version\":1,\"ask\":\"sleep\"}\n");
      begun.await();
      SocketChannel second = connect();
      send(second, "{\"version\":1,\"ask\":\"sleep\"}\n");
      assertEquals(
          "the agent is busy with the questions of others: ask again later",
          error(receive(second)));
      second.close();
      over.countDown();
    }
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
  }

  /** A stopped program of the user, which never reads: others are answered. */
  @Test
  void whoDoesNotReadKeepsOnlyHimselfWaiting() throws Exception {
    serve(64, LONG_NS);
    Process user =
        asUser(
            """
            import os, signal
            deaf = [connect() for i in range(3)]
            for s in deaf:
              s.send(b'{"version":1,"ask":"text","n":2000000}\\n')
            deaf[0].recv(1)
            print('stops', flush=True)
            os.kill(os.getpid(), signal.SIGSTOP)
            """);
    try {
      assertEquals("stops", user.inputReader().readLine());
      for (int i = 0; i < 8; i++) {
        assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
      }
    } finally {
      user.destroyForcibly().waitFor();
    }
  }

  /** One user has asked three times when another asks once; the other user's turn comes second. */
  @Test
  void usersTakeTurns() throws Exception {
    serve(64, LONG_NS);
    Process user =
        asUser(
            """
            askers = [connect() for i in range(3)]
            for s in askers:
              s.send(b'{"version":1,"ask":"sleep"}\\n')
            print('asked', flush=True)
            for s in askers:
              s.recv(9999)
            """);
    assertEquals("asked", user.inputReader().readLine());
    begun.await();
    try (SocketChannel own = connect()) {
      send(own, "{\"version\":1,\"ask\":\"turn\"}\n");
      // on one connection after the other: each is read by then
      assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
      over.countDown();
      assertEquals("{\"version\":1,\"answer\":{\"before\":1}}\n", receive(own));
    }
    assertEquals(0, user.waitFor());
  }

  @Test
  void theSilentMakeRoom() throws IOException {
    serve(4, LONG_NS);
    List<SocketChannel> idle = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      idle.add(connect());
    }
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
    assertEquals("", receive(idle.get(0)));
    for (SocketChannel channel : idle) {
      channel.close();
    }
  }

  /** The first connection of all is the only one of its user. */
  @Test
  void theUserWithMostMakesRoomFirst() throws Exception {
    serve(4, LONG_NS);
    SocketChannel only = connect();
    Process user =
        asUser(
            """
            silent = [connect() for i in range(3)]
            print('connected', flush=True)
            print(silent[0].recv(1) == b'', flush=True)
            """);
    assertEquals("connected", user.inputReader().readLine());
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
    assertEquals("True", user.inputReader().readLine());
    send(only, "{\"version\":1,\"ask\":\"who\"}\n");
    assertTrue(receive(only).contains("\"uid\""));
    only.close();
    assertEquals(0, user.waitFor());
  }

  @Test
  void whoHasAskedKeepsHisPlace() throws Exception {
    serve(2, LONG_NS);
    SocketChannel asker = connect();
    send(asker, "{\"version\":1,\"ask\":\"sleep\"}\n");
    begun.await();
    SocketChannel silent = connect();
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
    assertEquals("", receive(silent));
    over.countDown();
    assertEquals("{\"version\":1,\"answer\":{}}\n", receive(asker));
    asker.close();
    silent.close();
  }

  @Test
  void moreThanThereIsRoomForWaitUntilThereIs() throws Exception {
    serve(2, LONG_NS);
    List<SocketChannel> askers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      SocketChannel asker = connect();
      send(asker, "{\"version\":1,\"ask\":\"sleep\"}\n");
      askers.add(asker);
      if (i == 0) {
        begun.await();
      }
    }
    over.countDown();
    for (SocketChannel asker : askers) {
      assertEquals("{\"version\":1,\"answer\":{}}\n", receive(asker));
      asker.close();
    }
  }

  /** The server stops making answers that nobody reads. */
  @Test
  void manyLargeAnswersAreMadeOneAfterTheOther() throws IOException {
    serve();
    List<SocketChannel> askers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      SocketChannel asker = connect();
      send(asker, "{\"version\":1,\"ask\":\"text\",\"n\":" + LARGE + "}\n");
      askers.add(asker);
    }
    for (SocketChannel asker : askers) {
      assertTrue(receive(asker).length() > LARGE);
      asker.close();
    }
  }

  @Test
  void randomRequestsAreAnsweredOrRefused() throws IOException {
    serve();
    long seed = System.nanoTime();
    System.out.println("QueryServerTest: seed " + seed);
    Random random = new Random(seed);
    String letters = "{}[]\":,\\ \tnulltrue0123456789-.eversionask\u0000\u00e4";
    for (int i = 0; i < REQUESTS; i++) {
      StringBuilder request = new StringBuilder();
      for (int n = random.nextInt(200); n > 0; n--) {
        request.append(letters.charAt(random.nextInt(letters.length())));
      }
      String answer = exchange(request.append('\n').toString());
      assertTrue(error(answer) != null, () -> request + " -> " + answer);
    }
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
  }

  @Test
  void anotherUserIsWhoHeIsAndHasFewConnections() throws Exception {
    serve();
    Process user =
        asUser(
            """
            idle = [connect() for i in range(3)]
            print(connect().recv(9999).decode(), end='')
            s = idle.pop()
            s.send(b'{"version":1,"ask":"who"}\\n')
            print(s.recv(9999).decode(), end='')
            """);
    String said = new String(user.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(
        "{\"version\":1,\"error\":\"too many questions at once: ask again later\"}\n"
            + "{\"version\":1,\"answer\":{\"uid\":"
            + USER
            + "}}\n",
        said);
    assertEquals(0, user.waitFor());
  }

  @Test
  void theUserIdsOfOneUserHaveOneShareOfConnections() throws Exception {
    serve();
    Process user =
        asUser(
            """
            import sys
            idle = [connect() for i in range(3)]
            print('has three', flush=True)
            sys.stdin.read()
            """);
    assertEquals("has three", user.inputReader().readLine());
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent()); // all are accepted by then
    String ask =
        """
        s = connect()
        s.send(b'{"version":1,"ask":"who"}\\n')
        print(s.recv(9999).decode(), end='')
        """;
    assertEquals(
        "{\"version\":1,\"error\":\"too many questions at once: ask again later\"}\n",
        new String(
            asUser(SUBORDINATE, "print(connect().recv(9999).decode(), end='')")
                .getInputStream()
                .readAllBytes(),
            StandardCharsets.UTF_8));
    assertEquals(
        "{\"version\":1,\"answer\":{\"uid\":" + OTHER_USER + "}}\n",
        new String(
            asUser(OTHER_USER, ask).getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    user.getOutputStream().close();
    assertEquals(0, user.waitFor());
  }

  @Test
  void withoutAnAgentThereIsNoAnswer() throws IOException {
    assertEquals(Optional.empty(), QueryClient.ask(folder, "who", Map.of()));
    serve();
    server.close();
    assertTrue(Files.exists(socket), "its name stays");
    assertEquals(Optional.empty(), QueryClient.ask(folder, "who", Map.of()));
    serve();
    assertTrue(QueryClient.ask(folder, "who", Map.of()).isPresent());
  }

  @Test
  void anAgentThatHangsUpIsReported() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socket));
      Thread agent =
          new Thread(
              () -> {
                try (SocketChannel accepted = other.accept()) {
                  accepted.read(ByteBuffer.allocate(1));
                } catch (IOException closed) {
                  return;
                }
              });
      agent.start();
      AgentException told =
          assertThrows(AgentException.class, () -> QueryClient.ask(folder, "who", Map.of()));
      assertTrue(told.getMessage().startsWith(socket + ": the agent does not answer ("));
      agent.join();
    }
  }
}
