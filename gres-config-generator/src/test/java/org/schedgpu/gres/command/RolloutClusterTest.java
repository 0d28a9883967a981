package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.common.Json;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.MiniClusterException;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.SlurmRelease;

/** From 2 to 12 GPUs a node and back on a real Slurm, with jobs on it. Only the GPUs are fake. */
class RolloutClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private MiniCluster cluster;
  private List<String> nodes;
  private Path etc;
  private Path end;
  private Path output;
  private final List<Process> runs = new ArrayList<>();

  @BeforeEach
  void startCluster() throws IOException {
    MiniClusterBuilder builder = MiniCluster.builder();
    List<NodeSpec> specs =
        NodeSpec.numbered(MiniCluster.freshNodePrefix(), 3, 12, 4000, "gpu:k20m:2");
    nodes = specs.stream().map(NodeSpec::name).toList();
    try {
      cluster =
          builder
              .nodes(specs)
              .fakeDevices(2)
              .constrainDevices(false)
              .restJwt()
              .gresConf(gresConf(builder.paths().devices(), 2))
              .start();
    } catch (MiniClusterException e) {
      assumeTrue(!e.getMessage().contains("this host cannot run it"), e.getMessage());
      throw e;
    }
    etc = cluster.paths().etc();
    end = cluster.paths().jobs().resolve("end");
    output = cluster.paths().files().resolve("output");
  }

  @AfterEach
  void closeCluster() {
    runs.forEach(Process::destroyForcibly);
    if (cluster != null) {
      cluster.close();
    }
  }

  private String gresConf(Path devices, int count) {
    StringBuilder lines = new StringBuilder();
    for (String node : nodes) {
      for (int i = 0; i < count; i++) {
        lines.append(line(node, devices, i * 2 / count));
      }
    }
    return lines.toString();
  }

  private static String line(String node, Path devices, int device) {
    return "NodeName=%s Name=gpu Type=k20m MultipleFiles=%2$s/nvidia%3$d,%2$s/nvidiactl%n"
        .formatted(node, devices, device);
  }

  private Path plan() throws IOException {
    return plan(
        gresConf(cluster.paths().devices(), 12),
        Files.readString(etc.resolve("slurm.conf")).replace("gpu:k20m:2", "gpu:k20m:12"),
        nodes);
  }

  private Path plan(String gresConf, String slurmConf, List<String> counted) throws IOException {
    Map<String, Object> files = new LinkedHashMap<>();
    files.put("gres.conf", gresConf);
    files.put("slurm.conf", slurmConf);
    Map<String, Object> before = new LinkedHashMap<>();
    files
        .keySet()
        .forEach(name -> before.put(name, RequestedFiles.Seen.at(etc.resolve(name)).json()));
    List<Map<String, Object>> planned = new ArrayList<>();
    counted.forEach(node -> planned.add(Map.of("nodeName", node, "gresAfter", "gpu:k20m:12")));
    Map<String, Object> root =
        Map.of("files", files, "before", before, "nodes", planned, "output", etc.toString());
    Path plan = cluster.paths().files().resolve("plan.json");
    return Files.writeString(plan, Json.write(root));
  }

  private Process start(String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("gres"));
    words.addAll(List.of(arguments));
    words.addAll(List.of("--folder", etc.toString()));
    List<String> command =
        ChildJvm.command(CommandMain.class.getName(), words.toArray(String[]::new));
    Files.deleteIfExists(output);
    // For --rest: as root, slurmrestd changes nodes only with a token.
    SlurmCommands asOperator =
        cluster.commands().with(Map.of("SLURM_JWT", cluster.restToken("root")));
    Process process =
        asOperator
            .prepare(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    runs.add(process);
    return process;
  }

  private Process rollout(String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("rollout"));
    words.addAll(List.of(arguments));
    return start(words.toArray(String[]::new));
  }

  private String said() {
    try {
      return Files.exists(output) ? Files.readString(output, StandardCharsets.UTF_8) : "";
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void await(String what, BooleanSupplier condition) throws InterruptedException {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, () -> what + "\n" + said() + situation());
      Thread.sleep(50);
    }
  }

  private String situation() {
    return cluster.squeue().stdout() + cluster.scontrol("show", "node").stdout();
  }

  private void assertEnds(int exitCode, Process process) throws InterruptedException {
    assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), () -> said() + situation());
    assertEquals(exitCode, process.exitValue(), this::said);
  }

  private void kill(Process process) throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** A job that ends when the file exists. */
  private long job(String node, String... more) throws InterruptedException {
    List<String> words = new ArrayList<>(List.of("-w", node, "-o", "/dev/null"));
    words.addAll(List.of(more));
    words.addAll(List.of("--wrap", "until [ -e " + end + " ]; do sleep 0.1; done"));
    long id = cluster.sbatch(words.toArray(String[]::new));
    await("job " + id + " runs", () -> cluster.jobState(id) == JobState.RUNNING);
    return id;
  }

  private void assertEndedByItself(long job) {
    assertEquals(Map.of(job, JobState.COMPLETED), cluster.awaitJobs(List.of(job), LIMIT));
    assertEquals("0", cluster.jobField(job, "Restarts"));
  }

  private void assertGpus(String node, int count) throws InterruptedException {
    String shown = awaitShown(node, "State=(IDLE|MIXED)(\\+PLANNED)? ");
    assertTrue(shown.contains("Gres=gpu:k20m:" + count + "\n"), shown);
    CommandResult run = cluster.srun("-w", node, "--gres=gpu:" + count, "true");
    assertTrue(run.ok(), () -> shown + run);
  }

  /**
   * The Epilog of the last job may still run, and slurmctld first checks whether a resumed node
   * answers.
   */
  private String awaitShown(String node, String regex) throws InterruptedException {
    Pattern state = Pattern.compile(regex);
    await("node " + node + " is " + regex, () -> state.matcher(shown(node)).find());
    return shown(node);
  }

  private String shown(String node) {
    return cluster.scontrol("show", "node", node).stdout();
  }

  private boolean areDrained() {
    return nodes.stream().allMatch(node -> cluster.nodeState(node).startsWith("drain"));
  }

  /**
   * The first node gets 4 GPUs, the third has its two devices in another order, and the second is
   * not planned: nothing may disturb its job.
   */
  @Test
  void throughSlurmrestdAndOnlyNodesThatChangeAreCleared() throws Exception {
    String restart = cluster.restartScript().toString();
    Path devices = cluster.paths().devices();
    String first = nodes.get(0);
    String gres = Files.readString(etc.resolve("gres.conf"));
    String moved = line(nodes.get(2), devices, 1) + line(nodes.get(2), devices, 0);
    String slurm = Files.readString(etc.resolve("slurm.conf"));
    Path plan =
        plan(
            line(first, devices, 0)
                + line(first, devices, 1)
                + gres.lines()
                    .filter(line -> !line.startsWith("NodeName=" + nodes.get(2) + " "))
                    .collect(Collectors.joining("\n", "", "\n"))
                + moved,
            slurm.replaceAll("(?m)^(NodeName=" + first + " .*)gpu:k20m:2(.*)$", "$1gpu:k20m:4$2"),
            List.of());
    long other =
        cluster.sbatch(
            "-w", nodes.get(1), "--gres=gpu:1", "-o", "/dev/null", "--wrap", "sleep 1000");
    long onMoved = job(nodes.get(2), "--gres=gpu:1");
    await("the other job runs", () -> cluster.jobState(other) == JobState.RUNNING);

    Process run =
        rollout(
            "--plan",
            plan.toString(),
            "--yes",
            "--rest",
            cluster.restUrl(),
            "--restart-slurmctld",
            restart + " slurmctld",
            "--restart-slurmd",
            restart + " %n");
    await("it waits", () -> said().contains("waiting for 1 GPU job: " + onMoved));
    Files.createFile(end);
    assertEnds(0, run);

    assertEquals(
        !SlurmRelease.installed().isAtLeast(23, 11), // v0.0.40
        said().contains(" v0.0.38 cannot change nodes: drain and resume go through"),
        said());
    assertFalse(said().contains("drained: " + nodes.get(1)), said());
    assertEndedByItself(onMoved);
    assertGpus(first, 4);
    assertGpus(nodes.get(2), 2);
    assertEquals(JobState.RUNNING, cluster.jobState(other));
    assertEquals("0", cluster.jobField(other, "Restarts"));
    Path log = cluster.paths().logs().resolve("slurmctld.log");
    // slurmctld complains about a slurmd with the old slurm.conf, and a reconfigure ends that.
    await(
        "slurmctld complains",
        () -> logged(log, "Node " + nodes.get(1) + " appears to have a different slurm.conf"));
    assertTrue(said().contains("slurm.conf of before: " + nodes.get(1) + ": restart"), said());
    cluster.scontrol("reconfigure").orThrow();
    assertGpus(first, 4);
    assertEquals(JobState.RUNNING, cluster.jobState(other));
    assertEquals("0", cluster.jobField(other, "Restarts"));
  }

  private static boolean logged(Path log, String text) {
    try {
      return Files.readString(log).contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void countsChangeAndChangeBackWithoutEndingAJob() throws Exception {
    String restart = cluster.restartScript().toString();
    String before = Files.readString(etc.resolve("slurm.conf"));
    long gpu = job(nodes.get(0), "--gres=gpu:1");
    long exclusive = job(nodes.get(1), "--exclusive");
    long cpu = cluster.sbatch("-w", nodes.get(2), "-o", "/dev/null", "--wrap", "sleep 1000");
    await("the job without GPUs runs", () -> cluster.jobState(cpu) == JobState.RUNNING);

    // Killed while it waits for the jobs.
    Process first =
        rollout(
            "--plan",
            plan().toString(),
            "--yes",
            "--restart-slurmctld",
            restart + " slurmctld",
            "--restart-slurmd",
            restart + " %n");
    await("it waits", () -> said().contains("waiting for 2 GPU jobs"));
    await("nodes are drained", this::areDrained);
    kill(first);
    assertEquals(before, Files.readString(etc.resolve("slurm.conf")));
    assertEquals(JobState.RUNNING, cluster.jobState(gpu));
    assertEquals(JobState.RUNNING, cluster.jobState(exclusive));
    Process second = start("apply", "--plan", plan().toString());
    assertEnds(1, second);
    assertTrue(said().contains(" is open (clearing): end it with"), this::said);

    // Killed during the restart of slurmctld; the restart itself continues.
    Path begun = cluster.paths().files().resolve("begun");
    Path go = cluster.paths().files().resolve("go");
    String slow =
        "touch %s; until [ -e %s ]; do sleep 0.05; done; %s slurmctld"
            .formatted(begun, go, restart);
    Process third = rollout("--continue", "--restart-slurmctld", slow);
    Files.createFile(end);
    await("slurmctld is to be restarted", () -> Files.exists(begun));
    kill(third);
    Files.createFile(go);
    assertFalse(before.equals(Files.readString(etc.resolve("slurm.conf"))));
    assertEnds(0, rollout("--status"));
    assertTrue(said().contains("restarting\nfiles: changed\n"), this::said);

    assertEnds(0, rollout("--continue", "--restart-slurmctld", restart + " slurmctld"));
    assertEndedByItself(gpu);
    assertEndedByItself(exclusive);
    for (String node : nodes) {
      assertGpus(node, 12);
    }
    assertEquals(JobState.RUNNING, cluster.jobState(cpu));

    // And back, with a node that somebody else drained.
    Files.delete(end);
    long shared = job(nodes.get(0), "--gres=gpu:3");
    String broken = nodes.get(1);
    cluster.scontrol("update", "nodename=" + broken, "state=drain", "reason=fan broken").orThrow();
    Process back =
        rollout(
            "--revert",
            "--yes",
            "--restart-slurmctld",
            restart + " slurmctld",
            "--restart-slurmd",
            restart + " %n");
    await("it waits", () -> said().contains("waiting for 1 GPU job: " + shared));
    Files.createFile(end);
    assertEnds(0, back);
    assertEndedByItself(shared);
    assertEquals(before, Files.readString(etc.resolve("slurm.conf")));
    assertGpus(nodes.get(0), 2);
    assertGpus(nodes.get(2), 2);
    String theirs = awaitShown(broken, "State=IDLE\\+DRAIN ");
    assertTrue(theirs.contains("Reason=fan broken ["), theirs);
    assertEquals(JobState.RUNNING, cluster.jobState(cpu));
    assertEquals("0", cluster.jobField(cpu, "Restarts"));
  }
}
