package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.RunProgram;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.query.QueryTask;
import org.schedgpu.agent.server.SocketServer;
import org.schedgpu.jna.Posix;

/** {@code schedgpu status} as the native program, with an agent that the test provides. */
class StatusProgramTest {
  private static final Cli FOR_JAVA = new Cli(75, "", "");
  private static final String TEXT = "all is well: \u00e4\u20ac\n";

  @TempDir(factory = SharedMemoryDir.class)
  Path runDir;

  private final List<Map<String, Object>> asked = new ArrayList<>();
  private SocketServer agent;
  private boolean sound = true;
  private String problem = "";

  @BeforeEach
  void startAgent() {
    RealLibrary.require();
    agent =
        QueryTask.serve(
            QueryClient.socket(runDir),
            Map.of("status", (arguments, viewer) -> answer(arguments)),
            uid -> new Principal(uid, true));
  }

  @AfterEach
  void endAgent() {
    agent.close();
  }

  private PrintedAnswer answer(Map<String, Object> arguments) {
    asked.add(arguments);
    if (!problem.isEmpty()) {
      throw new AgentException(problem);
    }
    return new PrintedAnswer(sound, text -> text.write(TEXT));
  }

  private Cli status(String... options) {
    List<String> words = new ArrayList<>(List.of("status", "--run-dir", runDir.toString()));
    words.addAll(List.of(options));
    return RunProgram.status(words.toArray(String[]::new));
  }

  @Test
  void whatTheAgentAnswersIsPrinted() {
    Cli printed = new Cli(ExitCode.OK, TEXT, "");
    assertEquals(printed, status());
    assertEquals(printed, status("--json"));
    assertEquals(printed, RunProgram.status("--run-dir=" + runDir, "status"));
    assertEquals(List.of(false, true, false), asked.stream().map(a -> a.get("json")).toList());
    assertTrue(asked.stream().allMatch(a -> a.get("colour").equals(false)));
  }

  @Test
  void anAnswerOfMegabytesIsWhole() {
    agent.close();
    String large = "0123456789abcdef".repeat(1 << 16);
    agent =
        QueryTask.serve(
            QueryClient.socket(runDir),
            Map.of("status", (a, v) -> new PrintedAnswer(true, text -> text.write(large))),
            uid -> new Principal(uid, true));
    assertEquals(new Cli(ExitCode.OK, large, ""), status());
  }

  @Test
  void damageIsToldByTheExitCode() {
    sound = false;
    assertEquals(new Cli(ExitCode.FAILED, TEXT, ""), status());
  }

  @Test
  void theRunDirectoryIsThatOfTheConfiguration() throws IOException {
    Path conf = Files.writeString(runDir.resolve("schedgpu.conf"), "RunDir=" + runDir + "\n");
    for (String option : List.of("--conf", "--config")) {
      assertEquals(
          new Cli(ExitCode.OK, TEXT, ""), RunProgram.status("status", option, conf.toString()));
    }
    Files.writeString(conf, "RunDir=" + runDir + "\nNoSuchKey=1\n");
    assertEquals(FOR_JAVA, RunProgram.status("status", "--conf", conf.toString()));
  }

  @Test
  void whatIsNotUnderstoodIsForJava() {
    for (String word : List.of("--help", "-h", "--jason", "extra", "--json=yes", "--run-dir")) {
      assertEquals(FOR_JAVA, status(word), word);
    }
    assertEquals(FOR_JAVA, status("--json", "--json"));
    assertEquals(FOR_JAVA, status("--run-dir", "/tmp"));
    assertEquals(FOR_JAVA, RunProgram.status("--json", "status", "--run-dir", runDir.toString()));
    assertEquals(List.of(), asked);
  }

  @Test
  void whereNoAgentAnswersItIsForJava() {
    problem = "refused";
    assertEquals(FOR_JAVA, status());
    agent.close();
    assertEquals(FOR_JAVA, status());
    assertEquals(1, asked.size());
  }

  /** An agent that is stopped: the kernel connects, and nobody ever reads. */
  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void anAgentThatHangsIsNotWaitedFor() throws IOException {
    agent.close();
    Files.deleteIfExists(QueryClient.socket(runDir));
    try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      stopped.bind(UnixDomainSocketAddress.of(QueryClient.socket(runDir)));
      assertEquals(FOR_JAVA, status());
    }
  }

  @Test
  void whatSomebodyElseAnswersIsNotPrinted() throws IOException {
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "only root can give files away");
    for (Path given : List.of(QueryClient.socket(runDir), runDir)) {
      Files.setAttribute(given, "unix:uid", 54321);
      assertEquals(FOR_JAVA, status(), given::toString);
      Files.setAttribute(given, "unix:uid", 0);
    }
    assertEquals(ExitCode.OK, status().exitCode());
  }

  @Test
  void anAnswerThatIsCutOffIsNotPrinted() throws Exception {
    agent.close();
    Files.deleteIfExists(QueryClient.socket(runDir));
    String head = "{\"version\":1,\"sound\":true}\n";
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(QueryClient.socket(runDir)));
      for (String cut : List.of("", "{\"version\":1", head, head + "half", "all\0", "{}\nall\0")) {
        assertEquals(FOR_JAVA, answered(other, cut), cut);
      }
      assertEquals(new Cli(ExitCode.OK, "all", ""), answered(other, head + "all\0"));
      assertEquals(new Cli(ExitCode.OK, "", ""), answered(other, head + "\0"));
    }
  }

  private Cli answered(ServerSocketChannel other, String text) throws InterruptedException {
    Thread answers =
        new Thread(
            () -> {
              try (SocketChannel client = other.accept()) {
                client.read(ByteBuffer.allocate(4096));
                client.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
              } catch (IOException gone) {
                throw new UncheckedIOException(gone);
              }
            });
    answers.start();
    Cli said = status();
    answers.join();
    return said;
  }
}
