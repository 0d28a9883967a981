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
}
