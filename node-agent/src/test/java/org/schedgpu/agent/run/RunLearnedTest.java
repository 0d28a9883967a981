package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
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
import org.schedgpu.agent.sight.Question;
import org.schedgpu.agent.sight.SightClient;
import org.schedgpu.agent.sight.SightServer;
import org.schedgpu.agent.sight.Viewer;
import org.schedgpu.jna.Posix;

/** {@code schedgpu run} with DefaultMem=learned, and an agent that answers what it is told to. */
class RunLearnedTest {
  private static final long MIB = 1L << 20;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final List<Map<String, Object>> asked = new ArrayList<>();
  private TestNode node;
  private SightServer agent;

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
        new SightServer(
            SightClient.socket(node.runDir()),
            Map.of("suggest", suggest),
            uid -> new Viewer(uid, true));
  }

  private Object answer(Map<String, Object> arguments, Viewer viewer) {
    asked.add(arguments);
    long uid = Integer.toUnsignedLong(viewer.uid());
    return Map.of(
        "suggestions",
        List.of(
            Map.of("uid", uid + 1, "name", "sh", "suggestedBytes", 512 * MIB),
            Map.of("uid", uid, "name", "sh is another", "suggestedBytes", 512 * MIB),
            Map.of("uid", uid, "name", "sh", "suggestedBytes", 768 * MIB)));
  }

  private Cli run(String... options) {
    List<String> words = new ArrayList<>(List.of("run", "--conf", node.conf().toString()));
    words.addAll(List.of(options));
    words.addAll(List.of("--", "sh", "-c", "exit 5"));
    return Cli.run(words.toArray(new String[0]));
  }

  @Test
  void theUserIsToldWhatHeGets() {
    answering(this::answer);

    Cli cli = run();

    assertEquals(
        new Cli(
            5,
            "",
            "schedgpu: no --mem: 768 MiB, as earlier runs of sh needed; for more it waits\n"),
        cli);
    assertEquals("sh", asked.get(0).get("name"));
    assertEquals(Integer.toUnsignedLong(Posix.effectiveUid()), asked.get(0).get("uid"));
  }

  /** A longer one is found by what the region, and so the history, has of it. */
  @Test
  void aNameIsLookedForAsItIsKept() {
    answering(this::answer);

    LearnedBudget.of(node.runDir(), "a\u001b" + "\u00e4".repeat(40));

    assertEquals("a?" + "\u00e4".repeat(30), asked.get(0).get("name"));
  }

  @Test
  void whoNamesABudgetIsNotTold() {
    answering(this::answer);

    assertEquals(new Cli(5, "", ""), run("--mem", "1G"));
    assertEquals(List.of(), asked);
  }

  @Test
  void anAgentThatKnowsNothingOrRefusesOrIsNotThereChangesNothing() {
    assertEquals(new Cli(5, "", ""), run());
    answering((arguments, viewer) -> Map.of("suggestions", List.of()));
    assertEquals(new Cli(5, "", ""), run());
    agent.close();
    answering(
        (arguments, viewer) -> {
          throw new AgentException("not now");
        });
    assertEquals(new Cli(5, "", ""), run());
  }
}
