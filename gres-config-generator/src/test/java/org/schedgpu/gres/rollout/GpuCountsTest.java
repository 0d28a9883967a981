package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

/** Slurm's texts of GPUs. */
class GpuCountsTest {
  private static void assertReads(String expected, String gres) {
    assertEquals(expected, GpuCounts.of(gres).toString());
  }

  @Test
  void socketsIndexesAndOtherGresDoNotCount() {
    assertReads("gpu:k20m:12", "gpu:k20m:12(S:0-1)");
    assertReads("gpu:k20m:2", "gpu:k20m:2(IDX:0,5),mps:0(IDX:N/A)");
    assertReads("gpu:a:1,gpu:b:2", "mps:200,gpu:b:2,gpu:a:1(S:0,1),nvgpu:7");
    assertReads("gpu:4", "gpu:4");
    assertReads("gpu:1", "gpu");
    assertReads("gpu:a100:1", "gpu:a100");
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
    assertNotEquals(GpuCounts.of("gpu:2"), GpuCounts.of("gpu:k20m:2"));
    assertEquals(GpuCounts.of("gpu:k20m:2(S:0)"), GpuCounts.of("gpu:k20m:2"));
    assertEquals(GpuCounts.of("no GPU"), GpuCounts.of(""));
  }
}
