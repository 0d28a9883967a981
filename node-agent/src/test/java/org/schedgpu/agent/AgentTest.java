package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/** The daemon as a process, with its own region. */
class AgentTest {
  private static final long GIB = 1L << 30;
  private static final int LIVES = 3;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path log;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    log = folder.resolve("log");
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  @Test
  void itMakesTheRegionIsAloneReloadsAndEnds() throws Exception {
    Process agent = node.startAgent(log);
    TestNode.await(log, "ready: process " + agent.pid(), 1, agent);
    assertEquals(1, node.snapshot().devices().size());

    Path second = folder.resolve("second");
    assertEquals(1, node.startAgent(second).waitFor());
    assertEquals(
        "schedgpu: %s: an agent looks after it already, process %d: end that one first\n"
            .formatted(node.runDir(), agent.pid()),
        Files.readString(second));
    assertTrue(doctor().contains(" agent    runs, pid " + agent.pid() + "\n"), this::doctor);

    node.configure("LogLevel=debug\nOverrunAcion=warn\n");
    hangUp(agent);
    TestNode.await(log, node.conf() + ":4: unknown key 'OverrunAcion'", 1, agent);
    TestNode.await(log, "the configuration is kept as it was", 1, agent);
    node.configure("OverrunAction=leave\nMetricsListen=" + folder.resolve("m.sock") + "\n");
    hangUp(agent);
    TestNode.await(log, "configuration read again", 1, agent);
    TestNode.await(log, "metrics at " + folder.resolve("m.sock"), 1, agent);

    agent.destroy();
    assertEquals(0, agent.waitFor());
    assertTrue(doctor().contains("ok    agent    no agent runs: "), this::doctor);
  }

  /**
   * A region from before an update is in use: the agent stays, and replaces it after the last
   * process.
   */
  @Test
  void itTakesOverWhenTheLastProcessOfAnotherLayoutIsGone() throws Exception {
    node.makeRegion();
    Process agent;
    try (SchedGpu user = SchedGpu.open(node.runDir())) {
      assertEquals(0, user.snapshot().jobs().size());
      Path file = node.runDir().resolve("region");
      String text = Files.readString(file);
      Files.writeString(file, text.replaceFirst("^schedgpu region [0-9]+", "schedgpu region 4"));
      agent = node.startAgent(log);
      TestNode.await(log, "1 process uses a region of layout 4", 1, agent);
      TestNode.await(log, "ready: process " + agent.pid(), 1, agent);
    }
    TestNode.await(log, "replaced a region of layout 4", 1, agent);
    assertEquals(1, node.snapshot().devices().size());
    agent.destroy();
    assertEquals(0, agent.waitFor());
    assertFalse(Files.readString(log).contains("defect"), () -> "a defect was logged");
  }

  private String doctor() {
    return Cli.run("doctor", "--config", node.conf().toString()).out();
  }

  private static void hangUp(Process agent) throws Exception {
    assertEquals(
        0, new ProcessBuilder("kill", "-HUP", Long.toString(agent.pid())).start().waitFor());
  }

  /** The next agent cleans up this agent's record and unfinished work. */
  @Test
  void killedAgainAndAgainItLosesNothing() throws Exception {
    node.makeRegion();
    Path held = folder.resolve("held");
    Process holder = node.startHolder(held, "10G");
    TestNode.await(held, "holds", 1, holder);
    for (int life = 1; life <= LIVES; life++) {
      Process agent = node.startAgent(log);
      TestNode.await(log, "ready: process " + agent.pid(), 1, agent);
      TestNode.await(log, "found job=run:" + holder.pid(), life, agent);
      agent.destroyForcibly().waitFor();
    }
    RegionSnapshot after = node.snapshot();
    assertEquals(1, after.jobs().size());
    assertEquals(10 * GIB, after.jobs().get(0).heldBytes().get(0));
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      assertEquals(java.util.Optional.empty(), region.check());
    }
    Process agent = node.startAgent(log);
    TestNode.await(log, "ready: process " + agent.pid(), 1, agent);
    holder.destroyForcibly().waitFor(); // no other process is there to notice
    TestNode.await(log, " jobs=1 bytes=", 1, agent); // perhaps with the state of the earlier agent
    TestNode.await(log, "end job=run:" + holder.pid(), 1, agent);
    assertEquals(0, node.snapshot().jobs().size());
  }

  @Test
  void aRegionThatWasRemovedIsMadeAgain() throws Exception {
    node.configure("CheckEvery=1h\n");
    Process agent = node.startAgent(log);
    TestNode.await(log, "ready: process", 1, agent);
    assertTrue(SchedGpu.remove(node.runDir(), true));
    TestNode.await(log, node.runDir() + ": ready, 1 device", 2, agent);
    assertEquals(1, node.snapshot().devices().size());
  }

  @Test
  void theConfigurationCanBeCheckedWithoutAnAgent() throws IOException {
    String conf = node.conf().toString();
    Path devices = folder.resolve("devices.conf");
    assertEquals(
        new Cli(0, conf + ": right\n" + devices + ": right, 1 device of node n\n", ""),
        Cli.run("agent", "--config", conf, "--check-config", "--node", "n"));
    assertEquals(
        new Cli(0, conf + ": right\n" + devices + ": right, but has no device of node m\n", ""),
        Cli.run("agent", "--config", conf, "--check-config", "--node", "m"));
    node.configure("OverrunAction=kill\nWat=1\n");
    Cli wrong = Cli.run("agent", "--config", conf, "--check-config");
    assertEquals(78, wrong.exitCode());
    assertEquals(
        "schedgpu: %s:3: OverrunAction=kill: must be leave, warn or end\nschedgpu: %s:4: unknown key 'Wat': did you mean Wait?\n"
            .formatted(conf, conf),
        wrong.err());
    assertEquals(wrong, Cli.run("agent", "--config", conf)); // systemd must not try again
    assertEquals(2, Cli.run("agent", "--chek-config").exitCode());
    assertFalse(Files.exists(node.runDir()));
  }
}
