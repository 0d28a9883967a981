package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.gres.PlanFixture;

/** Clusters as sites have them: what Slurm takes, a plan takes, and it says what changes. */
class ExistingClusterTest {
  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void facts() {
    site = new PlanFixture(temporary).facts("gpu1", 0, 1);
  }

  private List<String> warnings(String... arguments) {
    return PlanFixture.strings(site.json(arguments).get("warnings"));
  }

  /** Slurm reads gpu:3090:2 right; only gpu:3090 without a count is one. */
  @ParameterizedTest
  @ValueSource(strings = {"3090", "4k"})
  void typeOfDigitsStays(String type) {
    site.slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:%s:2\n".formatted(type))
        .write(
            "gres.conf", "NodeName=gpu1 Name=gpu Type=%s File=/dev/nvidia[0-1]\n".formatted(type));
    String note = "type %1$s is a number: jobs ask for gpu:%1$s:1, because".formatted(type);
    assertTrue(warnings("--per-gpu=4").stream().anyMatch(text -> text.startsWith(note)));
    site.apply("--rule=type=%s,per-gpu=4".formatted(type));
    assertTrue(site.text("--per-gpu=4", "--type=" + type).contains("gpu:%s:8".formatted(type)));
    site.assertRefused(
        "GRES type '5090' would be read by Slurm as a count", "--per-gpu=4", "--type=5090");
    site.assertRefused(
        "would be read by Slurm as a count", "--per-gpu=4", "--exclusive-type=" + type);
    site.assertRefused(
        "would be read by Slurm as a count", "--rule=per-gpu=4,exclusive-type=" + type);
  }

  /** slurmd ignores lines without NodeName= of types that slurm.conf does not have for its node. */
  @Test
  void oneGresConfForTwoTypes() {
    site.facts("gpu2", 0)
        .slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:a100:2\nNodeName=gpu2 CPUs=16 Gres=gpu:v100:1\n")
        .write(
            "gres.conf",
            "Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=gpu Type=v100 File=/dev/nvidia0\n");
    String table = site.text("--per-gpu=4");
    assertTrue(table.contains("gpu:a100:8") && table.contains("gpu:v100:4"), table);
  }

  @Test
  void whichOfTwoLinesIsForANodeIsNotGuessed() {
    site.slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:2\n")
        .write(
            "gres.conf",
            "Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=gpu Type=v100 File=/dev/nvidia0\n");
    site.assertRefused("it is shared already", "--per-gpu=4");
  }

  @Test
  void cpusAreThoseOfSlurmConf() {
    site.slurmConf("NodeName=gpu1 CPUs=4 Gres=gpu:2\n");
    assertTrue(site.text("--per-cpu").contains("gpu:tesla_k20m:8"));
    site.slurmConf("NodeName=gpu1 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 Gres=gpu:2\n");
    assertTrue(site.text("--per-cpu").contains("gpu:tesla_k20m:16"));
    site.slurmConf("NodeName=gpu1 Gres=gpu:2\n");
    assertTrue(site.text("--per-cpu").contains("gpu:tesla_k20m:32"));
  }

  @Test
  void coresBeyondTheNodesAreNumbersOfThreads() {
    site.slurmConf("NodeName=gpu1 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 Gres=gpu:2\n")
        .write(
            "gres.conf",
            "NodeName=gpu1 Name=gpu File=/dev/nvidia0 Cores=0-7\n"
                + "NodeName=gpu1 Name=gpu File=/dev/nvidia1 Cores=16-31\n");
    String warning = "node gpu1 has 16 cores in slurm.conf (0-15), and Cores=16-31 goes beyond";
    assertTrue(
        warnings("--per-gpu=4", "--affinity=cores").stream().anyMatch(w -> w.startsWith(warning)));
    assertTrue(warnings("--per-gpu=4").stream().noneMatch(w -> w.startsWith(warning)));
    site.write(
        "gres.conf",
        "NodeName=gpu1 Name=gpu File=/dev/nvidia0 Cores=0-7\n"
            + "NodeName=gpu1 Name=gpu File=/dev/nvidia1 Cores=8-16\n");
    String next = "node gpu1 has 16 cores in slurm.conf (0-15), and Cores=8-16 goes beyond";
    assertTrue(
        warnings("--per-gpu=4", "--affinity=cores").stream().anyMatch(w -> w.startsWith(next)));
    site.slurmConf("NodeName=gpu1 CPUs=32 Gres=gpu:2\n");
    assertTrue(
        warnings("--per-gpu=4", "--affinity=cores").stream().noneMatch(w -> w.contains("beyond")));
  }

  @Test
  void slurm2302ForgetsLinks() {
    site.slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:2\n");
    String note = "Slurm 23.02 forgets Links=";
    List<String> with = warnings("--per-gpu=4", "--slurm-version=23.02");
    assertEquals(1, with.stream().filter(text -> text.startsWith(note)).count());
    List<String> without = warnings("--per-gpu=4", "--slurm-version=23.02", "--affinity=none");
    assertEquals(0, without.stream().filter(text -> text.startsWith(note)).count());
  }

  @Test
  void whatAReconfigureEndsIsSaidFirst() {
    site.slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:2\n");
    String first = warnings("--per-gpu=4", "--slurm-version=23.11").get(0);
    assertTrue(first.startsWith("from Slurm 23.11 on scontrol reconfigure takes"), first);
    assertEquals(
        0,
        warnings("--per-gpu=4").stream()
            .filter(w -> w.contains("from Slurm 23.11 on scontrol"))
            .count());
  }
}
