package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
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
  private Path log;
  private Process agent;

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
    agent.destroy();
    agent.waitFor();
    cluster.configureAsAtStart();
  }

  private void startAgent(String... conf) throws IOException {
    List<String> lines = new ArrayList<>(List.of(conf));
    lines.add("HistoryFile=" + history);
    lines.add("SampleEvery=1s");
    cluster.configure(lines.toArray(new String[0]));
    log = Files.createTempFile(cluster.slurm().paths().files(), "agent", ".log");
    agent =
        cluster
            .slurm()
            .commands()
            .with(Map.of("SLURMD_NODENAME", cluster.node()))
            .prepare(
                List.of(
                    Build.command().toString(),
                    "agent",
                    "--config",
                    cluster.installation().schedgpuConf().toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    awaitLog("ready: process " + agent.pid());
  }

  private String read() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void awaitLog(String text) {
    Eventually.that(
        "'" + text + "' in the agent's log",
        () -> read().contains(text),
        () -> read() + cluster.situation());
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
   * The limits of QOS and partition are as long as the job's own. The agent is killed meanwhile.
   */
  @Test
  void aJobHasTheTimeInWhichItWaitedInAddition() throws Exception {
    startAgent("CompensateWait=yes");
    long first = hold();
    long second = queue("--account=physics", "--qos=short", "--time=1");
    awaitLog("limit job=slurm:" + second + " waited=");
    assertEquals("00:02:00", cluster.slurm().jobField(second, "TimeLimit"));
    agent.destroyForcibly().waitFor();
    startAgent("CompensateWait=yes");
    awaitLog("minutes=3 was=2");
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
    JsonNode jobs = schedgpu("jobs").get("jobs");
    assertEquals(second, jobs.get(1).get("id").asLong(), jobs::toPrettyString);
    assertEquals(120_000_000_000L, jobs.get(1).get("limitExtendedNs").asLong());
    thePageShows("schedgpu jobs", second);
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
    assertEquals(JobState.COMPLETED, cluster.end(first));
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
        () -> schedgpu("history", "--by", "account").toPrettyString() + read());
    JsonNode usage = schedgpu("history", "--by", "account").get("usage").get(0);
    assertTrue(usage.get("reservedByteSeconds").asLong() > 0, usage::toPrettyString);
    assertTrue(
        usage.get("usedByteSeconds").asLong() <= usage.get("reservedByteSeconds").asLong() * 2,
        usage::toPrettyString);
  }

  /** Slurm starts a requeued job after two minutes; the test asks for it at once. */
  private void awaitElsewhere(long job) throws IOException {
    awaitLog("requeue job=slurm:" + job + " excluded from " + cluster.node());
    assertEquals(cluster.node(), cluster.slurm().jobField(job, "ExcNodeList"));
    cluster.slurm().scontrol("update", "JobId=" + job, "StartTime=now").orThrow();
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
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
    startAgent("WaitLimit=2s");
    long first = hold();
    long second = queue("--account=physics");
    awaitElsewhere(second);
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
  }

  @Test
  void aJobOverTwoNodesGoesBackAsAWhole() throws Exception {
    startAgent("WaitLimitNodes=2s");
    hold();
    long one = queue("--account=physics");
    long two = queue("--account=physics", "--nodes=2");
    awaitElsewhere(two);
    assertEquals("2", cluster.slurm().jobField(two, "NumNodes"));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(one), "it has no limit");
  }

  @Test
  void aJobThatSlurmDoesNotRequeueGoesOnWaiting() throws Exception {
    startAgent("WaitLimit=2s");
    hold();
    long second = queue("--account=physics", "--no-requeue");
    awaitLog("and cannot be requeued: scontrol: Requested operation is presently disabled");
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
  }

  @Test
  void withFailItIsCancelled() throws Exception {
    startAgent("WaitLimit=2s", "WaitAction=fail");
    hold();
    long second = queue("--account=physics");
    assertEquals(JobState.CANCELLED, cluster.end(second));
    String shown = cluster.slurm().scontrol("show", "job", "" + second).stdout();
    assertTrue(shown.contains("AdminComment=schedgpu: waited "), shown);
  }
}
