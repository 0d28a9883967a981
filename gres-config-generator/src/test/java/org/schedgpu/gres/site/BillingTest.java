package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a share costs, as Slurm counts: fractions are cut off. */
class BillingTest {
  @TempDir Path folder;

  private static String shared(String weights, String factor) {
    return Weights.parse(weights).orElseThrow().shared(new BigDecimal(factor)).text();
  }

  private List<String> partition(String keys, SiteRequest request) {
    SiteChange change =
        new SiteFixture(folder).with(request).change("PartitionName=p Nodes=ALL " + keys + "\n");
    return SiteFixture.warnings(change);
  }

  @Test
  void shareCostsAWholeNumberAndTheRestIsMultiplied() {
    assertEquals("CPU=12,Mem=3G,GRES/gpu=2", shared("CPU=1.0,Mem=0.25G,GRES/gpu=2.0", "12"));
    assertEquals("cpu=6,gres/gpu:t4=1", shared("cpu=0.5,gres/gpu:t4=1", "12"));
    assertEquals("CPU=0.5,GRES/gpu=3", shared("CPU=1,GRES/gpu=3", "0.5"));
  }

  @Test
  void fractionOfAGpuBecomesOne() {
    assertEquals("CPU=24,GRES/gpu=1", shared("CPU=1,GRES/gpu=0.5", "12"));
    assertEquals("CPU=4.8,GRES/gpu=1", shared("CPU=1,GRES/gpu=2.5", "12"));
  }

  @Test
  void whatSlurmDoesNotTakeIsNoWeight() {
    assertTrue(Weights.parse("CPU").isEmpty());
    assertTrue(Weights.parse("CPU=x").isEmpty());
    assertTrue(Weights.parse("=1").isEmpty());
    assertEquals(
        List.of(
            folder.resolve("slurm.conf")
                + " line 9, TRESBillingWeights=CPU=a of partition p is not understood and stays;"
                + " see what a share costs now"),
        partition("TRESBillingWeights=CPU=a", SiteRequest.none()));
  }

  @Test
  void withoutTheOptionItIsReportedInNumbers() {
    assertEquals(
        List.of(
            "partition p bills GRES/gpu=2 for each virtual GPU, what a whole GPU cost; a whole"
                + " device as 12 shares costs 24: --scale-billing makes it"
                + " TRESBillingWeights=CPU=12,GRES/gpu=2"),
        partition("TRESBillingWeights=\"CPU=1.0,GRES/gpu=2.0\"", SiteRequest.none()));
  }

  @Test
  void withTheOptionOnlyThePartitionsWeightsChange() {
    SiteFixture site = new SiteFixture(folder).with(SiteFixture.billing());
    String before = "PartitionName=p Nodes=ALL TRESBillingWeights=\"CPU=1,GRES/gpu=2\" MaxTime=5\n";
    SiteChange change = site.change(before + "PartitionName=q Nodes=ALL\n");
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith(
                "PartitionName=p Nodes=ALL TRESBillingWeights=\"CPU=12,GRES/gpu=2\" MaxTime=5\n"
                    + "PartitionName=q Nodes=ALL\n"));
    assertTrue(
        SiteFixture.warnings(change)
            .get(0)
            .startsWith(
                "partition p bills in a smaller unit from now on (CPU=12,GRES/gpu=2, was "));
  }

  @Test
  void secondTimeTheWeightsStay() {
    SiteFixture site =
        new SiteFixture(folder)
            .with(SiteFixture.billing())
            .node("g1", "gpu:t4:24", "gpu:t4:24")
            .node("g2", "gpu:t4:24", "gpu:t4:24");
    String nodes = "NodeName=g[1-2] Gres=gpu:t4:24\n";
    SiteChange change =
        site.bare(
            "GresTypes=gpu\n"
                + nodes
                + "PartitionName=p Nodes=ALL TRESBillingWeights=CPU=12,GRES/gpu=2\n");
    assertEquals(List.of(), change.files());
    assertTrue(
        change.warnings().stream().noneMatch(w -> w.contains("bills")), "" + change.warnings());
  }

  @Test
  void weightsOfADefaultLineAreSetOnThePartitionsOwn() {
    SiteChange change =
        new SiteFixture(folder)
            .with(SiteFixture.billing())
            .change(
                "PartitionName=DEFAULT TRESBillingWeights=CPU=1,GRES/gpu=1\n"
                    + "NodeName=c1\nPartitionName=p Nodes=g1\nPartitionName=c Nodes=c1\n");
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith(
                "PartitionName=p Nodes=g1 TRESBillingWeights=CPU=12,GRES/gpu=1\n"
                    + "PartitionName=c Nodes=c1\n"));
  }

  @Test
  void partitionOfNodesThatDifferIsNamedAndStays() {
    SiteFixture site =
        new SiteFixture(folder).with(SiteFixture.billing()).node("g2", "gpu:2", "gpu:t4:8");
    SiteChange change = site.change("PartitionName=p Nodes=ALL TRESBillingWeights=GRES/gpu=3\n");
    assertEquals(
        List.of(
            "partition p has nodes where a GPU becomes different numbers of shares (12 on g1, 4 on"
                + " g2), and one GRES/gpu=3: a share costs what a whole GPU cost, and no weight is"
                + " right for all; make a partition for each number"),
        SiteFixture.warnings(change));
    assertTrue(SiteFixture.text(change, "slurm.conf").endsWith("TRESBillingWeights=GRES/gpu=3\n"));
  }

  @Test
  void nodesBesideThePlanCountAsWholeGpus() {
    SiteChange change =
        new SiteFixture(folder)
            .change(
                "NodeName=w Gres=gpu:4\nPartitionName=p Nodes=ALL TRESBillingWeights=GRES/gpu=3\n");
    assertTrue(SiteFixture.warnings(change).get(0).contains("(1 on w, 12 on g[1-2])"));
  }

  @Test
  void weightOfATypeThatGoesIsNamed() {
    List<String> warnings = partition("TRESBillingWeights=GRES/gpu:a100=3", SiteFixture.billing());
    assertEquals(
        "partition p has the weight GRES/gpu:a100=3, and no node of it has that type any more: GPUs"
            + " cost nothing; name one of [t4]",
        warnings.get(1));
  }

  @Test
  void priorityByGpusIsReported() {
    SiteChange change = new SiteFixture(folder).change("PriorityWeightTRES=CPU=1,GRES/gpu=3000\n");
    assertTrue(
        SiteFixture.warnings(change).get(0).startsWith("PriorityWeightTRES has GRES/gpu=3000: "));
    assertEquals(
        List.of(),
        SiteFixture.warnings(new SiteFixture(folder).change("PriorityWeightTRES=CPU=1\n")));
  }

  private SiteChange shards(String second, boolean accounting, String weights, boolean scale) {
    String dbd =
        accounting
            ? "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageTRES="
            : "";
    return new SiteFixture(folder)
        .node("g1", "gpu:2", "gpu:t4:2,shard:30")
        .node("g2", "gpu:2", second)
        .with(scale ? SiteFixture.billing() : SiteRequest.none())
        .change(
            (accounting ? dbd + "gres/gpu,gres/shard\n" : "")
                + "PartitionName=p Nodes=ALL TRESBillingWeights="
                + weights
                + "\n");
  }

  private static String billing(List<String> warnings) {
    return warnings.stream().filter(w -> w.startsWith("partition p")).findFirst().orElse("none");
  }

  @Test
  void shardsWithoutAWeightAreNamed() {
    String weights = "\"CPU=1.0,GRES/gpu=2.0\"";
    assertEquals(
        "partition p bills GRES/gpu=2 for a whole GPU and nothing for shards: a job with"
            + " --gres=shard pays for its CPUs and memory only; --scale-billing makes it"
            + " TRESBillingWeights=CPU=15,GRES/gpu=30,GRES/shard=2",
        billing(shards("gpu:t4:2,shard:30", true, weights, false).warnings()));
    String other = billing(shards("gpu:t4:2,shard:60", true, weights, true).warnings());
    assertTrue(other.endsWith("(shards of a GPU: 15 on g1, 30 on g2): set it yourself"), other);
    String own = "CPU=15,GRES/gpu=30,GRES/shard=2";
    assertEquals("none", billing(shards("gpu:t4:2,shard:30", true, own, true).warnings()));
  }

  @Test
  void shardCostsItsPartOfAGpu() {
    String weights = "CPU=1,Mem=0.25G,GRES/gpu=2";
    SiteChange change = shards("gpu:t4:2,shard:30", true, weights, true);
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith(" TRESBillingWeights=CPU=15,Mem=3.75G,GRES/gpu=30,GRES/shard=2\n"),
        SiteFixture.text(change, "slurm.conf"));
    assertEquals(
        "CPU=30,GRES/gpu=15,GRES/shard=1",
        Weights.parse("CPU=1,GRES/gpu=0.5")
            .orElseThrow()
            .withShards(new BigDecimal(15))
            .orElseThrow()
            .text());
    assertTrue(
        Weights.parse("GRES/gpu:a=1,GRES/gpu:b=2")
            .orElseThrow()
            .withShards(BigDecimal.TEN)
            .isEmpty());
  }

  @Test
  void aWeightThatWouldEndSlurmctldIsNotWritten() {
    SiteChange change = shards("gpu:t4:2,shard:30", false, "CPU=1,GRES/gpu=2", true);
    assertTrue(SiteFixture.text(change, "slurm.conf").endsWith("=CPU=1,GRES/gpu=2\n"));
    assertTrue(billing(change.warnings()).contains("--scale-billing needs --accounting"));
  }
}
