package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;

/**
 * MIG instances beside shares: only Slurm handles a job on an instance, whatever the site
 * configured.
 */
final class InstancesTest extends ClusterTest {
  private static final int SHARES = 12;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice()
        .instances(2)
        .conf("OnFailure=refuse", "OnHookFailure=drain", "DefaultMem=10%");
  }

  @Test
  void aJobOnAnInstanceRunsUntouched() {
    CommandResult result =
        cluster.srun(List.of("--gres=gpu:1g.5gb:1", "--schedgpu-mem=300M"), "show");

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals(Integer.toString(SHARES), seen.variable("SLURM_STEP_GPUS"));
    assertEquals("", seen.variable("SCHEDGPU_JOB"));
    assertEquals("", seen.variable("LD_PRELOAD"));
    assertFalse(seen.variable("CUDA_VISIBLE_DEVICES").contains("GPU-"), result.stdout());
    assertFalse(result.stderr().contains("schedgpu"), result.stderr());
    assertFalse(cluster.slurm().nodeState(cluster.node()).startsWith("drain"));
  }

  @Test
  void aJobOnAShareBesideInstancesIsScheduled() {
    Seen seen = Seen.in(cluster.srun(List.of("--gres=gpu:emulated:1"), "show").orThrow().stdout());

    assertEquals(cluster.uuids(), seen.devices());
    assertFalse(seen.variable("SCHEDGPU_JOB").isEmpty());
  }
}
