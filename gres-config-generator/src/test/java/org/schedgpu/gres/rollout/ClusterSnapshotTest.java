package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/** Which nodes have GPU jobs, from two sources: the jobs, and the use of the node. */
class ClusterSnapshotTest {
  private static final LiveJob CPU = new LiveJob(7, "bob", "RUNNING", Set.of("gpu1"), "");
  private static final LiveJob GPU = new LiveJob(8, "eve", "RUNNING", Set.of("gpu1"), "gres:gpu:1");
  private static final LiveJob WAITS = new LiveJob(9, "eve", "PENDING", Set.of(), "gres:gpu:1");

  private static List<String> gpuJobs(String gresUsed, LiveJob... jobs) {
    LiveNode node = new LiveNode("gpu1", Set.of("IDLE"), "gpu:2", gresUsed, "", 16);
    ClusterSnapshot snapshot =
        new ClusterSnapshot(
            new StartTimes("t1", Map.of()), List.of(jobs), Map.of(node.name(), node));
    return snapshot.gpuJobs("gpu1");
  }

  @Test
  void jobThatAsksForGpusHoldsThem() {
    assertEquals(List.of("8 eve RUNNING"), gpuJobs("gpu:1(IDX:0)", CPU, GPU, WAITS));
    assertEquals(List.of("8 eve RUNNING"), gpuJobs("gpu:0(IDX:N/A)", GPU));
  }

  /** As Slurm 22.05 shows six shards of one device in use. */
  @Test
  void jobThatAsksForShardsHoldsTheDevice() {
    LiveJob shards = new LiveJob(10, "ann", "RUNNING", Set.of("gpu1"), "gres:shard:6");
    String used = "gpu:a:0(IDX:N/A),shard:a:1(IDX:0)";
    assertEquals(List.of("10 ann RUNNING"), gpuJobs(used, CPU, shards));
    assertEquals(List.of("8 eve RUNNING", "10 ann RUNNING"), gpuJobs(used, CPU, GPU, shards));
  }

  @Test
  void jobWithoutGpusHoldsNone() {
    assertEquals(List.of(), gpuJobs("gpu:0(IDX:N/A)", CPU, WAITS));
  }

  /** --exclusive holds all GPUs and asks for none; Slurm would requeue it as any other. */
  @Test
  void gpusInUseThatNobodyAskedForAreThoseOfTheNodesJobs() {
    assertEquals(List.of("7 bob RUNNING"), gpuJobs("gpu:2(IDX:0-1)", CPU, WAITS));
  }

  @Test
  void gpusInUseByJobsThatAreNotShownCount() {
    assertEquals(
        List.of("jobs that are not shown (gpu:2(IDX:0-1))"), gpuJobs("gpu:2(IDX:0-1)", WAITS));
  }

  @Test
  void whereSlurmDoesNotTellWhatIsInUseEveryJobCounts() {
    assertEquals(List.of("7 bob RUNNING"), gpuJobs("", CPU, WAITS));
    assertEquals(List.of(), gpuJobs("", WAITS));
  }
}
