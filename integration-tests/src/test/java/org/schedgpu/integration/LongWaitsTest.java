package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/**
 * What the agent does in Slurm for jobs that wait for memory, on a cluster of three nodes with
 * slurmdbd, an account, a QOS and a partition that limit the time. Only the first node has memory.
 */
final class LongWaitsTest extends ClusterTest {
  private static final List<String> MOST_OF_IT = List.of("--gres=gpu:1", "--schedgpu-mem=800M");

  private Path end;
  private Path history;
  private NodeAgent agent;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice()
        .otherNodes(2)
        .accounting()
        .slurmConf(
            "AccountingStorageEnforce=limits,qos",
            "PartitionName=debug Nodes=ALL Default=YES MaxTime=1 State=UP",
            "PartitionName=long Nodes=ALL MaxTime=INFINITE State=UP");
  }

  @BeforeEach
  void addAccount() {
    end = cluster.barrier("end");
    history = cluster.sharedMemory().resolve(end.getFileName() + "/history.db");
    cluster.slurm().commands().run("sacctmgr", "-i", "add", "account", "physics");
    cluster.slurm().commands().run("sacctmgr", "-i", "add", "qos", "short", "MaxWall=00:01:00");
    cluster
        .slurm()
        .commands()
        .run("sacctmgr", "-i", "add", "user", "root", "account=physics", "qos=normal,short");
  }

  @AfterEach
  void endAgent() throws InterruptedException {
    if (agent != null) {
      agent.end();
    }
    cluster.configureAsAtStart();
  }

  private void startAgent(String... conf) throws IOException {
    configure(conf);
    agent = NodeAgent.start(cluster, Map.of());
  }

  private void configure(String... conf) {
    List<String> lines = new ArrayList<>(List.of(conf));
    lines.add("HistoryFile=" + history);
    lines.add("SampleEvery=1s");
    cluster.configure(lines.toArray(new String[0]));
  }

  /** A job that holds 800 MiB of the first node until the barrier opens. */
  private long hold() {
    Path held = cluster.barrier("held");
    List<String> options = new ArrayList<>(MOST_OF_IT);
    options.addAll(List.of("--account=physics", "-p", "long", "-w", cluster.node()));
    long job = cluster.sbatch(options, "alloc", 700, "touch", held, "until", end);
    cluster.await(held);
    return job;
  }

  /** A job that wants 800 MiB too if it runs on the first node. */
  private long queue(String... more) {
    List<String> options = new ArrayList<>(MOST_OF_IT);
    options.addAll(List.of(more));
    String script =
        "[ $SLURMD_NODENAME != %s ] || %s".formatted(cluster.node(), cluster.gpuUser("alloc", 700));
    long job = cluster.sbatch(cluster.slurm().commands(), options, script);
    cluster.awaitOutput(job, "schedgpu: waiting for");
    return job;
  }

  private JsonNode schedgpu(String... words) {
    List<String> command = new ArrayList<>(List.of(Build.command().toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--conf", cluster.installation().schedgpuConf().toString(), "--json"));
    return Json.parse(cluster.slurm().run(command, Map.of(), null).orThrow().stdout());
  }

  /**
   * The limits of QOS and partition are as long as the job's own. The agent is killed meanwhile: it
   * has looked at all jobs again once it has extended the limit of the third.
   */
  @Test
  void aJobHasTheTimeInWhichItWaitedInAddition() throws Exception {
    startAgent("CompensateWait=yes");
    long first = hold();
    long second = queue("--account=physics", "--qos=short", "--time=1");
    agent.awaitSoon("limit job=slurm:" + second + " waited=");
    assertEquals("00:02:00", cluster.slurm().jobField(second, "TimeLimit"));
    agent.kill();
    startAgent("CompensateWait=yes");
    long third = queue("--account=physics", "--qos=short", "--time=1");
    agent.awaitSoon("limit job=slurm:" + third + " waited=");
    assertEquals("00:02:00", cluster.slurm().jobField(second, "TimeLimit"));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
    JsonNode jobs = schedgpu("jobs").get("jobs");
    assertEquals(second, jobs.get(1).get("id").asLong(), jobs::toPrettyString);
    assertEquals(60_000_000_000L, jobs.get(1).get("limitExtendedNs").asLong());
    thePageShows("schedgpu jobs", second);
    cluster.open(end);
    for (long job : List.of(first, second, third)) {
      assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    }
    awaitUsage();
  }

  /** The region remembers earlier jobs, too. */
  private void awaitUsage() {
    Eventually.that(
        "the jobs of physics, and no others, in the history",
        () -> {
          JsonNode usage = schedgpu("history", "--by", "account").get("usage");
          return usage.size() == 1
              && usage.get(0).get("account").asText().equals("physics")
              && usage.get(0).get("jobs").asInt() >= 2;
        },
        () -> schedgpu("history", "--by", "account").toPrettyString() + agent.log());
    JsonNode usage = schedgpu("history", "--by", "account").get("usage").get(0);
    assertTrue(usage.get("reservedByteSeconds").asLong() > 0, usage::toPrettyString);
    assertTrue(
        usage.get("usedByteSeconds").asLong() <= usage.get("reservedByteSeconds").asLong() * 2,
        usage::toPrettyString);
  }

  /** Without an agent it stays excluded. */
  private void awaitExclusion(long job) throws InterruptedException {
    agent.awaitSoon("requeue job=slurm:" + job + " excluded from " + cluster.node());
    agent.kill();
  }

  /**
   * Slurm starts a requeued job after two minutes; the test asks for it soon. A slurmd that had the
   * job in its first run refuses it in the second in which that was killed ("already killed, do not
   * launch batch job"), and Slurm then says FAILED.
   */
  private void startSoon(long job) {
    cluster.slurm().scontrol("update", "JobId=" + job, "StartTime=now+2").orThrow();
  }

  private void awaitElsewhere(long job) throws IOException, InterruptedException {
    awaitExclusion(job);
    assertEquals(cluster.node(), cluster.slurm().jobField(job, "ExcNodeList"));
    startSoon(job);
    assertEquals(
        JobState.COMPLETED, cluster.end(job), () -> cluster.output(job) + cluster.situation());
    assertEquals("1", cluster.slurm().jobField(job, "Restarts"));
    String shown = cluster.slurm().scontrol("show", "job", "" + job).stdout();
    assertTrue(shown.contains("AdminComment=schedgpu: waited "), shown);
    assertTrue(shown.contains(" for memory of " + cluster.node() + ", requeued"), shown);
    thePageShows("scontrol show job", job);
  }

  /** A command of the page, for a job of the test. */
  private void thePageShows(String begin, long job) throws IOException {
    Path bin = Files.createTempDirectory(cluster.slurm().paths().files(), "bin");
    Page.script(
        bin.resolve("schedgpu"),
        "exec %s \"$@\" --conf %s"
            .formatted(Build.command(), cluster.installation().schedgpuConf()));
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/waits-and-limits.md"))) {
      if (shown.command().startsWith(begin)) {
        String command =
            "PATH=%s:$PATH; %s".formatted(bin, shown.command().replace("4712", "" + job));
        String output =
            cluster
                .slurm()
                .run(List.of("bash", "-c", command), Map.of(), null)
                .orThrow()
                .stdout()
                .replace("slurm:" + job, "slurm:4712")
                .replaceAll("waited \\d+s for", "waited 2s for")
                .replace(cluster.node(), "gpu1");
        assertTrue(shown.isIn(output), () -> shown + "\n" + output);
        return;
      }
    }
    throw new AssertionError("the page does not show " + begin);
  }

  @Test
  void aJobThatWaitsTooLongGoesBackAndRunsElsewhere() throws Exception {
    startAgent("WaitLimit=1s");
    long first = hold();
    long second = queue("--account=physics");
    awaitElsewhere(second);
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
  }

  private List<String> excluded(long job) {
    String nodes = cluster.slurm().jobField(job, "ExcNodeList");
    return cluster.slurm().scontrol("show", "hostnames", nodes).stdout().lines().sorted().toList();
  }

  /** Its user excludes the other nodes, so there is none while it is excluded from this one. */
  @Test
  void aJobThatWentBackMayRunHereAgainLater() throws Exception {
    startAgent("WaitLimit=1s");
    hold();
    List<String> others = List.of(second(), cluster.node().replaceFirst("1$", "3"));
    long second = queue("--account=physics", "--exclude=" + String.join(",", others));
    awaitExclusion(second);
    cluster.open(end);
    assertEquals(List.of(cluster.node(), others.get(0), others.get(1)), excluded(second));
    startSoon(second);
    Eventually.that(
        "Slurm finds no node",
        () -> cluster.slurm().jobField(second, "Reason").equals("BadConstraints"),
        cluster::situation);
    startAgent("WaitLimit=1s");
    agent.awaitSoon("requeue job=slurm:" + second + " may run on " + cluster.node() + " again");
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
    assertEquals(others, excluded(second));
    assertEquals(cluster.node(), cluster.slurm().jobField(second, "NodeList"));
  }

  @Test
  void aJobOverTwoNodesGoesBackAsAWhole() throws Exception {
    startAgent("WaitLimitNodes=1s");
    hold();
    long one = queue("--account=physics");
    long two = queue("--account=physics", "--nodes=2");
    awaitElsewhere(two);
    assertEquals("2", cluster.slurm().jobField(two, "NumNodes"));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(one), "it has no limit");
  }

  @Test
  void aJobThatSlurmDoesNotRequeueGoesOnWaitingAndWithFailAJobIsCancelled() throws Exception {
    startAgent("WaitLimit=1s");
    hold();
    long second = queue("--account=physics", "--no-requeue");
    agent.awaitSoon("and cannot be requeued: scontrol: Requested operation is presently disabled");
    configure("WaitLimit=1s", "WaitAction=fail");
    agent.reload();
    long third = queue("--account=physics");
    agent.awaitSoon("cancel job=slurm:" + third);
    assertEquals(JobState.CANCELLED, cluster.end(third));
    String shown = cluster.slurm().scontrol("show", "job", "" + third).stdout();
    assertTrue(shown.contains("AdminComment=schedgpu: waited "), shown);
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
  }

  private String second() {
    return cluster.node().replaceFirst("1$", "2");
  }

  /** The second node has a RunDir of its own: its slurmd reads the same files in another folder. */
  private Path giveARegionToTheSecondNode() throws IOException {
    Path etc = cluster.slurm().paths().etc();
    Path own = Files.createDirectory(cluster.slurm().paths().files().resolve("second"));
    Path runDir = cluster.sharedMemory().resolve("second");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(etc, Files::isRegularFile)) {
      for (Path file : files) {
        String text =
            Files.readString(file).replace("RunDir=" + cluster.runDir(), "RunDir=" + runDir);
        Files.writeString(own.resolve(file.getFileName()), text.replace(etc + "/", own + "/"));
      }
    }
    cluster.slurm().restartNode(second(), own.resolve("slurm.conf"));
    return runDir;
  }

  /** A job over both nodes, with a process on each that does this; it does nothing on the third. */
  private long overBothNodes(String onFirst, String onSecond) {
    List<String> options = new ArrayList<>(MOST_OF_IT);
    options.addAll(List.of("--account=physics", "--nodes=2"));
    String script =
        "srun sh -c '[ $SLURMD_NODENAME != %s ] || exec %s; [ $SLURMD_NODENAME != %s ] || exec %s'"
            .formatted(cluster.node(), onFirst, second(), onSecond);
    return cluster.sbatch(cluster.slurm().commands(), options, script);
  }

  /** Each job holds memory of one node and waits on the other. */
  @Test
  void twoJobsThatWaitForEachOtherOnTwoNodesDoNotWaitForever() throws Exception {
    Path runDir = giveARegionToTheSecondNode();
    try {
      List<Path> holds = List.of(cluster.barrier("first"), cluster.barrier("other"));
      Path hasBoth = cluster.barrier("both");
      long first =
          overBothNodes(
              cluster.gpuUser("alloc", 100, "touch", holds.get(0), "until", end),
              cluster.gpuUser("until", holds.get(1), "alloc", 100, "touch", hasBoth));
      long other =
          overBothNodes(
              cluster.gpuUser("until", holds.get(0), "alloc", 100),
              cluster.gpuUser("alloc", 100, "touch", holds.get(1), "until", end));
      cluster.awaitOutput(first, "schedgpu: waiting for");
      cluster.awaitOutput(other, "schedgpu: waiting for");
      startAgent("WaitLimitNodes=1s");
      awaitExclusion(other);
      cluster.await(hasBoth);
      cluster.open(end);
      assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
      startSoon(other);
      assertEquals(JobState.COMPLETED, cluster.end(other), () -> cluster.output(other));
      assertEquals(0, cluster.status(runDir).get("jobs").size());
    } finally {
      cluster.slurm().restartNode(second());
    }
  }
}
