package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that count GPUs and do not know that they are shares now. */
class CountsTest {
  @TempDir Path folder;

  private void assertWarned(String warning, String lines) {
    assertEquals(
        warning.isEmpty() ? List.of() : List.of(warning),
        SiteFixture.warnings(new SiteFixture(folder).change(lines)));
  }

  @Test
  void whatAGpuBringsAlongIsForEachShare() {
    assertWarned(
        "DefCPUPerGPU=8 of partition p is for each share now: 24 shares of node g1 want 192 CPUs,"
            + " it has 48: 6 jobs run at a time; divide it by the shares of a device",
        "PartitionName=p Nodes=ALL DefCpuPerGPU=8\n");
    assertWarned(
        "DefMemPerGPU=16000 of partition p is for each share now: 24 shares of node g1 want 384000"
            + " MiB, it has 64000: 4 jobs run at a time; divide it by the shares of a device",
        "DefMemPerGPU=16000\nPartitionName=p Nodes=ALL\n");
    assertWarned("", "PartitionName=p Nodes=ALL DefCpuPerGPU=2 DefMemPerGPU=2000\n");
  }

  @Test
  void countedMemoryNeedsADefault() {
    assertWarned(
        "partition p counts memory (cr_core_memory) and has no DefMemPerCPU or DefMemPerGPU: a job"
            + " that does not say --mem takes all memory of a node, so shares never run together",
        "SelectTypeParameters=CR_Core_Memory\nPartitionName=p Nodes=ALL\n");
    assertWarned(
        "", "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nPartitionName=p Nodes=ALL\n");
    assertWarned("", "SelectTypeParameters=CR_Core\nPartitionName=p Nodes=ALL\n");
    assertWarned(
        "partition p has DefMemPerNode: a job of one share gets the memory that was meant for a job"
            + " of a whole node; DefMemPerCPU suits shares better",
        "SelectTypeParameters=CR_Core_Memory\nPartitionName=p Nodes=ALL DefMemPerNode=1000\n");
  }

  @Test
  void whatKeepsSharesApartIsReported() {
    assertWarned(
        "partition p has OverSubscribe=EXCLUSIVE: a job gets whole nodes, shares never run"
            + " together",
        "PartitionName=p Nodes=ALL Oversubscribe=Exclusive\n");
    assertWarned(
        "partition p has MaxCPUsPerNode=4, node g1 has 24 shares: at one CPU a job, 4 jobs run at a"
            + " time",
        "PartitionName=p Nodes=ALL MaxCPUsPerNode=4\n");
  }

  @Test
  void qosOfAPartitionAndSubmissionAreNamed() {
    assertWarned(
        "partition p has QOS=big: its limits in gres/gpu count shares now; see sacctmgr show qos"
            + " big",
        "PartitionName=p Nodes=ALL QOS=big\n");
    assertWarned(
        "JobSubmitPlugins=lua looks at jobs when they are submitted: if it counts GPUs, it counts"
            + " shares now",
        "JobSubmitPlugins=lua\n");
    new SiteFixture(folder).write("job_submit.lua", "");
    assertWarned(
        folder.resolve("job_submit.lua")
            + " looks at jobs when they are submitted: if it counts GPUs, it counts shares now",
        "");
  }

  @Test
  void partitionsWithoutSharedNodesAreLeftOut() {
    assertWarned("", "NodeName=c CPUs=2\nPartitionName=c Nodes=c DefCpuPerGPU=8 QOS=big\n");
  }

  @Test
  void whoCountsGpusIsReported() {
    List<String> warnings = new SiteFixture(folder).change("").warnings();
    assertTrue(warnings.stream().anyMatch(w -> w.contains("--gpus-per-node=4")), warnings + "");
    List<String> same =
        new SiteFixture(folder)
            .node("g1", "gpu:2", "gpu:t4:2")
            .node("g2", "gpu:2", "gpu:t4:2")
            .change("PartitionName=p Nodes=ALL QOS=big\n")
            .warnings();
    assertEquals(List.of(), same);
  }
}
