package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.query.QueryServer;

/** A status that is asked for before the command line is parsed, of an agent of the test. */
class PromptStatusTest {
  @TempDir(factory = SharedMemoryDir.class)
  Path runDir;

  private final List<Map<String, Object>> asked = new ArrayList<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private QueryServer agent;
  private boolean sound = true;

  @BeforeEach
  void startAgent() {
    agent =
        new QueryServer(
            QueryClient.socket(runDir),
            Map.of("status", (arguments, viewer) -> status(arguments)),
            uid -> new Principal(uid, true));
  }

  @AfterEach
  void endAgent() {
    agent.close();
  }

  private PrintedAnswer status(Map<String, Object> arguments) {
    asked.add(arguments);
    return new PrintedAnswer(sound, text -> text.write("all is well\n"));
  }

  private OptionalInt print(Map<String, String> environment, String... args) {
    return new PromptStatus(environment).print(List.of(args), out);
  }

  private OptionalInt print(String... args) {
    return print(Map.of("SCHEDGPU_RUN_DIR", runDir.toString()), args);
  }

  @Test
  void whatTheAgentAnswersIsPrinted() {
    assertEquals(OptionalInt.of(ExitCode.OK), print("status"));
    assertEquals("all is well\n", out.toString(StandardCharsets.UTF_8));
    assertEquals(OptionalInt.of(ExitCode.OK), print("status", "--json"));
    assertEquals(List.of(false, true), asked.stream().map(given -> given.get("json")).toList());
  }

  @Test
  void damageIsToldByTheExitCode() {
    sound = false;
    assertEquals(OptionalInt.of(ExitCode.FAILED), print("status"));
  }

  @Test
  void whatElseIsSaidIsParsedFirst() {
    for (List<String> args :
        List.of(
            List.<String>of(),
            List.of("jobs"),
            List.of("status", "--help"),
            List.of("status", "--json", "--run-dir", "/x"),
            List.of("--json", "status"))) {
      assertEquals(OptionalInt.empty(), print(args.toArray(String[]::new)), args::toString);
    }
    assertEquals(List.of(), asked);
  }

  @Test
  void whereNobodyAnswersNothingIsPrinted() throws Exception {
    agent.close();
    assertEquals(OptionalInt.empty(), print("status"));
    Path wrong = Files.writeString(runDir.resolve("schedgpu.conf"), "RunDir\n");
    Map<String, String> slurm = Map.of("SLURM_CONF", wrong.resolveSibling("slurm.conf").toString());
    assertEquals(OptionalInt.empty(), print(slurm, "status"));
    assertEquals("", out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void theRunDirectoryIsThatOfTheConfiguration() throws Exception {
    Path conf = Files.writeString(runDir.resolve("schedgpu.conf"), "RunDir=" + runDir + "\n");
    Map<String, String> slurm = Map.of("SLURM_CONF", conf.resolveSibling("slurm.conf").toString());
    assertEquals(OptionalInt.of(ExitCode.OK), print(slurm, "status"));
    assertEquals(1, asked.size());
  }

  @Test
  void oneThatWasSilentIsNotAskedAgain() {
    PromptStatus prompt = new PromptStatus(Map.of());
    assertEquals(Optional.empty(), prompt.ask(runDir.resolve("nothing"), Map.of()));
    assertEquals(Optional.empty(), prompt.ask(runDir, Map.of()));
    assertEquals(List.of(), asked);
  }
}
