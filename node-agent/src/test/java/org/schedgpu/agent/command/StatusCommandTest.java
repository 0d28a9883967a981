package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.query.QueryServer;

/** {@code schedgpu status} with an agent that the test provides, and no region. */
class StatusCommandTest {
  @TempDir(factory = SharedMemoryDir.class)
  Path runDir;

  private final List<Object> askedForJson = new ArrayList<>();
  private QueryServer agent;
  private boolean sound = true;

  @BeforeEach
  void startAgent() {
    RealLibrary.require();
    agent =
        new QueryServer(
            QueryClient.socket(runDir),
            Map.of("status", (arguments, viewer) -> status(arguments)),
            uid -> new Principal(uid, true));
  }

  @AfterEach
  void endAgent() {
    if (agent != null) {
      agent.close();
    }
  }

  private PrintedAnswer status(Map<String, Object> arguments) {
    askedForJson.add(arguments.get("json"));
    return new PrintedAnswer(sound, text -> text.write("all is well\n"));
  }

  private Cli status(String... options) {
    List<String> words = new ArrayList<>(List.of("status", "--run-dir", runDir.toString()));
    words.addAll(List.of(options));
    return Cli.run(words.toArray(String[]::new));
  }

  @Test
  void whatTheAgentAnswersIsPrinted() {
    assertEquals(new Cli(ExitCode.OK, "all is well\n", ""), status());
    assertEquals(new Cli(ExitCode.OK, "all is well\n", ""), status("--json"));
    assertEquals(List.of(false, true), askedForJson);
  }

  @Test
  void damageIsToldByTheExitCode() {
    sound = false;
    assertEquals(new Cli(ExitCode.FAILED, "all is well\n", ""), status());
  }

  @Test
  void theRunDirectoryIsThatOfTheConfiguration() throws Exception {
    Path conf = Files.writeString(runDir.resolve("schedgpu.conf"), "RunDir=" + runDir + "\n");

    assertEquals(
        new Cli(ExitCode.OK, "all is well\n", ""), Cli.run("status", "--conf", conf.toString()));
  }

  @Test
  void whereNobodyAnswersTheRegionIsRead() {
    agent.close();

    Cli told = status();

    assertEquals(ExitCode.NO_REGION, told.exitCode(), told::toString);
    assertEquals("", told.out());
    assertEquals(List.of(), askedForJson);
  }
}
