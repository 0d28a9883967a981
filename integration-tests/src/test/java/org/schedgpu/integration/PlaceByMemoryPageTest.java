package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;

/**
 * The page "Let Slurm place jobs by their memory", command by command, on a real cluster whose
 * nodes have two emulated GPUs of 16 GiB each. Jobs that use memory run one after the other.
 */
final class PlaceByMemoryPageTest {
  private static final long GIB = 1L << 30;

  /** Of 16 GiB the driver keeps a quarter, and a context takes another. */
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
    CommandResult result = run("srun " + options + " " + status).orThrow();
    JsonNode job = Json.parse(result.stdout()).get("jobs").get(0);
    for (JsonNode device : job.get("devices")) {
      return device.get("budgetBytes").asLong();
    }
    throw new AssertionError("no device: " + result.stdout());
  }

  /** The last line that a batch job with this option and script prints. */
  private String batch(String option, String script) throws IOException {
    Path file = cluster.folder().resolve("batch.sh");
    Files.writeString(file, "#!/bin/bash\n#SBATCH %s\n%s 2>/dev/null\n".formatted(option, script));
    run("sbatch -W -o batch.out " + file).orThrow();
    List<String> lines = Files.readAllLines(cluster.folder().resolve("batch.out"));
    return lines.get(lines.size() - 1);
  }

  private String refused(String command) {
    CommandResult result = run(command);
    assertTrue(!result.ok(), result::stdout);
    return result.stderr();
  }

  @Test
  void everyCommandWorksAndShardsAreTheBudget() throws IOException {
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/place-by-memory.md"))) {
      CommandResult result = run(shown.command()).orThrow();
      String output = cluster.asOnThePage(result.stdout() + result.stderr());
      assertTrue(shown.isIn(output), () -> "not as shown: " + shown.command() + "\n" + output);
    }
    shardsAreTheBudget();
    oneOptionIsEnough();
    long driverBytes = (long) setup.contextMiB << 20; // it keeps as much for itself
    PlacedJobs.requireTheSame(
        cluster.slurm(), cluster.nodes(), PageCluster.CPUS, 16 * GIB - driverBytes, driverBytes);
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
