package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.RestController;
import org.schedgpu.gres.live.ScontrolController;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;
import org.schedgpu.rest.SlurmRestAddress;
import picocli.CommandLine;

/** {@code schedgpu gres verify} beside a real Slurm with two nodes of two fake devices. */
class VerifyCommandTest {
  private static final String PREFIX = MiniCluster.freshNodePrefix();
  private static final String ONE = PREFIX + "1";
  private static final String TWO = PREFIX + "2";
  private static final int SHARES = 3;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir static Path folder;
  private static MiniCluster cluster;
  private static Path etc;
  private static Path plan;

  @BeforeAll
  static void start() throws IOException {
    List<String> missing = new ArrayList<>(Requirements.missingForRest());
    missing.addAll(Requirements.missingForFakeDevices());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    MiniClusterBuilder builder = MiniCluster.builder();
    etc = builder.paths().etc();
    Path dev = builder.paths().devices();
    plan = planOf(etc, dev, SHARES, List.of(0, 1), List.of(ONE, TWO));
    JsonNode files = new ObjectMapper().readTree(plan.toFile()).path("files");
    cluster =
        builder
            .nodes(NodeSpec.numbered(PREFIX, 2, 8, 1000, "gpu:fake:" + 2 * SHARES))
            .gresConf(files.path("gres.conf").asText())
            .fakeDevices(2)
            .rest()
            // Otherwise a node that a test sets down returns at the next registration of its
            // slurmd.
            .slurmConf("ReturnToService=1")
            .start();
    for (String name : List.of("devices.conf", "slurm-schedgpu.conf")) {
      Files.writeString(etc.resolve(name), files.path(name).asText());
    }
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** What {@code plan --json} prints; device i is device file {@code minors.get(i)}. */
  private static Path planOf(
      Path to, Path dev, int shares, List<Integer> minors, List<String> nodes) {
    List<String> words = new ArrayList<>(List.of("gres", "plan", "--type", "fake", "--json"));
    words.addAll(List.of("--per-gpu", "" + shares, "--output", to.toString(), "--dry-run"));
    try {
      for (String node : nodes) {
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < minors.size(); i++) {
          devices.add(
              new Device(
                  i,
                  "GPU-" + i,
                  dev.resolve("nvidia" + minors.get(i)).toString(),
                  1L << 32,
                  0,
                  0,
                  "F"));
        }
        Path facts = folder.resolve(node + ".json");
        Files.writeString(facts, new NodeFacts(node, 8, devices).toJson());
        words.addAll(List.of("--facts", facts.toString()));
      }
      CommandMain.Result result = CommandMain.run(words.toArray(String[]::new));
      assertEquals(0, result.exitCode(), result.err());
      return Files.writeString(Files.createTempFile(folder, "plan", ".json"), result.out());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path otherPlan(int shares, List<Integer> minors, String... nodes) {
    return planOf(etc, cluster.paths().devices(), shares, minors, List.of(nodes));
  }

  private static Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("SLURM_CONF", cluster.paths().slurmConf().toString());
    return environment;
  }

  private static CommandMain.Result verify(String... words) {
    return verify(environment(), words);
  }

  private static CommandMain.Result verify(Map<String, String> environment, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new VerifyCommand(environment))
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(words);
    return new CommandMain.Result(exitCode, out.toString(), err.toString());
  }

  private static CommandMain.Result verifyPlan(Path planFile, String... more) {
    return verify(
        Stream.concat(Stream.of("--plan", planFile.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  /** Checks the exit code and these parts; line breaks at 80 columns do not matter. */
  private static void assertSays(int exitCode, CommandMain.Result result, String... parts) {
    String text = (result.out() + result.err()).replaceAll("\\s+", " ");
    assertEquals(exitCode, result.exitCode(), text);
    for (String part : parts) {
      assertTrue(text.contains(part), () -> part + " is not in " + text);
    }
    result
        .out()
        .lines()
        .filter(line -> line.contains(" "))
        .forEach(line -> assertTrue(line.length() <= 80 || line.contains("/"), line));
  }

  @Test
  void aClusterThatIsAsPlanned() throws IOException {
    awaitIdle();
    String both = PREFIX + "[1-2]";
    assertSays(0, verifyPlan(plan), both + " gpu:fake:6 gpu:fake:6 IDLE right", "all is right: 2");
    assertSays(0, verify(), both, "all is right: 2 nodes, files in " + etc + ", asked scontrol");
    String rest = "unix:" + cluster.paths().restSocket();
    assertSays(0, verifyPlan(plan, "--rest", rest), both, "asked slurmrestd at " + rest + " v0.0.");

    JsonNode json = new ObjectMapper().readTree(verifyPlan(plan, "--json").out());
    assertTrue(json.path("right").asBoolean(), json::toPrettyString);
    assertEquals("gpu:fake:6", json.path("nodes").get(1).path("gresBelieved").asText());
  }

  @Test
  void theCommandsOfThePageWork() throws IOException {
    String prompt = "$ schedgpu gres verify ";
    List<String> commands =
        Files.readAllLines(Path.of("../docs/reference/gres-verify.md")).stream()
            .filter(line -> line.startsWith(prompt))
            .map(line -> line.substring(prompt.length()).replace("plan.json", plan.toString()))
            .map(line -> line.contains("--run-job") ? line + " --wait 300 --limit 300" : line)
            .toList();
    assertEquals(3, commands.size());
    awaitIdle();
    for (String command : commands) {
      assertSays(0, verify(command.split(" ", -1)));
    }
  }

  @Test
  void scontrolAndSlurmrestdSayTheSame() throws InterruptedException {
    awaitQueue("");
    ScontrolController scontrol = new ScontrolController(environment());
    RestController rest =
        RestController.connect(SlurmRestAddress.socket(cluster.paths().restSocket()));
    long running = cluster.sbatch("-J", "x|9|y", "--gpus=1", "--wrap", "sleep 1000");
    long pending = cluster.sbatch("--gres=gpu:fake:1", "-H", "--wrap", "sleep 1000");
    awaitQueue(pending + " PD\n" + running + " R\n");
    scontrol.drain(ONE, "looked at [by] a=b State=IDLE");
    try {
      // The two questions are not asked at the same moment, so the test waits until they agree.
      String apart = "not asked";
      for (int i = 0; i < 100 && !apart.isEmpty(); i++) {
        List<String> one = told(scontrol);
        List<String> other = told(rest);
        apart = one.equals(other) ? "" : one + " is not " + other;
      }
      assertEquals("", apart);
      assertEquals("looked at [by] a=b State=IDLE", scontrol.nodes().get(0).reason());
      assertTrue(scontrol.nodes().get(0).is("DRAIN"));
      assertEquals(
          Set.of(running, pending),
          rest.jobs().stream().map(LiveJob::id).collect(Collectors.toSet()));
      assertEquals(
          scontrol.jobs().stream().filter(j -> j.id() == pending).toList(),
          rest.jobs().stream().filter(j -> j.id() == pending).toList());
      assertTrue(scontrol.jobs().stream().allMatch(LiveJob::usesGpu));
    } finally {
      scontrol.resume(ONE);
      end(running, pending);
      awaitIdle();
    }
    assertFalse(scontrol.nodes().get(0).is("DRAIN"));
  }

  private static List<String> told(Controller controller) {
    return controller.nodes().stream()
        .map(n -> n.name() + n.states() + n.reason() + n.cpus())
        .toList();
  }

  private static void end(Long... jobs) {
    List.of(jobs).forEach(id -> cluster.as("root").scancel(Long.toString(id)));
    cluster.awaitJobs(List.of(jobs), LIMIT);
  }

  @Test
  void anotherCountIsSaidWithWhatToDo() {
    assertSays(
        1,
        verifyPlan(otherPlan(SHARES - 1, List.of(0, 1), ONE, TWO)),
        "slurmctld has gpu:fake:6, not gpu:fake:4: put Gres=gpu:fake:4 into slurm.conf",
        etc + "/gres.conf is not that of the plan",
        "NOT right: 2 of 2 nodes");
  }

  @Test
  void aNodeThatIsNotThere() {
    assertSays(
        1,
        verifyPlan(otherPlan(SHARES, List.of(0, 1), ONE, TWO, PREFIX + "7")),
        PREFIX + "7 gpu:fake:6 - - NOT",
        PREFIX + "7: slurmctld has no such node");
  }

  @Test
  void drainedAndDown() {
    cluster.scontrol("update", "nodename=" + ONE, "state=drain", "reason=bad fan").orThrow();
    cluster.scontrol("update", "nodename=" + TWO, "state=down", "reason=burnt").orThrow();
    try {
      assertSays(
          1,
          verifyPlan(plan),
          ONE + ": DRAIN (bad fan): when that is repaired, scontrol update nodename=" + ONE,
          TWO + ": DOWN (burnt): start slurmd there");
    } finally {
      cluster.scontrol("update", "nodename=" + ONE + "," + TWO, "state=resume").orThrow();
      awaitIdle();
    }
  }

  @Test
  void aSlurmdThatFoundLess() throws IOException {
    Path gresConf = cluster.paths().gresConf();
    String before = Files.readString(gresConf);
    assertTrue(before.contains("NodeName=" + PREFIX + "[1-2] "), before);
    Files.writeString(
        gresConf,
        before.replace(PREFIX + "[1-2] ", ONE + " ")
            + "NodeName=%s Name=gpu Type=fake File=%s/nvidia0\n"
                .formatted(TWO, cluster.paths().devices()));
    try {
      cluster.restartNode(TWO);
      awaitShown(TWO, "INVALID_REG");
      assertSays(1, verifyPlan(plan), TWO + " gpu:fake:6 gpu:fake:6 INVAL NOT", TWO + ": INVAL (");
    } finally {
      Files.writeString(gresConf, before);
      cluster.restartNode(TWO);
      awaitShown(TWO, "State=IDLE\\+DRAIN ");
      cluster.scontrol("update", "nodename=" + TWO, "state=resume").orThrow();
      awaitIdle();
    }
    assertSays(0, verifyPlan(plan));
  }

  @Test
  void filesThatWereChangedByHand() throws IOException {
    Path devices = etc.resolve("devices.conf");
    String before = Files.readString(devices);
    Files.writeString(devices, before + "# mine\n");
    try {
      assertSays(1, verifyPlan(plan), devices + " is not that of the plan", "right: 0 of 2 nodes");
    } finally {
      Files.writeString(devices, before);
    }
  }

  @Test
  void slurmctldThatDoesNotAnswerAndAnotherFolder() throws IOException {
    String conf = Files.readString(cluster.paths().slurmConf());
    Path other = Files.createDirectories(folder.resolve("other"));
    Path dead = other.resolve("slurm.conf");
    Files.writeString(
        dead, conf.replaceAll("SlurmctldPort=.*", "SlurmctldPort=1\nMessageTimeout=1"));
    Map<String, String> environment = environment();
    environment.put("SLURM_CONF", dead.toString());

    assertSays(
        1,
        verify(environment, "--plan", plan.toString()),
        "slurmctld was not asked: scontrol says: slurm_load_node error: Unable to contact slurm",
        ONE + " gpu:fake:6 - - NOT");
    assertSays(
        1,
        verifyPlan(plan, "--folder", other.toString()),
        "slurmctld reads " + cluster.paths().slurmConf() + ", not " + dead,
        other + "/gres.conf is not there");
  }

  @Test
  void aUserWhoMayNotChangeNodesGetsAMessage() throws IOException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path scontrol = bin.resolve("scontrol");
    Files.writeString(
        scontrol, "#!/bin/sh\nexec /usr/bin/setpriv --reuid=65534 /usr/bin/scontrol \"$@\"\n");
    assertTrue(scontrol.toFile().setExecutable(true, false));
    Map<String, String> environment = environment();
    environment.put("PATH", bin + ":" + environment.get("PATH"));

    assertSays(0, verify(environment, "--plan", plan.toString()));
    Fixtures.assertRefused(
        "schedgpu gres: node %s: scontrol cannot drain it: slurm_update error: Invalid user id:"
                .formatted(ONE)
            + " only root, SlurmUser and operators may: repeat as one of them",
        () -> new ScontrolController(environment).drain(ONE, "x"));
  }

  @Test
  void jobsSeeTheirDevice() throws InterruptedException {
    awaitIdle();
    CommandMain.Result result = verifyPlan(plan, "--run-job", "--wait", "300", "--limit", "300");

    String confined = cluster.constrainsDevices() ? "all is right" : "a job is not confined";
    assertSays(0, result, confined, PREFIX + "[1-2]: CUDA_VISIBLE_DEVICES is '0', Slurm's own");
    awaitQueue("");
  }

  @Test
  void aWrongMappingIsDetected() {
    assumeTrue(cluster.constrainsDevices(), "this host cannot constrain devices");
    Path dev = cluster.paths().devices();

    assertSays(
        1,
        verifyPlan(
            otherPlan(SHARES, List.of(1, 0), ONE),
            "--run-job",
            "--nodes",
            ONE,
            "--wait",
            "300",
            "--limit",
            "300"),
        ONE + ": virtual GPU 0 is " + dev + "/nvidia1, but its job can open " + dev + "/nvidia0");
  }

  @Test
  void aBusyNodeIsNotWaitedForAndAnInterruptedRunLeavesNoJob() throws Exception {
    long holder = cluster.sbatch("-w", ONE, "--gres=gpu:6", "--wrap", "sleep 1000");
    Process child = null;
    try {
      awaitQueue(holder + " R\n");
      assertSays(
          1,
          verifyPlan(plan, "--run-job", "--nodes", ONE, "--wait", "1"),
          ONE + ": not run: busy, a job of gpu:fake found none free");

      List<String> command =
          ChildJvm.command(
              CommandMain.class.getName(),
              "gres",
              "verify",
              "--plan",
              plan.toString(),
              "--run-job",
              "--nodes",
              ONE,
              "--wait",
              "600");
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("SLURM_CONF", cluster.paths().slurmConf().toString());
      child = builder.redirectOutput(folder.resolve("child").toFile()).start();
      awaitQueue("[0-9]+ PD\n" + holder + " R\n");
      child.destroy();
      child.waitFor();
      awaitQueue(holder + " R\n");
    } finally {
      if (child != null) {
        child.destroyForcibly();
      }
      end(holder);
    }
  }

  private static void awaitIdle() {
    cluster.awaitIdle(ONE);
    cluster.awaitIdle(TWO);
  }

  /** A slurmd answers before slurmctld has checked its registration. */
  private static void awaitShown(String node, String regex) {
    Pattern words = Pattern.compile(regex);
    long end = System.nanoTime() + LIMIT.toNanos();
    String shown = "";
    while (!words.matcher(shown).find()) {
      assertTrue(System.nanoTime() < end, shown);
      shown = cluster.scontrol("show", "node", node).stdout();
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private static void awaitQueue(String pattern) throws InterruptedException {
    String queue = "not asked";
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!queue.matches(pattern) && System.nanoTime() < end) {
      queue = cluster.squeue("-h", "-S", "-i", "-o", "%i %t").stdout();
      Thread.sleep(50);
    }
    assertTrue(queue.matches(pattern), queue);
  }

  @Test
  void wrongUsageIsAnotherExitCode() {
    assertSays(2, verifyPlan(plan, "--nodes", ONE), "need --run-job");
    assertSays(2, verifyPlan(plan, "--run-job", "--wait", "0"), "1 to 3600 seconds");
    assertSays(1, verifyPlan(plan, "--run-job", "--nodes", "nosuch"), "not in the plan");
  }
}
