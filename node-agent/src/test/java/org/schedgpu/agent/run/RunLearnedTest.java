package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
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
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.query.QueryTask;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.server.SocketServer;

/**
 * {@code schedgpu run} with DefaultMem=learned, and an agent with answers that the test chooses.
 */
class RunLearnedTest {
  private static final long MIB = 1L << 20;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final List<Map<String, Object>> asked = new ArrayList<>();
  private TestNode node;
  private SocketServer agent;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    node.configure("DefaultMem=learned,3G\n");
    node.makeRegion();
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (agent != null) {
      agent.close();
    }
    if (node != null) {
      node.close();
    }
  }

  private void answering(Question suggest) {
    agent =
        QueryTask.serve(
            QueryClient.socket(node.runDir()),
            Map.of("learned", suggest),
            uid -> new Principal(uid, true));
  }

  private Object answer(Map<String, Object> arguments, Principal viewer) {
    asked.add(arguments);
    return Map.of("suggestedBytes", 768 * MIB, "persistentBytes", 256 * MIB);
  }

  private Cli run(String... options) {
    List<String> words = new ArrayList<>(List.of("run", "--conf", node.conf().toString()));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "sh", "-c", "exit 5"));
    return Cli.run(words.toArray(new String[0]));
  }

  @Test
  void theUserIsReportedWhatHeGets() {
    answering(this::answer);

    Cli cli = run();

    assertEquals(
        new Cli(
            5,
            "",
            "schedgpu: no --mem: 768 MiB, as earlier runs of sh needed; for more it waits\n"),
        cli);
    assertEquals("sh", asked.get(0).get("name"));
  }

  /** A longer name is found by the part that the region, and so the history, keeps. */
  @Test
  void aNameIsLookedForAsItIsKept() throws IOException {
    answering(this::answer);
    String name = "a\"\\\u0001" + "\u00e4".repeat(40);
    Path program = Files.createSymbolicLink(folder.resolve(name), Path.of("/bin/true"));

    Cli.run("run", "--conf", node.conf().toString(), "--", program.toString());

    assertEquals("a\"\\_" + "\u00e4".repeat(29), asked.get(0).get("name"));
  }

  @Test
  void whoNamesABudgetIsNotReported() {
    answering(this::answer);

    assertEquals(new Cli(5, "", ""), run("--mem", "1G"));
    assertEquals(List.of(), asked);
  }

  @Test
  void aLaneJobKeepsWhatItKeptBefore() {
    answering(this::answer);

    assertEquals(
        new Cli(
            5,
            "",
            "schedgpu: no --persistent: 256 MiB, as earlier runs of sh kept between iterations\n"),
        run("--lane=fair", "--mem", "1G"));
    assertEquals(new Cli(5, "", ""), run("--lane=fair", "--mem", "1G", "--persistent", "128M"));
  }

  @Test
  void aLaneJobIsToldThatNobodyMeasuresIt() {
    assertEquals(
        new Cli(
            5,
            "",
            "schedgpu: no --persistent, and no agent answers, which measures what the job keeps:"
                + " taken as nothing\n"),
        run("--lane=fair", "--mem", "1G"));
    assertEquals(new Cli(5, "", ""), run("--lane=fair", "--mem", "1G", "--persistent", "128M"));
    answering((arguments, viewer) -> Map.of("suggestedBytes", 0, "persistentBytes", 0));
    assertEquals(new Cli(5, "", ""), run("--lane=fair", "--mem", "1G"));
  }

  @Test
  void anAgentThatKnowsNothingOrRefusesOrIsNotThereChangesNothing() {
    assertEquals(new Cli(5, "", ""), run());
    answering((arguments, viewer) -> Map.of("suggestedBytes", 0));
    assertEquals(new Cli(5, "", ""), run());
    agent.close();
    answering(
        (arguments, viewer) -> {
          throw new AgentException("not now");
        });
    assertEquals(new Cli(5, "", ""), run());
  }
}
