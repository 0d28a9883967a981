package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.RestController;
import org.schedgpu.gres.live.ScontrolController;
import org.schedgpu.gres.rollout.Gpus;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.rest.SlurmRestAddress;

/**
 * The page "Let Slurm place jobs by their memory", command by command, on a real cluster whose
 * nodes have two emulated GPUs of 16 GiB each, and slurmdbd. Jobs that use memory run one after the
 * other.
 */
final class PlaceByMemoryPageTest {
  private static final long GIB = 1L << 30;

  /** 16 GiB without a context of 512 MiB, the size that is taken while nothing is learned. */
  private static final long ALL_OF_A_DEVICE = 31 * GIB / 2;

  private static final String SITES_FILTER =
      """
      function slurm_cli_pre_submit(options, offset)
        slurm.log_info("the site's own filter")
        return slurm.SUCCESS
      end
      return slurm.SUCCESS
      """;

  private final ClusterSetup setup = ClusterSetup.twoDevices();
  private PageCluster cluster;

  @BeforeEach
  void startCluster() throws IOException {
    setup.deviceMiB = 16384;
    setup.contextMiB = 256;
    setup.accounting().rest();
    setup.slurmConf(
        "AccountingStorageEnforce=limits,qos",
        "PartitionName=debug Nodes=ALL Default=YES State=UP"
            + " TRESBillingWeights=CPU=1.0,GRES/gpu=2.0");
    cluster = PageCluster.start(setup);
    Files.writeString(filter(), SITES_FILTER);
  }

  @AfterEach
  void closeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private Path filter() {
    return cluster.slurm().paths().etc().resolve("cli_filter.lua");
  }

  private CommandResult run(String command) {
    return cluster.run(command);
  }

  /** The budget of a direct srun with these options, on the device that it has. */
  private long budget(String options) {
    String status = "%s status --json --run-dir %s".formatted(Build.command(), cluster.runDir());
    String script = "sh -c 'echo $SLURM_JOB_ID >&2; exec " + status + "'";
    CommandResult result = run("srun -Q " + options + " " + script).orThrow();
    String id = result.stderr().lines().filter(line -> line.matches("\\d+")).findFirst().get();
    for (JsonNode job : Json.parse(result.stdout()).get("jobs")) {
      // An earlier job is there until its epilog has ended.
      if (job.get("id").asText().equals(id)) {
        return job.get("devices").get(0).get("budgetBytes").asLong();
      }
    }
    throw new AssertionError("no device: " + result.stdout());
  }

  /** The last line that a batch job with this option and script prints. */
  private String batch(String option, String script) throws IOException {
    Path file = cluster.folder().resolve("batch.sh");
    Files.writeString(file, "#!/bin/bash\n#SBATCH %s\n%s 2>/dev/null\n".formatted(option, script));
    run("sbatch -W -o batch.out -e batch.err " + file).orThrow();
    List<String> lines = Files.readAllLines(cluster.folder().resolve("batch.out"));
    return lines.get(lines.size() - 1);
  }

  private String refused(String command) {
    CommandResult result = run(command);
    assertTrue(!result.ok(), result::stdout);
    return result.stderr();
  }

  @Test
  void everyCommandWorksAndShardsAreTheBudget() throws Exception {
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/place-by-memory.md"))) {
      asShown(shown);
    }
    shardsAreTheBudget();
    oneOptionIsEnough();
    shardsAreAccounted();
    slurmrestdSaysTheSame();
    long driverBytes = (long) setup.contextMiB << 20; // it keeps as much for itself
    PlacedJobs.requireTheSame(
        cluster.slurm(), cluster.nodes(), PageCluster.CPUS, 16 * GIB - driverBytes, driverBytes);
  }

  /** What asks Slurm is asked again: it schedules, and writes to slurmdbd, a little later. */
  private void asShown(Page.Shown shown) {
    if (shown.command().startsWith("squeue") || shown.command().startsWith("sacct ")) {
      Eventually.that(
          "the page's output of " + shown.command(),
          () -> shown.isIn(outputOf(shown.command())),
          () -> outputOf(shown.command()));
    } else {
      String output = outputOf(shown.command());
      assertTrue(shown.isIn(output), () -> "not as shown: " + shown.command() + "\n" + output);
    }
  }

  private String outputOf(String command) {
    CommandResult result = run(command).orThrow();
    return cluster.asOnThePage(result.stdout() + result.stderr());
  }

  /** Slurm and the agent count the same jobs of an account. */
  private void shardsAreAccounted() throws Exception {
    String config = run("scontrol show config").orThrow().stdout();
    assertTrue(
        config.matches("(?s).*\nAccountingStorageTRES *= [^\n]*,gres/gpu[^\n]*,gres/shard\n.*"),
        config);
    run("sacctmgr -i add account physics").orThrow();
    run("sacctmgr -i add user root account=physics").orThrow();
    run("srun -A physics --gres=shard:2 sleep 2").orThrow();
    run("srun -A physics --gres=shard:3 sleep 2").orThrow();
    Process agent = agent();
    try {
      String history =
          "%s history --by account --json --conf %s".formatted(Build.command(), cluster.conf());
      Eventually.that(
          "the jobs of sacct in the history",
          () -> jobsOf(run(history).stdout()) == 2 && inSacct() == 2,
          () -> run(history).stdout() + run("sacct -A physics").stdout());
    } finally {
      agent.destroy();
      agent.waitFor();
    }
    new UsageReport(command -> run(command).orThrow().stdout(), "physics", "gres/shard")
        .requireTheSame();
  }

  /** A job with shards holds GPUs of its node, whoever is asked. */
  private void slurmrestdSaysTheSame() {
    Path socket = cluster.slurm().paths().restSocket();
    long job = cluster.slurm().sbatch("--gres=shard:3", "--wrap", "sleep 600");
    Eventually.that(
        "the job runs",
        () -> cluster.slurm().jobState(job) == JobState.RUNNING,
        () -> cluster.slurm().squeue().stdout());
    String verified =
        run("schedgpu gres verify --plan plan.json --rest unix:" + socket).orThrow().stdout();
    assertTrue(verified.contains("asked slurmrestd at unix:" + socket), verified);
    Map<String, String> environment =
        Map.of(
            "PATH", System.getenv("PATH"),
            "SLURM_CONF", cluster.slurm().paths().slurmConf().toString());
    Controller rest = RestController.connect(SlurmRestAddress.socket(socket));
    for (Controller controller : List.of(new ScontrolController(environment), rest)) {
      assertEquals(
          List.of(job),
          controller.jobs().stream().filter(LiveJob::usesGpu).map(LiveJob::id).toList(),
          controller.description());
      assertEquals(
          List.of("gpu:k20m:2,shard:46", "gpu:k20m:2,shard:46", "gpu:k20m:2,shard:46"),
          controller.nodes().stream().map(node -> Gpus.of(node.gres()).toString()).toList());
      assertEquals(
          1,
          controller.nodes().stream().filter(node -> Gpus.of(node.gresUsed()).total() > 0).count(),
          controller.description());
    }
    run("scancel " + job).orThrow();
    cluster.slurm().awaitJobs(List.of(job), Eventually.LIMIT);
  }

  private Process agent() throws IOException {
    List<String> command =
        List.of(Build.command().toString(), "agent", "--config", "" + cluster.conf());
    return cluster
        .slurm()
        .commands()
        .with(Map.of("SLURMD_NODENAME", cluster.nodes().get(0)))
        .prepare(command)
        .redirectErrorStream(true)
        .redirectOutput(cluster.folder().resolve("agent.log").toFile())
        .start();
  }

  private static int jobsOf(String history) {
    if (history.isEmpty()) {
      return 0;
    }
    for (JsonNode usage : Json.parse(history).get("usage")) {
      if (usage.get("account").asText().equals("physics")) {
        return usage.get("jobs").asInt();
      }
    }
    return 0;
  }

  private long inSacct() {
    return run("sacct -X -n -P -A physics -S now-1hour -o AllocTRES")
        .orThrow()
        .stdout()
        .lines()
        .filter(tres -> tres.matches(".*gres/shard=[23].*"))
        .count();
  }

  private void shardsAreTheBudget() throws IOException {
    assertEquals(6 * GIB, budget("--gres=shard:6"));
    assertEquals(5 * GIB, budget("--gres=shard:6 --schedgpu-mem=5G"));
    assertEquals(2 * GIB, budget("--gres=shard:2 --schedgpu-mem=10G"));
    assertEquals(ALL_OF_A_DEVICE, budget("--gres=shard:20"), "overbooked: 20 of 23 shards");
    String lowered = run("srun --gres=shard:2 --schedgpu-mem=10G true").orThrow().stderr();
    assertTrue(lowered.contains("lowered to 2.0 GiB; for more ask for more shards"), lowered);
    assertEquals("step 3", batch("--gres=shard:3", "srun sh -c 'echo step $SLURM_SHARDS_ON_NODE'"));
  }

  private void oneOptionIsEnough() throws IOException {
    String shards = "sh -c 'echo $SLURM_SHARDS_ON_NODE'";
    assertEquals("6", run("srun --schedgpu-mem=6G " + shards).orThrow().stdout().strip());
    assertEquals("7", run("srun --schedgpu-mem=6145 " + shards).orThrow().stdout().strip());
    assertEquals("1", run("srun --schedgpu-mem=512M " + shards).orThrow().stdout().strip());
    assertEquals(
        "2", run("srun --gres=shard:2 --schedgpu-mem=1G " + shards).orThrow().stdout().strip());
    assertEquals("", run("srun " + shards).orThrow().stdout().strip(), "a job of CPUs alone");
    assertEquals("", run("srun --gpus=1 --schedgpu-mem=1G " + shards).orThrow().stdout().strip());
    String wrong = refused("srun --schedgpu-mem=40% true");
    assertTrue(wrong.contains("--schedgpu-mem=40% alone does not say how much"), wrong);
    assertEquals(
        "step 2",
        batch(
            "--schedgpu-mem=2G", "srun --schedgpu-mem=1G sh -c 'echo step $SLURM_SHARDS_ON_NODE'"));
    String filter = Files.readString(filter());
    assertTrue(filter.contains("the site's own filter"), filter);
    String verbose = run("srun -v --schedgpu-mem=1G true").orThrow().stderr();
    assertTrue(verbose.contains("the site's own filter"), verbose);
  }
}
