package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

/** Slurm's texts of GPUs. */
class GpusTest {
  private static void assertReads(String expected, String gres) {
    assertEquals(expected, Gpus.of(gres).toString());
  }

  @Test
  void socketsIndexesAndOtherGresDoNotCount() {
    assertReads("gpu:k20m:12", "gpu:k20m:12(S:0-1)");
    assertReads("gpu:k20m:2", "gpu:k20m:2(IDX:0,5),mps:0(IDX:N/A)");
    assertReads("gpu:a:1,gpu:b:2", "mps:200,gpu:b:2,gpu:a:1(S:0,1),nvgpu:7");
    assertReads("gpu:4", "gpu:4");
    assertReads("gpu:1", "gpu");
    assertReads("gpu:a100:1", "gpu:a100");
    assertReads("gpu:k20m:1024", "gpu:k20m:1K");
  }

  @Test
  void noneIsNone() {
    assertReads("no GPU", "");
    assertReads("no GPU", null);
    assertReads("no GPU", "gpu:k20m:0(IDX:N/A)");
    assertReads("no GPU", "mps:gpu:3");
  }

  @Test
  void typeIsPartOfWhatIsCompared() {
    assertNotEquals(Gpus.of("gpu:2"), Gpus.of("gpu:k20m:2"));
    assertEquals(Gpus.of("gpu:k20m:2(S:0)"), Gpus.of("gpu:k20m:2"));
    assertEquals(Gpus.of("no GPU"), Gpus.of(""));
  }

  @Test
  void aJobWithShardsUsesAGpu() {
    assertEquals(6, Gpus.of("gpu:k20m:0(IDX:N/A),shard:k20m:6(6/23,0/23)").total());
    assertReads("gpu:k20m:2,shard:46", "gpu:k20m:2(S:0),shard:k20m:46(S:0)");
    assertNotEquals(Gpus.of("gpu:2,shard:30"), Gpus.of("gpu:2,shard:46"));
    assertEquals(Gpus.of("gpu:2,shard:a:16,shard:b:4"), Gpus.of("gpu:2,shard:20"));
  }
}
