package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;

/**
 * The commands of docs/how-to/simulate.md with the sacct, the scontrol and the sbatch of a real
 * cluster, which has slurmdbd and MariaDB.
 */
final class SimulateClusterTest {
  private static final int NODES = 2;

  private MiniCluster cluster;
  private Path folder;

  @BeforeEach
  void startCluster() throws IOException {
    List<String> missing = new ArrayList<>(Requirements.missing());
    missing.addAll(Requirements.missingForAccounting());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    MiniClusterBuilder builder = MiniCluster.builder();
    cluster =
        builder
            .accounting()
            .nodes(
                NodeSpec.numbered(
                    MiniCluster.freshNodePrefix(), NODES, 16, 4000, "gpu:a100:4,gpumem:32G"))
            .fakeDevices(4)
            .gresConf(
                "Name=gpu Type=a100 File=%s/nvidia[0-3]\nName=gpumem Count=32G Flags=CountOnly\n"
                    .formatted(builder.paths().devices()))
            .slurmConf(
                "GresTypes=gpu,gpumem",
                "AccountingStorageTRES=gres/gpu,gres/gpumem",
                "PartitionName=debug Nodes=ALL Default=YES State=UP"
                    + " TRESBillingWeights=CPU=1,GRES/gpumem=1G")
            .build();
    cluster.start();
    folder = Files.createDirectory(cluster.paths().files().resolve("page"));
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Page.script(bin.resolve("schedgpu"), "exec %s \"$@\"".formatted(Build.command()));
  }

  @AfterEach
  void closeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private CommandResult run(String command, Map<String, String> environment) {
    String script = "cd %s && export PATH=%s/bin:$PATH && %s".formatted(folder, folder, command);
    return cluster.run(List.of("bash", "-c", script), environment, null);
  }

  private String run(String command) {
    return run(command, Map.of()).orThrow().stdout();
  }

  private static String shownCommand(List<Page.Shown> shown, String word) {
    return shown.stream()
        .map(Page.Shown::command)
        .filter(command -> command.contains(word))
        .findFirst()
        .orElseThrow();
  }

  /** One of each kind that sacct prints. */
  private void submitJobs() {
    for (int i = 0; i < 3; i++) {
      cluster.sbatch("--gres=gpu:1", "--time=5", "--wrap", "sleep 1.2");
    }
    cluster.sbatch("--gres=gpu:a100:2", "-N2", "--time=5", "--wrap", "sleep 1.2");
    cluster.sbatch("--gres=gpu:1", "--array=1-2", "--time=5", "--wrap", "sleep 1.2; exit 3");
    cluster.sbatch("--wrap", "sleep 1.2");
    run("sbatch --gres=gpu:1 --wrap 'sleep 1.2' : --gres=gpu:1");
    Eventually.that(
        "all have ended",
        () -> cluster.squeue("-h").stdout().isEmpty(),
        () -> cluster.squeue().stdout());
    cluster.sbatch("--gres=gpu:1", "--wrap", "sleep 600");
    cluster.sbatch("--gres=gpu:4", "-N2", "--wrap", "true");
  }

  private String sacctOnceAllIsThere(String command) {
    submitJobs();
    Eventually.that(
        "sacct knows of all",
        () -> {
          String jobs = run(command + " && cat jobs.txt");
          return jobs.contains("RUNNING")
              && jobs.lines().filter(line -> line.contains("|PENDING")).count() == 1
              && jobs.lines().filter(line -> line.contains("RUNNING")).count() == 1;
        },
        () -> run("cat jobs.txt"));
    return run("cat jobs.txt");
  }

  @Test
  void thePagePlaysWhatARealSlurmRemembers() throws IOException {
    List<Page.Shown> shown = Page.shownBy(Page.named("how-to/simulate.md"));
    String jobs = sacctOnceAllIsThere(shownCommand(shown, "sacct --allusers"));
    run(shownCommand(shown, "scontrol show nodes"));
    String play = shownCommand(shown, "--busy 40");
    String played = run(play);
    assertTrue(played.startsWith("6 jobs on 2 nodes with 8 GPUs\n"), jobs + played);
    for (String why :
        List.of(
            "has no GPU: ", "has not begun: ", "has not ended: ", "is of a heterogeneous job: ")) {
      assertTrue(played.replaceAll("\\s+", " ").contains(why), why + "\n" + jobs + played);
    }
    assertTrue(played.contains("no recommendation: the jobs are of "), played);
    run("scancel --user=root");
    theClusterPlaysTheSameThoughATaskIsKilled(shownCommand(shown, "--slurm "), played);
    theMemoryOfAJobIsBilled();
  }

  /** As the page on placing by memory says of virtual GPUs with --gpumem: 1 for each GiB. */
  private void theMemoryOfAJobIsBilled() {
    String job = run("sbatch --parsable --hold --gres=gpu:1,gpumem:6G --wrap true").strip();
    String shown = run("scontrol show job " + job);
    assertTrue(
        shown.matches("(?s).*TRES=cpu=1,\\S*billing=7,\\S*gres/gpumem=6442450944\\b.*"), shown);
    run("scancel " + job);
    run("srun --gres=gpu:1,gpumem:6G sleep 2");
    new UsageReport(this::run, "root", "gres/gpumem").requireTheSame();
  }

  /** The wrapper of Java kills the first run of one task. */
  private void theClusterPlaysTheSameThoughATaskIsKilled(String sweep, String played)
      throws IOException {
    Path java = folder.resolve("java");
    Page.script(
        java,
        "case \" $* \" in *' --slurm-task=2 '*) mkdir %1$s/killed 2>/dev/null && kill -9 $$ ;; esac\n"
                .formatted(folder)
            + "exec java \"$@\"");
    String said = run(sweep, Map.of("SCHEDGPU_JAVA", java.toString())).orThrow().stdout();
    assertTrue(said.contains(" plays 3 configurations, job "), said);
    Path result = folder.resolve("sweep/result.txt");
    Eventually.that(
        "the sweep is merged",
        () -> Files.exists(result) && cluster.squeue("-h").stdout().isEmpty(),
        () -> cluster.squeue().stdout() + run("head -50 sweep/*.log"));
    assertEquals(played, Files.readString(result));
    assertTrue(Files.isDirectory(folder.resolve("killed")));
    String merged = Files.readString(folder.resolve("sweep/merge.log"));
    assertTrue(merged.startsWith("not played: shares 4 fifo\njob "), merged);
    byte[] before = Files.readAllBytes(folder.resolve("sweep/result.json"));
    assertEquals(played, run(sweep));
    assertEquals(
        new String(before, StandardCharsets.UTF_8),
        Files.readString(folder.resolve("sweep/result.json")));
  }
}
